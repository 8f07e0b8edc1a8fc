"""What the library learns from a person's own documents; a part of its models."""

from datetime import date
from typing import Any

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy

from apps.web.telling import ToldField


class LearnedRule(models.Model):
    """Where a person's own documents draw the line of the relevance rule, and how that was learned.

    The row is the job as well: what is planned, what was asked already, and what came of it.
    """

    class State(models.TextChoices):
        LEARNING = "learning", gettext_lazy("Learning")
        USED = "used", gettext_lazy("In use")
        NO_BETTER = "no_better", gettext_lazy("No better")
        TOO_LITTLE = "too_little", gettext_lazy("Too little to learn from")
        STOPPED = "stopped", gettext_lazy("Stopped")
        FAILED = "failed", gettext_lazy("Failed")

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="rules")
    model = models.CharField(max_length=200)  # of embeddings, as the model server names it
    edition = models.PositiveSmallIntegerField()  # of the rule; another one's is not used
    state = models.CharField(max_length=10, choices=State, default=State.LEARNING)
    reason = ToldField(blank=True)  # for the reader
    writer = models.CharField(max_length=200, blank=True)  # who words the questions; "": a rule
    plan = models.JSONField(default=list)  # ids of passages, in the order they are asked about
    tried = models.PositiveIntegerField(default=0)  # of the plan
    samples = models.JSONField(default=list)  # what search saw of each question; no words of it
    figures = models.JSONField(
        default=dict
    )  # shares that pass, and the curve; first, seconds spent
    shift = models.FloatField(default=0.0)  # added to the rule's constant where it is used
    kept = models.JSONField(default=dict)  # shift and date of what is in use while it learns anew
    began_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["owner", "model"], name="learned_rule")]

    def __str__(self) -> str:
        return f"rule of {self.owner_id} for {self.model}"

    @property
    def is_used(self) -> bool:
        return self.state == self.State.USED

    @property
    def in_use(self) -> dict[str, Any]:
        """The `shift` and `date` of the line that searches are judged by; empty without one."""
        if not self.is_used:
            return dict(self.kept)
        day = self.ended_at.date().isoformat() if self.ended_at else ""
        return {"shift": self.shift, "date": day}

    @property
    def kept_since(self) -> date | None:
        """Since when a line is in use that was learned before; None without one."""
        return date.fromisoformat(self.kept["date"]) if self.kept.get("date") else None

    @property
    def is_learning(self) -> bool:
        return self.state == self.State.LEARNING

    @property
    def is_at_first(self) -> bool:
        """Whether nothing was asked yet since it began or went on: models may have to load."""
        return self.is_learning and (self.tried == 0 or self.figures.get("went_on") == self.tried)

    @property
    def can_go_on(self) -> bool:
        """Whether it was stopped with something asked and something left to ask."""
        return self.state == self.State.STOPPED and 0 < self.tried < len(self.plan)

    @property
    def held_back(self) -> dict[str, Any]:
        """Shares in per cent of the questions held back: before and after, of either kind."""
        return dict(self.figures.get("held_back", {}))
