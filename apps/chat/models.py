"""What is kept of conversations: turns, their answers step by step, and what they cite."""

import uuid
from typing import Self

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector
from django.db import models
from django.db.models.functions import Now
from django.urls import reverse
from django.utils.translation import gettext as _

from apps.library.models import Category, Chunk, Document, LocatorKind, Workspace
from apps.web.telling import ToldField


class ConversationQuerySet(models.QuerySet["Conversation"]):
    def owned_by(self, person: User) -> Self:
        return self.filter(owner=person)


class Conversation(models.Model):
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE)
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="conversations")
    title = models.CharField(max_length=120, blank=True)
    model = models.CharField(max_length=200, blank=True)  # empty: the vault's choice
    pinned = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    touched_at = models.DateTimeField(auto_now=True)

    objects = ConversationQuerySet.as_manager()

    class Meta:
        ordering = ["-pinned", "-touched_at", "-pk"]
        indexes = [
            models.Index(fields=["owner", "workspace", "-touched_at"], name="conversation_newest")
        ]

    def __str__(self) -> str:
        return self.title or _("New conversation")

    def get_absolute_url(self) -> str:
        return reverse("chat:conversation", args=[self.pk])


class AttachmentQuerySet(models.QuerySet["Attachment"]):
    def owned_by(self, person: User) -> Self:
        return self.filter(owner=person)


def attachment_name(attachment: "Attachment", filename: str) -> str:
    """Files are kept under ids: no name a person chose ever becomes a path."""
    return f"attachments/{uuid.uuid4().hex}"


class Attachment(models.Model):
    """A file that goes along with a question, read for this conversation only."""

    class State(models.TextChoices):
        READING = "reading"
        READY = "ready"
        REFUSED = "refused"

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE)
    # Empty until its question is asked.
    conversation = models.ForeignKey(
        Conversation, models.CASCADE, null=True, related_name="attachments"
    )
    name = models.CharField(max_length=255)
    file = models.FileField(upload_to=attachment_name)
    size = models.PositiveBigIntegerField()  # bytes
    changed_at = models.DateTimeField(null=True)  # the file itself, as its browser told
    format = models.CharField(max_length=16, blank=True)  # the parser's word: pdf, image …
    state = models.CharField(max_length=8, choices=State, default=State.READING)
    reason = ToldField(blank=True)  # why it was refused, or what was left out
    parts = models.JSONField(default=list)  # as read: kind, place, label, text
    ocr = models.BooleanField(default=False)
    thumbnail = models.BinaryField(null=True)  # PNG
    document = models.ForeignKey(Document, models.SET_NULL, null=True)  # once in the library
    created_at = models.DateTimeField(auto_now_add=True)

    objects = AttachmentQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.name

    @property
    def is_image(self) -> bool:
        return self.format == "image"


class TurnQuerySet(models.QuerySet["Turn"]):
    def owned_by(self, person: User) -> Self:
        return self.filter(conversation__owner=person)

    def standing(self) -> Self:
        """Those that no edited question has taken the place of.

        Each knows if it is `edited`, and if it has files.
        """
        replaced = Turn.objects.filter(replaced_by=models.OuterRef("pk"))
        files = Turn.attachments.through.objects.filter(turn=models.OuterRef("pk"))
        return self.filter(replaced_by=None).annotate(
            edited=models.Exists(replaced), with_files=models.Exists(files)
        )


class Turn(models.Model):
    """One question; its answers are versions, of which the chosen one counts, else the newest."""

    class Mode(models.TextChoices):
        VAULT = "vault"
        WEB = "web"

    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="turns")
    question = models.TextField()
    scope_categories = models.ManyToManyField(Category, blank=True)
    scope_documents = models.ManyToManyField(Document, blank=True)
    attachments = models.ManyToManyField(Attachment, blank=True, related_name="turns")
    mode = models.CharField(max_length=5, choices=Mode, default=Mode.VAULT)
    web_query = models.TextField(blank=True)  # what the person saw and let go to the web
    think = models.BooleanField(null=True)  # empty: as the model is used to
    # The edited question that took its place; should that one go, this one stands again.
    replaced_by = models.ForeignKey(
        "self", models.SET_NULL, null=True, blank=True, related_name="replaced"
    )
    scoped = models.BooleanField(default=False)  # stays true when what it names is deleted
    created_at = models.DateTimeField(auto_now_add=True)

    with_files = True  # or not known; to be looked up
    edited = False  # it took another one's place; known of those that standing() found

    objects = TurnQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        indexes = [GinIndex(SearchVector("question", config="simple"), name="turn_words")]

    def __str__(self) -> str:
        return self.question


