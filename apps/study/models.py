"""What practice is made of: a job that makes it, and the things it makes.

Whatever a job makes carries the passage that proves it: the quote and its place stay with the
item even when the document is gone.
"""

from typing import Any, Self

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from apps.library.models import Category, Chunk, Document, Workspace
from apps.web.telling import ToldField


class Difficulty(models.TextChoices):
    BEGINNER = "beginner", _("Beginner")
    INTERMEDIATE = "intermediate", _("Intermediate")
    ADVANCED = "advanced", _("Advanced")


class JobQuerySet(models.QuerySet["Job"]):
    def owned_by(self, person: User) -> Self:
        return self.filter(owner=person)

    def unfinished(self) -> Self:
        return self.filter(state__in=Job.UNFINISHED)

    def in_turn(self) -> Self:
        """What is to be cancelled, then lessons, for somebody sits before the page; then what has
        least left to make.

        So five questions do not wait for forty cards: a job gives way between two slices.
        """
        waits = models.Case(
            models.When(cancel_asked=True, then=0),
            models.When(kind=Job.Kind.LESSON, then=1),
            default=2,
        )
        return self.order_by(waits, models.F("asked") - models.F("made"), "pk")


class Job(models.Model):
    """One generation, item by item, by the worker: how far it is, and why it stopped."""

    class Kind(models.TextChoices):
        QUIZ = "quiz", _("Quiz")
        WORKSHOP = "workshop", _("Workshop")
        LESSON = "lesson", _("Lesson")
        DECK = "deck", _("Deck")
        MINDMAP = "mindmap", _("Mindmap")

    class State(models.TextChoices):
        QUEUED = "queued", _("Waiting")
        RUNNING = "running", _("Working")
        DONE = "done", _("Done")
        SHORT = "short", _("Ended early")  # fewer than asked for; `reason` says why
        FAILED = "failed", _("Failed")
        CANCELLED = "cancelled", _("Cancelled")

    UNFINISHED = (State.QUEUED, State.RUNNING)

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", verbose_name=_("owner")
    )
    workspace = models.ForeignKey(
        Workspace, models.CASCADE, related_name="+", verbose_name=_("workspace")
    )
    kind = models.CharField(_("kind"), max_length=10, choices=Kind)
    categories = models.ManyToManyField(Category, blank=True, related_name="+")
    documents = models.ManyToManyField(Document, blank=True, related_name="+")
    everywhere = models.BooleanField(_("whole workspace"), default=False)  # chosen on purpose
    untouched_only = models.BooleanField(_("untouched only"), default=False)
    difficulty = models.CharField(
        _("difficulty"), max_length=12, choices=Difficulty, default=Difficulty.BEGINNER
    )
    options = models.JSONField(default=dict)  # what only this kind of job needs
    model = models.CharField(_("model"), max_length=200, blank=True)

    asked = models.PositiveIntegerField(_("asked for"), default=1)  # items
    made = models.PositiveIntegerField(_("made"), default=0)
    plan = models.JSONField(default=list)  # ids of the chunks to use, in order, made once
    tried = models.PositiveIntegerField(_("tried"), default=0)  # how many of the plan were used up
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.QUEUED)
    reason = ToldField(_("reason"), blank=True)  # for the reader
    attempts = models.PositiveIntegerField(_("attempts"), default=0)  # slices since the last item
    cancel_asked = models.BooleanField(_("cancellation asked for"), default=False)
    pulse = models.DateTimeField(_("last sign of life"), null=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    worked = models.FloatField(_("seconds worked"), default=0)  # on the tries that are over
    began_at = models.DateTimeField(_("begun"), null=True)
    ended_at = models.DateTimeField(_("ended"), null=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        verbose_name = _("job")
        verbose_name_plural = _("jobs")
        ordering = ["-pk"]
        indexes = [
            models.Index(
                fields=["owner", "id"],
                name="job_unfinished",
                condition=models.Q(state__in=["queued", "running"]),
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}: {self.made} of {self.asked}"

    @property
    def ended(self) -> bool:
        return self.state not in self.UNFINISHED

    @property
    def can_go_on(self) -> bool:
        """Whether another look may find more: a workshop has used all the text there is."""
        used_up = self.kind == self.Kind.WORKSHOP and self.state == self.State.SHORT and self.made
        return self.ended and self.state != self.State.DONE and not used_up


class Rejection(models.Model):
    """An item the quality gate did not let through, and why."""

    job = models.ForeignKey(Job, models.CASCADE, related_name="rejections", verbose_name=_("job"))
    reason = models.CharField(_("reason"), max_length=200)
    item = models.JSONField(_("item"))
    at = models.DateTimeField(_("at"), auto_now_add=True)

    class Meta:
        verbose_name = _("rejection")
        verbose_name_plural = _("rejections")
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.reason


class Sourced(models.Model):
    """Something made from a passage, with the quote that proves it."""

    chunk = models.ForeignKey(Chunk, models.SET_NULL, null=True, blank=True, related_name="+")
    document = models.ForeignKey(Document, models.SET_NULL, null=True, blank=True, related_name="+")
    document_name = models.CharField(max_length=255, blank=True)
    label = models.CharField(max_length=500, blank=True)  # the place, in words
    section = models.CharField(max_length=500, blank=True)  # the passage's breadcrumb
    quote = models.TextField(blank=True)  # stands in the passage, word for word

    class Meta:
        abstract = True


class OwnedQuerySet(models.QuerySet[Any]):
    def owned_by(self, person: User) -> Self:
        return self.filter(owner=person)


class Work(models.Model):
    """What the four kinds have in common: an owner, a title, and the job that makes them."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    job = models.OneToOneField(Job, models.SET_NULL, null=True, related_name="%(class)s")
    title = models.CharField(max_length=200)
    difficulty = models.CharField(max_length=12, choices=Difficulty, default=Difficulty.BEGINNER)
    scope_label = models.CharField(max_length=300, blank=True)  # "Lease.pdf", "3 documents"
    language = models.CharField(max_length=2, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = OwnedQuerySet.as_manager()

    class Meta:
        abstract = True
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse(f"study:{self._meta.model_name}", args=[self.pk])


class Quiz(Work):
    types = models.JSONField(default=list)  # of "mcq" and "true_false"

    class Meta(Work.Meta):
        verbose_name_plural = "quizzes"


class Question(Sourced):
    class Type(models.TextChoices):
        MCQ = "mcq", _("Multiple choice")
        TRUE_FALSE = "true_false", _("True or false")

    quiz = models.ForeignKey(Quiz, models.CASCADE, related_name="questions")
    ordinal = models.PositiveIntegerField()  # from 0
    type = models.CharField(max_length=10, choices=Type)
    stem = models.TextField()
    options = models.JSONField()  # texts, in the order they were made
    answer = models.PositiveSmallIntegerField()  # index of the right option
    explanation = models.TextField(blank=True)

    class Meta:
        ordering = ["ordinal"]
        constraints = [models.UniqueConstraint(fields=["quiz", "ordinal"], name="question_ordinal")]

    def __str__(self) -> str:
        return self.stem

    @property
    def reason(self) -> str:
        """The explanation where it says more than the quote, which stands below it."""
        said, proof = (" ".join(text.split()) for text in (self.explanation, self.quote))
        return "" if said.rstrip(".…") in proof else self.explanation

    @property
    def choices(self) -> list[str]:
        """The options as they are read: whether it is true is asked in the reader's language."""
        if self.type == self.Type.TRUE_FALSE:
            return [gettext("True"), gettext("False")]
        return list(self.options)


class Attempt(models.Model):
    """One go at a quiz, in an order of its own; resumable until it is finished."""

    quiz = models.ForeignKey(Quiz, models.CASCADE, related_name="attempts")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    order = models.JSONField()  # [[question id, [option indexes]], …]
    began_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)
    score = models.PositiveSmallIntegerField(null=True)  # per cent, halves rounded up

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"attempt {self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("study:attempt", args=[self.pk])


class Reply(models.Model):
    """What was answered, once a question and attempt."""

    attempt = models.ForeignKey(Attempt, models.CASCADE, related_name="replies")
    question = models.ForeignKey(Question, models.CASCADE, related_name="replies")
    chosen = models.PositiveSmallIntegerField()  # index into the question's options
    correct = models.BooleanField()
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["attempt", "question"], name="reply_once")]

    def __str__(self) -> str:
        return f"{self.chosen}"


