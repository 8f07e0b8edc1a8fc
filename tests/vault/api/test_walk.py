"""Every operation of the API is a door: closed without a token, and to others' things."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from apps.vault.api.docs import description
from tests.test_doors import things
from tests.vault.api.conftest import program

__all__ = ["things"]  # the fixture: one of everything, all of it Alice's

DOORS = [
    (path, method)
    for path, operations in description()["paths"].items()
    for method in operations
    if method in ("get", "post", "patch", "put", "delete")
]
NAMED = [door for door in DOORS if "_id}" in door[0]]


def url(path: str, things: dict[str, Any]) -> str:
    return re.sub(r"{(\w+)}", lambda match: str(things[match[1]]), path)


def knock(client: Client, method: str, address: str) -> int:
    """With a body that is right or wrong: who may not come in is not told which."""
    return client.generic(method.upper(), address, b"{}", "application/json").status_code


@pytest.mark.parametrize(("path", "method"), DOORS)
def test_without_a_token_every_door_is_closed(
    path: str, method: str, client: Client, reader: Client, things: dict[str, Any]
) -> None:
    assert knock(Client(), method, url(path, things)) == 401
    assert knock(reader, method, url(path, things)) == 401  # signed in by a browser


@pytest.mark.parametrize(("path", "method"), NAMED)
def test_a_stranger_finds_nothing(
    path: str, method: str, bobs: Client, things: dict[str, Any]
) -> None:
    assert knock(bobs, method, url(path, things)) == 404


@pytest.mark.parametrize(("path", "method"), DOORS)
def test_the_scope_that_is_written_down_is_needed(
    path: str, method: str, alice: User, things: dict[str, Any]
) -> None:
    scope = description()["paths"][path][method]["security"][0]["Bearer"][0]
    others = {"read", "write", "admin"} - {scope}
    assert knock(program(alice, *others), method, url(path, things)) == 403
    assert method == "get" or scope != "read" or path in ("/api/query", "/api/search")


@pytest.mark.parametrize("path", sorted({path for path, _ in DOORS}))
def test_a_wrong_method_is_refused(path: str, alices: Client, things: dict[str, Any]) -> None:
    allowed = {method for each, method in DOORS if each == path}
    for method in {"get", "post", "put", "patch", "delete"} - allowed:
        assert knock(alices, method, url(path, things)) == 405
