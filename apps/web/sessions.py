"""The session engine: Django's, with each session knowing whose it is."""

from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import UpdateError
from django.db import InterfaceError, OperationalError

from apps.web.models import Session


class SessionStore(db.SessionStore):
    @classmethod
    def get_model_class(cls) -> type[Session]:
        return Session

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        session = super().create_model_instance(data)
        assert isinstance(session, Session)
        session.person_id = int(data[SESSION_KEY]) if SESSION_KEY in data else None
        return session

    def save(self, must_create: bool = False) -> None:
        try:
            super().save(must_create)
        except UpdateError as error:
            # Django takes any trouble for a session that was ended: a database that went away is
            # none, and the reader is told so instead of "bad request".
            if isinstance(error.__context__, OperationalError | InterfaceError):
                raise error.__context__ from None
            raise