class Workshop(Work):
    summary = ToldField(blank=True)  # made by rule, it is told in the reader's language
    key_points = models.JSONField(default=list)
    objectives = models.JSONField(default=list)
    completed_at = models.DateTimeField(null=True)


class Lesson(models.Model):
    workshop = models.ForeignKey(Workshop, models.CASCADE, related_name="lessons")
    job = models.OneToOneField(Job, models.SET_NULL, null=True, related_name="lesson")
    ordinal = models.PositiveIntegerField()  # from 0
    title = models.CharField(max_length=200)
    minutes = models.PositiveSmallIntegerField(default=5)  # reading time, 3 to 15
    passages = models.JSONField(default=list)  # ids of the chunks it is to be made from
    introduction = models.TextField(blank=True)  # Markdown with [n], as all of them
    core = models.TextField(blank=True)
    takeaways = models.TextField(blank=True)
    self_check = models.TextField(blank=True)
    made_at = models.DateTimeField(null=True)
    completed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["workshop", "ordinal"], name="lesson_ordinal")
        ]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("study:lesson", args=[self.pk])


class LessonSource(Sourced):
    lesson = models.ForeignKey(Lesson, models.CASCADE, related_name="sources")
    number = models.PositiveIntegerField()  # the [n] in the text

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["lesson", "number"], name="lesson_source_number")
        ]

    def __str__(self) -> str:
        return f"[{self.number}] {self.document_name}"


