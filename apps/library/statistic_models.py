"""What the library counts for search, kept by deltas; a part of its models."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.contrib.postgres.expressions import ArraySubquery
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import OuterRef
from pgvector.django import HalfVectorField

if TYPE_CHECKING:
    from apps.library.models import EmbeddingSet, Workspace


class TermStatistic(models.Model):
    """In how many passages of a workspace a lexeme stands (BM25's document frequency).

    Words are looked up by how they begin, and long ones by how they end: `term_statistic_ends`.
    """

    pk = models.CompositePrimaryKey("workspace_id", "word")
    workspace = models.ForeignKey("library.Workspace", models.CASCADE, db_index=False)
    word = models.TextField(db_collation="C")
    passages = models.IntegerField()

    def __str__(self) -> str:
        return f"{self.word}: {self.passages}"


class WordStatistic(models.Model):
    """A workspace's passages as the words leg needs them: how many, how long, in what languages."""

    workspace = models.OneToOneField("library.Workspace", models.CASCADE, primary_key=True)
    passages = models.IntegerField(default=0)
    words = models.BigIntegerField(default=0)  # of all passages together
    languages = ArrayField(models.CharField(max_length=2), default=list)  # of 5 % or more
    several: Sequence[str] = ()  # languages that have some passages, where there are several

    def __str__(self) -> str:
        return f"{self.passages} passages of {self.workspace_id}"

    @classmethod
    def of(cls, workspace: "Workspace") -> "WordStatistic | None":
        """That of a workspace, with all of its languages; None where nothing was read yet."""
        told = LanguageCentroid.objects.filter(workspace_id=OuterRef("pk"))
        several = ArraySubquery(told.order_by("language").values("language").distinct())
        return cls.objects.filter(workspace=workspace).annotate(several=several).first()

    @property
    def spoken(self) -> list[str]:
        """The languages of its passages, the most frequent first, also those of a few."""
        return list(dict.fromkeys((*self.languages, *self.several)))


class VectorStatistic(models.Model):
    """The mean vector of a workspace in one set: a hit must be nearer than the crowd is."""

    pk = models.CompositePrimaryKey("embedding_set_id", "workspace_id")
    embedding_set = models.ForeignKey("library.EmbeddingSet", models.CASCADE, db_index=False)
    workspace = models.ForeignKey("library.Workspace", models.CASCADE)
    passages = models.IntegerField()
    centroid = HalfVectorField()

    def __str__(self) -> str:
        return f"centroid of {self.workspace_id}"


class LanguageCentroid(models.Model):
    """The mean vector of a workspace's passages in one language, where it has several."""

    pk = models.CompositePrimaryKey("embedding_set_id", "workspace_id", "language")
    embedding_set = models.ForeignKey("library.EmbeddingSet", models.CASCADE, db_index=False)
    workspace = models.ForeignKey("library.Workspace", models.CASCADE)
    language = models.CharField(max_length=2)
    passages = models.IntegerField()
    centroid = HalfVectorField()

    def __str__(self) -> str:
        return f"centroid of {self.language} in {self.workspace_id}"

    @classmethod
    def counted(cls, workspace: "Workspace", embedding_set: "EmbeddingSet") -> dict[str, int]:
        """The passages in each of a workspace's languages; empty where it has one."""
        kept = cls.objects.filter(embedding_set=embedding_set, workspace=workspace)
        return dict(kept.values_list("language", "passages"))
