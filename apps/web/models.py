"""What is kept of visits: who is signed in from where, language and keys, and failed tries."""

from typing import ClassVar, Self

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.base_session import AbstractBaseSession, BaseSessionManager
from django.db import models


class SessionQuerySet(models.QuerySet["Session"]):
    def owned_by(self, person: User) -> Self:
        return self.filter(person=person)


class Session(AbstractBaseSession):
    """A session as Django keeps them, which knows whose it is."""

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="sessions"
    )

    # Django's own manager saves sessions for the engine; no code of the vault needs to.
    objects: ClassVar = BaseSessionManager.from_queryset(SessionQuerySet)()

    @classmethod
    def get_session_store_class(cls) -> type[SessionBase]:
        from apps.web.sessions import SessionStore  # the engine imports this module

        return SessionStore


class LanguageQuerySet(models.QuerySet["Language"]):
    def owned_by(self, person: User) -> Self:
        return self.filter(person=person)


class Language(models.Model):
    """What a person chose to be spoken to in, and what their browser last asked for."""

    person = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="+"
    )
    chosen = models.CharField(max_length=8, blank=True)  # "": what the browser asks for
    heard = models.CharField(max_length=8, default=settings.LANGUAGE_CODE)

    objects = LanguageQuerySet.as_manager()

    def __str__(self) -> str:
        return self.spoken

    @property
    def spoken(self) -> str:
        """The code of the language that whatever is written for the person is in."""
        return self.chosen or self.heard


class KeysQuerySet(models.QuerySet["Keys"]):
    def owned_by(self, person: User) -> Self:
        return self.filter(person=person)


class Keys(models.Model):
    """Whether a person wants shortcuts that are one character: "/", "?", G, U, figures."""

    person = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="+"
    )
    single = models.BooleanField(default=True)

    objects = KeysQuerySet.as_manager()

    def __str__(self) -> str:
        return "on" if self.single else "off"


class Tries(models.Model):
    """How often a password was tried for one name, or from one address, and when last."""

    class Kind(models.TextChoices):
        NAME = "name", "Name"
        ADDRESS = "address", "Address"

    # Of a name a keyed hash: people type passwords into the wrong field.
    key = models.CharField(max_length=80, primary_key=True)
    kind = models.CharField(max_length=8, choices=Kind)
    count = models.PositiveIntegerField()
    last = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.count} times {self.kind}"
