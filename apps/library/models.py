"""What the library keeps: workspaces, documents, their parts and passages.

The tables that search scans (`ChunkWords`, `ChunkVector`) are narrow and carry their scope, so
that a search reads nothing else; the statistics beside them are kept by deltas.
"""

import uuid
from typing import Self

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models.functions import Now
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from pgvector.django import HalfVectorField

from apps.library.batch_models import Batch, BatchEntry
from apps.library.folder_models import FolderEntry, WatchedFolder
from apps.library.learned_models import LearnedRule
from apps.library.likeness_models import Likeness
from apps.library.saved_models import SavedSearch
from apps.library.statistic_models import (
    LanguageCentroid,
    TermStatistic,
    VectorStatistic,
    WordStatistic,
)
from apps.web.telling import ToldField

__all__ = [
    "Batch", "BatchEntry", "Category", "Chunk", "ChunkVector", "ChunkWords", "Coverage", "Document",
    "EmbeddingSet", "FolderEntry", "LanguageCentroid", "LearnedRule", "Likeness", "LocatorKind",
    "Part", "SavedSearch", "TermStatistic", "VectorStatistic", "WatchedFolder", "WordStatistic",
    "Workspace", "stored_name",
]  # fmt: skip


class WorkspaceQuerySet(models.QuerySet["Workspace"]):
    def owned_by(self, person: User) -> Self:
        """A person's workspaces; those that are being deleted are nobody's any more."""
        return self.filter(owner=person, deleting=False)


