"""The ledger: what a person did, one row an act, never changed."""

from typing import Self

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models


class EventQuerySet(models.QuerySet["Event"]):
    def owned_by(self, person: User) -> Self:
        return self.filter(person=person)


class Event(models.Model):
    """One act of a person. Written by `ledger.record` only."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="events")
    kind = models.CharField(max_length=40)
    at = models.DateTimeField()
    facts = models.JSONField(default=dict)
    key = models.CharField(max_length=120, null=True, default=None)  # noqa: DJ001 - NULLs differ

    objects = EventQuerySet.as_manager()

    class Meta:
        ordering = ["at", "pk"]
        constraints = [models.UniqueConstraint(fields=["person", "key"], name="event_key")]
        indexes = [models.Index(fields=["person", "at"], name="event_when")]

    def __str__(self) -> str:
        return f"{self.kind} at {self.at:%Y-%m-%d %H:%M}"
