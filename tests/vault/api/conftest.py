"""Programs that come in by the API."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.test import Client

from apps.vault import tokens
from apps.vault.api import gate

ALL = ("read", "write", "admin")


def program(person: User, *scopes: str) -> Client:
    """A program with a token of this person; with all scopes where none is named."""
    token = tokens.make(person, "program", scopes or ALL)
    return Client(headers={"Authorization": f"Bearer {token}"})


@pytest.fixture(autouse=True)
def _no_wrong_tokens_yet() -> Iterator[None]:
    gate.wrong.forget()
    yield
    gate.wrong.forget()


@pytest.fixture
def alices(alice: User) -> Client:
    return program(alice)


@pytest.fixture
def bobs(bob: User) -> Client:
    return program(bob)
