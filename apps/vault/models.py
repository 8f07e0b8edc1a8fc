"""What the vault room keeps: the keys of other programs."""

from typing import Self

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop as noop
from django.utils.translation import pgettext_lazy


class TokenQuerySet(models.QuerySet["Token"]):
    def owned_by(self, person: User) -> Self:
        return self.filter(owner=person)


class Token(models.Model):
    """A key that lets a program in as a person, for what its scopes allow; kept as a hash."""

    class Scope(models.TextChoices):
        READ = "read", pgettext_lazy("is allowed to", "Read")
        WRITE = "write", _("Write")
        ADMIN = "admin", _("Administer")

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=80)  # as its owner calls it
    prefix = models.CharField(max_length=12, unique=True)  # no secret: by it a token is found
    digest = models.CharField(max_length=64)  # SHA-256 of the whole token
    scopes = ArrayField(models.CharField(max_length=8, choices=Scope))
    created_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True)  # to the minute
    expires_at = models.DateTimeField(null=True)  # None: never
    revoked_at = models.DateTimeField(null=True)

    objects = TokenQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    @property
    def may(self) -> list[str]:
        """What it may do, for a reader."""
        return [str(self.Scope(scope).label) for scope in self.scopes]

    @property
    def state(self) -> str:
        """Whether it opens anything: `valid`, `expired` or `revoked`."""
        if self.revoked_at:
            return noop("revoked")
        if self.expires_at and self.expires_at <= timezone.now():
            return noop("expired")
        return noop("valid")
