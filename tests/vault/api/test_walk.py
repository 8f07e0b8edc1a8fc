"""Every operation of the API is a door: closed without a token, and to others' things."""

import re
from collections.abc import Iterable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from apps.vault.api.docs import description
from tests.test_doors import things
from tests.vault.api.conftest import ALL, program

__all__ = ["things"]  # the fixture: one of everything, all of it Alice's

DOORS = [
    (path, method)
    for path, operations in description()["paths"].items()
    for method in operations
    if method in ("get", "post", "patch", "put", "delete")
]
NAMED = [door for door in DOORS if "_id}" in door[0]]  # by a number that is Alice's


def scope_of(door: tuple[str, str]) -> str:
    path, method = door
    return str(description()["paths"][path][method]["security"][0]["Bearer"][0])


def url(path: str, things: dict[str, Any]) -> str:
    return re.sub(r"{(\w+)}", lambda match: str(things[match[1]]), path)


def knock(client: Client, method: str, address: str) -> int:
    """With a body that fits most doors; who may not come in is not told whether."""
    return client.generic(method.upper(), address, b'{"name": "x"}', "application/json").status_code


def knocks(client: Client, things: dict[str, Any], doors: Iterable[tuple[str, str]]) -> set[int]:
    return {knock(client, method, url(path, things)) for path, method in doors}


def test_without_a_token_every_door_is_closed(reader: Client, things: dict[str, Any]) -> None:
    assert knocks(Client(), things, DOORS) == {401}
    assert knocks(reader, things, DOORS) == {401}  # signed in by a browser


@pytest.mark.parametrize("door", NAMED, ids=" ".join)
def test_a_stranger_finds_nothing(
    door: tuple[str, str], bobs: Client, things: dict[str, Any]
) -> None:
    assert knocks(bobs, things, [door]) == {404}


def test_the_scope_that_is_written_down_is_needed(alice: User, things: dict[str, Any]) -> None:
    for scope in ALL:
        doors = [door for door in DOORS if scope_of(door) == scope]
        others = program(alice, *{*ALL} - {scope})
        assert doors and knocks(others, things, doors) == {403}


def test_reading_changes_nothing() -> None:
    asking = {"/api/query", "/api/search"}  # with a body, for long questions
    changing = {path for path, method in DOORS if method != "get"} - asking
    assert {scope_of((path, method)) for path, method in DOORS if method == "get"} == {
        "read",
        "admin",
    }
    assert all(
        scope_of((path, method)) in ("write", "admin")
        for path, method in DOORS
        if path in changing and method != "get"
    )


def test_a_wrong_method_is_refused(alices: Client, things: dict[str, Any]) -> None:
    for path in {path for path, _ in DOORS}:
        wrong = {"get", "post", "put", "patch", "delete"} - {m for p, m in DOORS if p == path}
        assert knocks(alices, things, [(path, method) for method in wrong]) == {405}, path