class Workspace(models.Model):
    """A library of its own: nothing is found across two unless a reader asks for all of theirs."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="workspaces", verbose_name=_("owner")
    )
    name = models.CharField(_("name"), max_length=80)
    deleting = models.BooleanField(default=False)  # the worker is at it; the name is gone already
    looks_again = models.BooleanField(default=False)  # the language model, at what is searched for
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    objects = WorkspaceQuerySet.as_manager()

    class Meta:
        verbose_name = _("workspace")
        verbose_name_plural = _("workspaces")
        ordering = ["name", "pk"]
        constraints = [models.UniqueConstraint(fields=["owner", "name"], name="workspace_name")]

    def __str__(self) -> str:
        return self.name


class CategoryQuerySet(models.QuerySet["Category"]):
    def owned_by(self, person: User) -> Self:
        return self.filter(workspace__owner=person)


class Category(models.Model):
    """A folder in a workspace."""

    workspace = models.ForeignKey(
        Workspace, models.CASCADE, related_name="categories", verbose_name=_("workspace")
    )
    name = models.CharField(_("name"), max_length=80)

    objects = CategoryQuerySet.as_manager()

    class Meta:
        verbose_name = _("category")
        verbose_name_plural = _("categories")
        ordering = ["name", "pk"]
        constraints = [models.UniqueConstraint(fields=["workspace", "name"], name="category_name")]

    def __str__(self) -> str:
        return self.name


def stored_name(document: "Document", filename: str) -> str:
    """Files are kept under ids: no name a person chose ever becomes a path."""
    return f"documents/{uuid.uuid4().hex}"


class DocumentQuerySet(models.QuerySet["Document"]):
    def owned_by(self, person: User) -> Self:
        """A person's documents; those that are being deleted are nobody's any more."""
        return self.filter(workspace__owner=person).exclude(state=Document.State.DELETING)

    def unfinished(self) -> Self:
        return self.filter(state__in=Document.UNFINISHED)

    def workable(self) -> Self:
        """Unfinished documents whose turn it is, new ones first, then the longest untouched.

        Of several with the same bytes the first is read, and the others then copy from it.
        """
        unread = (Document.State.QUEUED, Document.State.READING)
        elder = Document.objects.filter(
            workspace__owner=models.OuterRef("workspace__owner"),
            sha256=models.OuterRef("sha256"),
            pk__lt=models.OuterRef("pk"),
            state__in=unread,
            next_try=None,
        )
        return (
            self.unfinished()
            .filter(models.Q(next_try=None) | models.Q(next_try__lte=Now()))
            .exclude(models.Q(models.Exists(elder), state__in=unread))
            .order_by(
                models.Case(models.When(state__in=Document.WAITED_FOR, then=0), default=1),
                models.F("pulse").asc(nulls_first=True),
                "pk",
            )
        )

    def unread(self) -> Self:
        """Those that are still being read, and not a word of which can be found yet."""
        return self.unfinished().filter(chunk_count=0)

    def searchable(self) -> Self:
        return self.filter(chunk_count__gt=0)


class Document(models.Model):
    """One file of a person: how far it has come, and what was read."""

    class State(models.TextChoices):
        FETCHING = "fetching", _("Fetching")  # a web page, from its source
        QUEUED = "queued", _("Waiting")
        READING = "reading", _("Reading")
        LEARNING = "learning", _("Found by words, learning meaning")
        READY = "ready", _("Ready")
        # the file's fault: trying again would not help
        REFUSED = "refused", _("Could not read")
        FAILED = "failed", _("Failed")  # our fault or the machine's: try again
        CANCELLED = "cancelled", _("Cancelled")
        DELETING = "deleting", _("Being deleted")

    UNFINISHED = (State.FETCHING, State.QUEUED, State.READING, State.LEARNING)
    WAITED_FOR = (State.FETCHING, State.QUEUED)  # not a word of them can be found yet
    RETRIABLE = (State.REFUSED, State.FAILED, State.CANCELLED)

    workspace = models.ForeignKey(
        Workspace, models.CASCADE, related_name="documents", verbose_name=_("workspace")
    )
    category = models.ForeignKey(
        Category,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="documents",
        verbose_name=_("category"),
    )
    name = models.CharField(_("name"), max_length=255)  # as the person calls it: the file's name
    title = models.CharField(_("title"), max_length=255, blank=True)  # as the document calls itself
    source = models.TextField(_("where it is from"), blank=True)  # a path or web address, if any
    file = models.FileField(_("file"), upload_to=stored_name)
    size = models.BigIntegerField(_("size"), default=0)  # bytes
    sha256 = models.CharField(_("SHA-256"), max_length=64)
    format = models.CharField(_("format"), max_length=20, blank=True)  # a module of `parsing`
    language = models.CharField(_("language"), max_length=2, blank=True)  # ISO 639-1, of most of it

    state = models.CharField(_("state"), max_length=10, choices=State, default=State.QUEUED)
    reason = ToldField(_("reason"), blank=True)  # why it failed or was refused, for the reader
    notice = models.TextField(_("left out"), blank=True)  # one a line, as `labels.line`
    done = models.PositiveIntegerField(default=0)  # of the present stage
    total = models.PositiveIntegerField(null=True)  # None while it is not known
    stage_began = models.DateTimeField(null=True)
    pulse = models.DateTimeField(_("last sign of life"), null=True)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    next_try = models.DateTimeField(_("not before"), null=True)  # the model is awaited
    revision = models.PositiveIntegerField(_("revision"), default=1)  # grows when the bytes change

    part_count = models.PositiveIntegerField(_("parts"), default=0)
    chunk_count = models.PositiveIntegerField(_("passages"), default=0)
    ocr_count = models.PositiveIntegerField(_("parts by OCR"), default=0)
    character_count = models.BigIntegerField(_("characters"), default=0)
    extent = models.CharField(_("extent"), max_length=40, blank=True)  # "352 pages", "3 sheets"
    timings = models.JSONField(_("seconds by stage"), default=dict)

    created_at = models.DateTimeField(_("added"), auto_now_add=True)
    ready_at = models.DateTimeField(_("ready since"), null=True)
    changed_at = models.DateTimeField(_("last changed"), null=True)  # by its own account: `dating`
    written_at = models.DateTimeField(null=True)  # the same, as it stands inside the file
    fetched_at = models.DateTimeField(null=True)  # its page was last seen then, changed or not

    objects = DocumentQuerySet.as_manager()

    class Meta:
        verbose_name = _("document")
        verbose_name_plural = _("documents")
        ordering = ["-created_at", "-pk"]
        indexes = [
            models.Index(fields=["workspace", "-created_at"], name="document_newest"),
            models.Index(fields=["sha256"], name="document_bytes"),
            models.Index(
                fields=["id"],
                name="document_unfinished",
                condition=models.Q(state__in=["fetching", "queued", "reading", "learning"]),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("library:document", args=[self.pk])

    @property
    def never_came(self) -> bool:
        """Whether it is a web page that has not been fetched yet: it has no file."""
        return not self.file.name and self.source.startswith("http")


class LocatorKind(models.TextChoices):
    """What a passage's place is called; the number counts from 1 (time: seconds from 0)."""

    PAGE = "page"
    SLIDE = "slide"
    SHEET = "sheet"
    SECTION = "section"
    LINES = "lines"
    TIME = "time"


class Part(models.Model):
    """A page, slide, sheet or section as it was read."""

    document = models.ForeignKey(Document, models.CASCADE, related_name="parts")
    revision = models.PositiveIntegerField()
    ordinal = models.PositiveIntegerField()  # from 0, in reading order
    kind = models.CharField(max_length=8, choices=LocatorKind)
    number = models.PositiveIntegerField()
    label = models.CharField(max_length=500)  # in words: "page 47", "Lease › Notice"
    header = models.TextField(blank=True)  # a table's header row, repeated on each piece
    text = models.TextField()
    ocr = models.BooleanField(default=False)
    confidence = models.FloatField(null=True)  # of OCR or speech, 0 to 1

    class Meta:
        ordering = ["ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["document", "revision", "ordinal"], name="part_ordinal")
        ]

    def __str__(self) -> str:
        return self.label


class ChunkQuerySet(models.QuerySet["Chunk"]):
    def owned_by(self, person: User) -> Self:
        mine = self.filter(document__workspace__owner=person)
        return mine.exclude(document__state=Document.State.DELETING)


