"""What is kept of conversations: turns, their answers step by step, and what they cite."""

from typing import Self

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.db.models.functions import Now
from django.urls import reverse

from apps.library.models import Category, Chunk, Document, LocatorKind, Workspace


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
        return self.title or "New conversation"

    def get_absolute_url(self) -> str:
        return reverse("chat:conversation", args=[self.pk])


class TurnQuerySet(models.QuerySet["Turn"]):
    def owned_by(self, person: User) -> Self:
        return self.filter(conversation__owner=person)


class Turn(models.Model):
    """One question; its answers are versions, the newest counts."""

    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="turns")
    question = models.TextField()
    scope_categories = models.ManyToManyField(Category, blank=True)
    scope_documents = models.ManyToManyField(Document, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = TurnQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.question


class AnswerQuerySet(models.QuerySet["Answer"]):
    def owned_by(self, person: User) -> Self:
        return self.filter(turn__conversation__owner=person)

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
    text = models.TextField(blank=True)  # Markdown, with [n] for citations
    thinking = models.TextField(blank=True)
    reason = models.TextField(blank=True)  # why it failed, for the reader
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
            )
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
    document_name = models.CharField(max_length=255)
    kind = models.CharField(max_length=8, choices=LocatorKind)
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
