"""What the library keeps of searches a person wants to have again; a part of its models."""

from typing import Self

from django.contrib.auth.models import User
from django.db import models
from django.urls import reverse


class SavedSearchQuerySet(models.QuerySet["SavedSearch"]):
    def owned_by(self, person: User) -> Self:
        return self.filter(workspace__owner=person)


class SavedSearch(models.Model):
    """A question with its filters under a name."""

    workspace = models.ForeignKey("library.Workspace", models.CASCADE, related_name="searches")
    name = models.CharField(max_length=120)
    asked = models.TextField()  # question and filters, as they stand in the address
    created_at = models.DateTimeField(auto_now_add=True)

    objects = SavedSearchQuerySet.as_manager()

    class Meta:
        ordering = ["name", "pk"]
        verbose_name_plural = "saved searches"
        constraints = [
            models.UniqueConstraint(fields=["workspace", "name"], name="saved_search_name")
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return f"{reverse('library:search')}?{self.asked}"
