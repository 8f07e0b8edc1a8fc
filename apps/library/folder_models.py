"""What the library keeps of watched folders; a part of its models."""

from typing import Self

from django.contrib.auth.models import User
from django.db import models
from django.urls import reverse

from apps.web.telling import ToldField


class WatchedFolderQuerySet(models.QuerySet["WatchedFolder"]):
    def owned_by(self, person: User) -> Self:
        return self.filter(workspace__owner=person)


class WatchedFolder(models.Model):
    """A folder of this machine whose files are documents of a workspace, kept in step."""

    workspace = models.ForeignKey("library.Workspace", models.CASCADE, related_name="folders")
    path = models.TextField()  # absolute, without links
    include = models.TextField(blank=True)  # patterns, one a line; none: all
    exclude = models.TextField(blank=True)
    by_subfolder = models.BooleanField(default=True)  # first-level sub-folders are categories
    follow_deletions = models.BooleanField(default=True)  # a file is gone: so is its document
    paused = models.BooleanField(default=False)
    polled = models.BooleanField(default=False)  # on a network mount, which tells of no change
    wanted_at = models.DateTimeField(null=True)  # somebody asked for a look since then
    looked_at = models.DateTimeField(null=True)  # the last whole look ended
    problem = ToldField(blank=True)  # why the last look was no whole one
    created_at = models.DateTimeField(auto_now_add=True)

    objects = WatchedFolderQuerySet.as_manager()

    class Meta:
        ordering = ["path", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "path"], name="watched_folder_path")
        ]

    def __str__(self) -> str:
        return self.path

    def get_absolute_url(self) -> str:
        return reverse("library:folder", args=[self.pk])


class FolderEntry(models.Model):
    """What became of one file of a watched folder: a document, or left out and why."""

    folder = models.ForeignKey(WatchedFolder, models.CASCADE, related_name="entries")
    path = models.TextField()  # below the folder
    size = models.BigIntegerField(default=0)  # bytes
    changed = models.BigIntegerField(default=0)  # the file's own time, nanoseconds
    reason = ToldField(blank=True)  # why it was left out
    document = models.ForeignKey(
        "library.Document", models.SET_NULL, null=True, related_name="folder_entries"
    )

    class Meta:
        ordering = ["path"]
        verbose_name_plural = "folder entries"
        constraints = [models.UniqueConstraint(fields=["folder", "path"], name="folder_entry_path")]

    def __str__(self) -> str:
        return self.path