class Chunk(models.Model):
    """A passage: what is found, shown and cited."""

    document = models.ForeignKey(Document, models.CASCADE, related_name="chunks")
    part = models.ForeignKey(Part, models.CASCADE, related_name="chunks")
    revision = models.PositiveIntegerField()
    ordinal = models.PositiveIntegerField()  # from 0, through the whole document
    text = models.TextField()  # with a table's header row in front
    heading = models.CharField(max_length=500, blank=True)  # breadcrumb: "Lease › Notice"
    kind = models.CharField(max_length=8, choices=LocatorKind)
    number = models.PositiveIntegerField()  # page, slide; first row, line or second
    label = models.CharField(max_length=500)  # in words: "sheet Budget, rows 21–40"
    start = models.PositiveIntegerField()  # offsets into the part's text, end exclusive
    end = models.PositiveIntegerField()
    digest = models.CharField(max_length=64)  # SHA-256 of heading and text

    objects = ChunkQuerySet.as_manager()

    class Meta:
        ordering = ["ordinal"]
        constraints = [
            models.UniqueConstraint(
                fields=["document", "revision", "ordinal"], name="chunk_ordinal"
            )
        ]
        indexes = [models.Index(fields=["digest"], name="chunk_digest")]

    def __str__(self) -> str:
        return f"{self.document}, {self.label}"

    def get_absolute_url(self) -> str:
        return reverse("library:passage", args=[self.pk])


class ChunkWords(models.Model):
    """What the words leg scans: the analyser's lexemes of a passage."""

    chunk = models.OneToOneField(Chunk, models.CASCADE, primary_key=True, related_name="words")
    document_id = models.BigIntegerField()
    workspace_id = models.BigIntegerField()
    owner_id = models.BigIntegerField()
    length = models.PositiveIntegerField()  # words, the length of BM25
    language = models.CharField(max_length=2)
    analyser = models.PositiveSmallIntegerField()  # the version that wrote this row
    lexemes = SearchVectorField()

    class Meta:
        indexes = [
            GinIndex(fields=["lexemes"], name="chunk_words_lexemes", fastupdate=False),
            models.Index(fields=["workspace_id", "document_id"], name="chunk_words_scope"),
            models.Index(fields=["analyser"], name="chunk_words_analyser"),
            models.Index(fields=["workspace_id", "language"], name="chunk_words_language"),
        ]

    def __str__(self) -> str:
        return f"words of {self.chunk_id}"


class EmbeddingSet(models.Model):
    """Vectors of one model; another set can be built beside the one in use."""

    class State(models.TextChoices):
        BUILDING = "building", _("being learned")
        ACTIVE = "active", _("in use")
        RETIRED = "retired", _("kept, to go back to")
        GONE = "gone", _("being deleted")  # its vectors are being deleted

    model = models.CharField(_("model"), max_length=200)  # as the model server names it
    dimensions = models.PositiveIntegerField(_("dimensions"))
    state = models.CharField(_("state"), max_length=8, choices=State, default=State.BUILDING)
    reason = ToldField(_("reason"), blank=True)  # what building it waits for
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("embedding set")
        verbose_name_plural = _("embedding sets")
        constraints = [
            models.UniqueConstraint(fields=["model", "dimensions"], name="embedding_set_model"),
            models.UniqueConstraint(
                fields=["state"],
                condition=models.Q(state="active"),
                name="embedding_set_active",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.model} ({self.dimensions})"


class ChunkVector(models.Model):
    """What the meaning leg scans: a passage's unit vector in one embedding set."""

    pk = models.CompositePrimaryKey("embedding_set_id", "chunk_id")
    embedding_set = models.ForeignKey(EmbeddingSet, models.CASCADE, db_index=False)
    chunk = models.ForeignKey(Chunk, models.CASCADE, related_name="vectors")
    document_id = models.BigIntegerField()
    workspace_id = models.BigIntegerField()
    owner_id = models.BigIntegerField()
    embedding = HalfVectorField()  # no dimensions here: sets of different models share the table
    # Bits of its tokens, for a second look at the best; kept beside the row, not within.
    sketch = models.BinaryField(null=True)  # b"" of a model that draws none

    class Meta:
        indexes = [
            models.Index(
                fields=["chunk"], name="chunk_vector_unsketched", condition=models.Q(sketch=None)
            ),
            models.Index(
                fields=["embedding_set_id", "workspace_id", "document_id"],
                name="chunk_vector_scope",
            ),
        ]

    def __str__(self) -> str:
        return f"vector of {self.chunk_id}"


class Coverage(models.Model):
    """What a person has done with a passage: when it was first read, cited, tested, mastered."""

    chunk = models.OneToOneField(Chunk, models.CASCADE, primary_key=True, related_name="coverage")
    document_id = models.BigIntegerField(db_index=True)
    read_at = models.DateTimeField(null=True)
    cited_at = models.DateTimeField(null=True)
    tested_at = models.DateTimeField(null=True)
    mastered_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"coverage of {self.chunk_id}"
