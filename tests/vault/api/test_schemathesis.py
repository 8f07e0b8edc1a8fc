"""Schemathesis tries the API with all that its description allows, and with what it forbids.

It asks through the WSGI application, as the owner and as a member, each with all scopes and some
documents. Whether a token is asked for at all is tried in `test_walk`: its own check of that sends
what werkzeug's client does not take.
"""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.db import connections
from pytest_django import Settings
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import Status, from_schema
from schemathesis.engine.events import FatalError, NonFatalError, ScenarioFinished

from apps.vault import tokens
from apps.vault.api import gate
from tests.chat.conftest import add_document
from tests.fake_ollama import FakeOllama
from tests.vault.api.conftest import ALL
from vaultsite.wsgi import application

SETTINGS = {
    "generation": {"max-examples": 2, "deterministic": True, "no-shrink": True},
    "phases": {"examples": {"enabled": False}, "stateful": {"enabled": False}},
    "checks": {"ignored_auth": {"enabled": False}},
}
CLOSED = "http://127.0.0.1:9/"  # where the web would be asked: refused, so nothing leaves


@pytest.fixture
def alice(transactional_db: None) -> User:
    return _person("alice", User.objects.create_superuser)


@pytest.fixture
def bob(transactional_db: None) -> User:
    return _person("bob", User.objects.create_user)


def _person(name: str, create: Any) -> User:
    person: User = create(name, password="correct horse battery")
    home = person.workspaces.create(name="Home")
    home.categories.create(name="Letters")
    chunk = add_document(home, "Sea.md", "p. 4", "Tides rise because the moon pulls the oceans.")
    chunk.document.file.save("x", ContentFile(b"Tides"))
    return person


class Application:
    """The vault's, whose engine asks from threads of its own: their connections are closed here."""

    def __init__(self) -> None:
        self.connections: dict[int, Any] = {}

    def __call__(self, environ: dict[str, Any], start_response: Any) -> list[bytes]:
        self.connections[threading.get_ident()] = connections["default"]
        answer: Any = application(environ, start_response)
        try:
            return [b"".join(answer)]
        finally:
            answer.close()

    def close(self) -> None:
        self.connections.pop(threading.get_ident(), None)
        for each in self.connections.values():
            each.inc_thread_sharing()
            each.close()


@pytest.mark.parametrize("who", ["alice", "bob"])
def test_the_api_keeps_what_its_description_promises(
    who: str,
    alice: User,
    bob: User,
    ollama: FakeOllama,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.WEB_SEARCH = CLOSED
    monkeypatch.setattr(gate, "MOST_WRONG", 10**6)
    token = tokens.make({"alice": alice, "bob": bob}[who], "schemathesis", ALL)
    headers = {"headers": {"Authorization": f"Bearer {token}"}}
    config = SchemathesisConfig.from_dict(SETTINGS | headers)
    asked = Application()
    schema = schemathesis.openapi.from_wsgi("/api/openapi.json", asked, config=config)
    events = list(from_schema(schema).execute())
    asked.close()
    tried = {event.recorder.label for event in events if isinstance(event, ScenarioFinished)}
    assert len(tried) == len(list(schema.get_all_operations()))
    assert list(faults(events)) == []


def _is_offline(answer: Any) -> bool:
    """Whether it was the web that could not be asked, which is no fault of the API."""
    return answer.status_code == 503 and b"The web could not be asked" in answer.content


def _is_word(told: Any) -> bool:
    """Whether the wrong thing was a null in a form, where it arrives as a word."""
    return "became null)" in str(told.failure) and "multipart/form-data" in told.code_sample


def faults(events: list[Any]) -> Iterator[str]:
    """What went wrong, and the call that shows it."""
    for event in events:
        if isinstance(event, FatalError | NonFatalError):
            yield str(getattr(event, "info", "") or getattr(event, "exception", ""))
        if not isinstance(event, ScenarioFinished):
            continue
        for case, checks in event.recorder.checks.items():
            answer = event.recorder.interactions[case].response
            for check in checks:
                if check.status == Status.SUCCESS or (answer and _is_offline(answer)):
                    continue
                told = check.failure_info
                if told and _is_word(told):
                    continue
                yield f"{event.recorder.label} {check.name}: {told and told.failure}" + (
                    f"\n{told.code_sample}" if told else ""
                )
