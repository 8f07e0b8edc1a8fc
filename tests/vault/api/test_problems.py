"""Whatever goes wrong below /api/ is a problem document: never a page, never a stack trace."""

import pytest
from django.test import Client
from django.test.client import Client as Browser
from pytest_django import Settings

from apps.library.models import Workspace
from apps.vault.api import gate, search

JSON = "application/json"


def is_problem(answer: object, status: int) -> dict[str, object]:
    assert answer.status_code == status  # type: ignore[attr-defined]
    assert answer.headers["Content-Type"] == "application/problem+json"  # type: ignore[attr-defined]
    length = answer.headers.get("Content-Length")  # type: ignore[attr-defined]
    assert length is None or int(length) == len(answer.content)  # type: ignore[attr-defined]
    told: dict[str, object] = answer.json()  # type: ignore[attr-defined]
    assert told["status"] == status and told["title"] and told["detail"]
    return told


@pytest.mark.parametrize("debug", [False, True])
def test_an_address_that_is_none(alices: Client, settings: Settings, debug: bool) -> None:
    settings.DEBUG = debug
    for address in ("/api/nothing", "/api/documents/x", "/api/documents/0", "/api/query/"):
        is_problem(alices.get(address), 404)


def test_a_wrong_method_is_told_the_right_ones(alices: Client) -> None:
    answer = alices.get("/api/query")
    is_problem(answer, 405)
    assert answer.headers["Allow"] == "POST"


def test_a_body_of_another_kind(alices: Client) -> None:
    told = is_problem(alices.post("/api/query", "message=x", "text/plain"), 415)
    assert "application/json" in str(told["detail"])


@pytest.mark.parametrize(
    "body", ["{", "\ufeff", "[" * 100_000, b"\xff\xfe\x00", "[]", '"x"', "null"]
)
def test_a_body_that_is_no_json(alices: Client, body: str | bytes) -> None:
    is_problem(alices.post("/api/query", body, JSON), 400)


@pytest.mark.parametrize(
    "body",
    [
        b'{"message": "x", "scop": []}',
        b'{"message": ""}',
        b'{"message": " "}',
        b'{"message": 7}',
        b'{"message": "\\u0000"}',
        b'{"message": "\\ud800"}',
        b'{"message": "x", "mode": "cloud"}',
        b'{"message": "x", "scope": "Lease"}',
    ],
)
def test_a_body_that_is_not_as_described_says_where(alices: Client, body: bytes) -> None:
    told = is_problem(alices.post("/api/query", body, JSON), 422)
    assert told["errors"]


def test_no_body_at_all(alices: Client) -> None:
    is_problem(alices.post("/api/query", b"", JSON), 422)


def test_a_body_that_is_too_large(alices: Client) -> None:
    is_problem(alices.post("/api/query", b" " * (gate.MOST_BYTES + 1), JSON), 413)
    is_problem(alices.post("/api/query", {"message": "x" * 5001}, JSON), 422)


def test_a_fault_of_ours_tells_nothing_of_the_inside(
    alices: Client, workspace: Workspace, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "_took", lambda findings: {}["secret"])
    alices.raise_request_exception = False
    for settings.DEBUG in (False, True):
        answer = alices.get("/api/search?q=x")
        is_problem(answer, 500)
        assert "secret" not in answer.text and "Traceback" not in answer.text


def test_a_strange_host_is_told_so_too(alices: Client) -> None:
    is_problem(alices.get("/api/documents", headers={"Host": "evil.example"}), 400)


def test_pages_stay_pages(client: Browser, db: None) -> None:
    assert client.get("/nothing/").headers["Content-Type"].startswith("text/html")
