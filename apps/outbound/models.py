"""The outbound ledger: every attempt of the vault to reach another host."""

from django.db import models

from apps.outbound import configured, noting

REFUSED = models.Q(allowed=False)
LEFT = (
    models.Q(allowed=True)
    & ~models.Q(purpose__in=configured.PURPOSES)
    & ~models.Q(how=noting.FETCH)
)


class AttemptQuerySet(models.QuerySet["Attempt"]):
    """Questions about attempts."""

    def refused(self) -> "AttemptQuerySet":
        return self.filter(REFUSED)

    def left(self) -> "AttemptQuerySet":
        """Those that `counts_as_left`."""
        return self.filter(LEFT)


class Attempt(models.Model):
    at = models.DateTimeField(db_index=True)
    process = models.CharField(max_length=40)  # web, worker, models, parser, command …
    pid = models.PositiveIntegerField(default=0)
    how = models.CharField(max_length=20, default="connect")  # connect, send, look up …
    host = models.CharField(max_length=255)
    port = models.PositiveIntegerField()
    purpose = models.CharField(max_length=120, blank=True)  # the person's act, if there is one
    allowed = models.BooleanField()
    size = models.PositiveBigIntegerField(null=True)  # bytes that came, where that is known

    objects = AttemptQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.process} to {self.host}:{self.port}"

    @property
    def counts_as_left(self) -> bool:
        """It went out, to another than a server that a person has configured.

        A fetch as a whole does not count: its connections do.
        """
        ours = self.purpose in configured.PURPOSES or self.how == noting.FETCH
        return self.allowed and not ours


class Watch(models.Model):
    """How far the ledger files have been read, and what they came to; one row."""

    since = models.DateTimeField(auto_now_add=True)
    offsets = models.JSONField(default=dict)  # bytes read of each file, by its name inside
    left = models.PositiveBigIntegerField(default=0)
    refused = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.left} left, {self.refused} refused since {self.since:%Y-%m-%d}"