class Deck(Work):
    # Where wrong answers of quizzes go; one a person and workspace.
    mistakes = models.BooleanField(default=False)

    class Meta(Work.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "workspace"],
                condition=models.Q(mistakes=True),
                name="one_deck_of_mistakes",
            )
        ]


class Card(Sourced):
    class Status(models.TextChoices):
        UNMARKED = "unmarked", _("Unmarked")
        REVIEW = "review", pgettext_lazy("of a card", "Learning")
        MASTERED = "mastered", _("Mastered")

    deck = models.ForeignKey(Deck, models.CASCADE, related_name="cards")
    ordinal = models.PositiveIntegerField()
    front = models.TextField()
    back = models.TextField()
    status = models.CharField(max_length=8, choices=Status, default=Status.UNMARKED)
    flips = models.PositiveIntegerField(default=0)
    # The question it was made of, when that was answered wrong.
    question = models.OneToOneField(Question, models.SET_NULL, null=True, related_name="card")
    guid = models.CharField(max_length=64, db_index=True)  # ours for ever, Anki's too
    tags = models.JSONField(default=list)  # words that came with it from Anki
    schedule = models.JSONField(default=dict)  # the fsrs library's card; see `scheduling`
    due_at = models.DateTimeField(null=True)  # None: new, never graded
    lapses = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["ordinal", "pk"]
        indexes = [models.Index(fields=["deck", "due_at"], name="card_due")]
        # Two people may import the same package; one person's cards are compared at import.
        constraints = [models.UniqueConstraint(fields=["deck", "guid"], name="card_guid")]

    def __str__(self) -> str:
        return self.front

    @property
    def repeats(self) -> bool:
        """Whether its back says the words of the quote already."""
        back, proof = (" ".join(text.split()) for text in (self.back, self.quote))
        return proof.rstrip(".…") in back


class Review(models.Model):
    """One grade of a card, never changed."""

    card = models.ForeignKey(Card, models.CASCADE, related_name="reviews")
    grade = models.PositiveSmallIntegerField()  # 1 again, 2 hard, 3 good, 4 easy
    at = models.DateTimeField()
    seconds = models.FloatField(null=True)
    state = models.CharField(max_length=10, blank=True)  # the card's before the grade

    class Meta:
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return f"{self.grade}"


class Mindmap(Work):
    tree = models.JSONField(default=dict)  # {"label": …, "children": […]}
    exports = models.PositiveIntegerField(default=0)

    @property
    def branches(self) -> list[str]:
        """What the branches are called."""
        return [branch["label"] for branch in self.tree.get("children", [])]
