"""What the library keeps of files that came together; a part of its models."""

from typing import Self

from django.contrib.auth.models import User
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as noop

from apps.web.telling import ToldField

UPLOAD = noop("Upload")  # what an upload by the page is called


class BatchQuerySet(models.QuerySet["Batch"]):
    def owned_by(self, person: User) -> Self:
        return self.filter(workspace__owner=person)


class Batch(models.Model):
    """Files that came together, by an upload or a command; its receipt says what became of each."""

    workspace = models.ForeignKey("library.Workspace", models.CASCADE, related_name="batches")
    key = models.CharField(max_length=40)  # the same for all requests of one upload
    label = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = BatchQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        verbose_name_plural = "batches"
        constraints = [models.UniqueConstraint(fields=["workspace", "key"], name="batch_key")]

    def __str__(self) -> str:
        return gettext(self.label) if self.label == UPLOAD else self.label

    def get_absolute_url(self) -> str:
        return reverse("library:batch", args=[self.pk])


class BatchEntry(models.Model):
    """One file of a batch: a document, or why there is none. It goes with its document."""

    batch = models.ForeignKey(Batch, models.CASCADE, related_name="entries")
    path = models.TextField()  # as it was named when it came
    reason = ToldField(blank=True)  # why it was not taken in
    document = models.ForeignKey(
        "library.Document", models.CASCADE, null=True, related_name="batch_entries"
    )

    class Meta:
        ordering = ["path"]
        verbose_name_plural = "batch entries"
        constraints = [models.UniqueConstraint(fields=["batch", "path"], name="batch_entry_path")]

    def __str__(self) -> str:
        return self.path