class AnswerQuerySet(models.QuerySet["Answer"]):
    def owned_by(self, person: User) -> Self:
        return self.filter(turn__conversation__owner=person)

    def counting_last(self) -> Self:
        """Turn by turn; of each the answer that counts comes last: the chosen or newest one."""
        return self.order_by("turn_id", "chosen", "version")

    def being_written(self) -> Self:
        return self.filter(state=Answer.State.WRITING)


class Answer(models.Model):
    """One answer to a turn, written on the server whoever is looking."""

    class State(models.TextChoices):
        WRITING = "writing"
        FINISHED = "finished"
        FAILED = "failed"
        STOPPED = "stopped"
        BROKEN_OFF = "broken off"

    turn = models.ForeignKey(Turn, models.CASCADE, related_name="answers")
    version = models.PositiveIntegerField(default=1)
    chosen = models.BooleanField(default=False)  # by the reader, over newer ones
    text = models.TextField(blank=True)  # Markdown, with [n] for citations
    thinking = models.TextField(blank=True)
    tools = models.JSONField(default=list, blank=True)  # what was used, as steps.ToolUse
    claims = models.JSONField(default=list, blank=True)  # each cited sentence, as steps.Checked
    memory = models.JSONField(default=dict, blank=True)  # what was sent, as steps.Remembered
    notice = models.TextField(blank=True)  # what could not be used, or did not fit
    reason = ToldField(blank=True)  # why it failed, for the reader
    refused = models.BooleanField(default=False)  # "not in your documents"
    extractive = models.BooleanField(default=False)  # the best sentences; no model wrote it
    model = models.CharField(max_length=200, blank=True)
    state = models.CharField(max_length=10, choices=State, default=State.WRITING)
    pulse = models.DateTimeField(db_default=Now())  # the writer's last sign of life
    stop_asked = models.BooleanField(default=False)
    began_at = models.DateTimeField(auto_now_add=True)
    model_at = models.DateTimeField(null=True)  # when it got to talk to the model
    ended_at = models.DateTimeField(null=True)

    objects = AnswerQuerySet.as_manager()

    class Meta:
        ordering = ["version"]
        constraints = [models.UniqueConstraint(fields=["turn", "version"], name="answer_version")]
        indexes = [
            models.Index(
                fields=["id"],
                name="answer_being_written",
                condition=models.Q(state="writing"),
            ),
            GinIndex(SearchVector("text", config="simple"), name="answer_words"),
        ]

    def __str__(self) -> str:
        return f"answer {self.version} to {self.turn_id}"


class Step(models.Model):
    """One thing that happened while an answer was written, in the order it happened."""

    pk = models.CompositePrimaryKey("answer_id", "number")
    answer = models.ForeignKey(Answer, models.CASCADE, related_name="steps", db_index=False)
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=10)
    body = models.JSONField()

    def __str__(self) -> str:
        return f"{self.number} {self.kind}"


class Citation(models.Model):
    """A source of an answer, kept as it stood: it outlives the passage it points to."""

    answer = models.ForeignKey(Answer, models.CASCADE, related_name="citations")
    number = models.PositiveIntegerField()  # the [n] in the text
    chunk = models.ForeignKey(Chunk, models.SET_NULL, null=True)
    document = models.ForeignKey(Document, models.SET_NULL, null=True)
    attachment = models.ForeignKey(Attachment, models.SET_NULL, null=True)
    url = models.TextField(blank=True)  # of a page of the web
    document_name = models.CharField(max_length=255)
    kind = models.CharField(max_length=8, choices=[*LocatorKind.choices, ("web", "web")])
    place = models.PositiveIntegerField()  # the locator's number
    label = models.CharField(max_length=500)
    quote = models.TextField()  # the passage as it was given to the model
    score = models.FloatField()
    used = models.BooleanField(default=False)  # whether the text refers to it

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["answer", "number"], name="citation_number")]

    def __str__(self) -> str:
        return f"[{self.number}] {self.document_name}, {self.label}"


class Preferences(models.Model):
    """What a workspace's conversations begin with."""

    workspace = models.OneToOneField(Workspace, models.CASCADE, related_name="preferences")
    instructions = models.TextField(blank=True)  # to the model, on top of the vault's own rules
    model = models.CharField(max_length=200, blank=True)  # the last one chosen

    def __str__(self) -> str:
        return f"preferences of {self.workspace_id}"


class PromptQuerySet(models.QuerySet["Prompt"]):
    def owned_by(self, person: User) -> Self:
        return self.filter(owner=person)


class Prompt(models.Model):
    """A question a person keeps to ask again."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE)
    title = models.CharField(max_length=80)
    text = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    objects = PromptQuerySet.as_manager()

    class Meta:
        ordering = ["title", "pk"]

    def __str__(self) -> str:
        return self.title
