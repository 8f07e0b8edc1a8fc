"""The ledger and what is drawn from it.

`Event` is the truth, one row an act, never changed. All other tables are its sums, which
`standing.rebuild` can make again.
"""

from typing import Self

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models


class EventQuerySet(models.QuerySet["Event"]):
    def owned_by(self, person: User) -> Self:
        return self.filter(person=person)


class Event(models.Model):
    """One act of a person. Written by `ledger` only."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="events")
    kind = models.CharField(max_length=40)
    at = models.DateTimeField()
    zone = models.CharField(max_length=64, default="UTC")  # where the person was, as IANA names it
    facts = models.JSONField(default=dict)
    key = models.CharField(max_length=120, null=True, default=None)  # noqa: DJ001 - NULLs differ

    objects = EventQuerySet.as_manager()

    class Meta:
        ordering = ["at", "pk"]
        constraints = [models.UniqueConstraint(fields=["person", "key"], name="event_key")]
        indexes = [
            models.Index(fields=["person", "at"], name="event_when"),
            models.Index(fields=["person", "kind", "at"], name="event_kind"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} at {self.at:%Y-%m-%d %H:%M}"


class Standing(models.Model):
    """A person's running totals, and the time zone their next act is noted in."""

    person = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True)
    zone = models.CharField(max_length=64, default="UTC")
    zone_chosen = models.BooleanField(default=False)  # by the person; else the browser's
    tally = models.JSONField(default=dict)
    latest_at = models.DateTimeField(null=True)  # of the newest act in the tally
    stale = models.BooleanField(default=False)  # an act arrived late: rebuild before reading

    def __str__(self) -> str:
        return f"standing of {self.person_id}"


class StudySession(models.Model):
    """An unbroken stretch of study."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    began_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    seconds = models.FloatField()
    acts = models.PositiveIntegerField()

    class Meta:
        ordering = ["began_at"]
        constraints = [
            models.UniqueConstraint(fields=["person", "began_at"], name="study_session_began")
        ]

    def __str__(self) -> str:
        return f"{self.began_at:%Y-%m-%d %H:%M}, {self.seconds:.0f} s"


class Day(models.Model):
    """A local day with study: its seconds, sessions and acts by kind."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    day = models.DateField()
    seconds = models.FloatField(default=0)
    sessions = models.PositiveIntegerField(default=0)
    kinds = models.JSONField(default=dict)  # acts by kind

    class Meta:
        ordering = ["day"]
        constraints = [models.UniqueConstraint(fields=["person", "day"], name="day_of_person")]

    def __str__(self) -> str:
        return f"{self.day}: {self.seconds:.0f} s"


class Award(models.Model):
    """A badge earned, at the time of the act that earned it."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="awards")
    badge = models.CharField(max_length=40)
    at = models.DateTimeField()
    day = models.DateField()

    class Meta:
        ordering = ["-at"]
        constraints = [models.UniqueConstraint(fields=["person", "badge"], name="award_once")]

    def __str__(self) -> str:
        return self.badge
