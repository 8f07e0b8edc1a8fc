"""Search and ask by the API, as other programs do."""

from typing import Any
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from apps.library.models import Workspace
from tests.chat.conftest import add_document
from tests.fake_ollama import FakeOllama
from tests.vault.api.conftest import program

JSON = "application/json"


@pytest.fixture
def alice(transactional_db: None) -> User:
    person = User.objects.create_superuser("alice", password="correct horse battery")
    home = Workspace.objects.create(owner=person, name="Home")
    add_document(home, "Sea.md", "p. 4", "Tides rise because the moon pulls the oceans.")
    add_document(home, "Sky.md", "p. 9", "The sun makes tides rise as well, but less.")
    return person


@pytest.fixture
def bob(alice: User) -> User:
    person = User.objects.create_user("bob", password="correct horse battery")
    Workspace.objects.create(owner=person, name="Home")
    return person


def test_a_search_finds_passages_with_their_places(alices: Client, ollama: FakeOllama) -> None:
    told = alices.get("/api/search?q=why do tides rise&limit=1").json()
    (hit,) = told["hits"]
    assert hit["document"] == "Sea.md" and hit["locator"]["label"] == "p. 4"
    assert hit["place_by_words"] == 1 and hit["band"] in ("strong", "check")
    assert hit["url"] == f"http://testserver/library/passages/{hit['id']}/"
    assert told["workspace"]["name"] == "Home" and told["milliseconds"]["search"] > 0


def test_a_search_stays_in_its_scope(alices: Client, ollama: FakeOllama) -> None:
    for wanted in ({"q": "tides", "scope": ["Sky.md"]}, {"q": "tides in:Sky.md"}):
        told = alices.post("/api/search", wanted, JSON).json()
        assert {hit["document"] for hit in told["hits"]} == {"Sky.md"}
    assert alices.get("/api/search?q=tides&scope=Sky.md&scope=Sea.md").json()["hits"]


@pytest.mark.parametrize("act", ["search?q=tides", "query"])
def test_what_is_not_there_is_named(alices: Client, act: str) -> None:
    if act == "query":
        strange = alices.post("/api/query", {"message": "?", "workspace": "Office"}, JSON)
        lost = alices.post("/api/query", {"message": "?", "scope": ["Moon.md"]}, JSON)
    else:
        strange = alices.get(f"/api/{act}&workspace=Office")
        lost = alices.get(f"/api/{act}&scope=Moon.md")
    assert strange.status_code == 404 and "Office" in strange.json()["detail"]
    assert lost.status_code == 404 and "Moon.md" in lost.json()["detail"]


def test_an_operator_without_sense_is_explained(alices: Client) -> None:
    answer = alices.get("/api/search?q=tides after:soon")
    assert answer.status_code == 422 and "2024-05" in answer.json()["detail"]


def test_an_answer_names_its_sources(alices: Client, ollama: FakeOllama) -> None:
    ollama.says("Tides rise because the moon pulls the oceans [1].")
    told = alices.post("/api/query", {"message": "Why do tides rise?"}, JSON).json()
    assert told["answer"] == "Tides rise because the moon pulls the oceans [1]."
    assert not told["refused"] and told["model"] == "fake" and told["mode"] == "vault"
    first = told["sources"][0]
    assert first["document"] == "Sea.md" and first["cited"] and "moon" in first["quote"]
    assert first["url"].endswith("/") and told["seconds"] > 0


def test_what_the_documents_do_not_hold_is_refused_without_a_model(
    alices: Client, ollama: FakeOllama
) -> None:
    told = alices.post("/api/query", {"message": "zebra crossing"}, JSON).json()
    assert told["refused"] and told["model"] == ""


def test_a_model_that_fails_is_told_as_such(alices: Client, ollama: FakeOllama) -> None:
    ollama.breaks_off_after("Tides")
    answer = alices.post("/api/query", {"message": "Why do tides rise?"}, JSON)
    assert answer.status_code == 503 and answer.headers["Retry-After"]
    unknown = {"message": "Why do tides rise?", "model": "nothing:1b"}
    answer = alices.post("/api/query", unknown, JSON)
    assert answer.status_code == 503 and "nothing:1b" in answer.json()["detail"]


def test_another_person_finds_nothing(bobs: Client, ollama: FakeOllama) -> None:
    assert bobs.get("/api/search?q=tides").json()["hits"] == []
    assert bobs.get("/api/search?q=tides&scope=Sea.md").status_code == 404
    told = bobs.post("/api/query", {"message": "Why do tides rise?"}, JSON).json()
    assert told["refused"] and told["sources"] == []


def test_reading_is_enough_to_ask(alice: User, ollama: FakeOllama) -> None:
    assert program(alice, "read").get("/api/search?q=tides").status_code == 200
    assert program(alice, "write").get("/api/search?q=tides").status_code == 403


def test_the_web_is_asked_what_the_program_says_and_nothing_else(
    alices: Client, ollama: FakeOllama, web: Any, settings: Settings
) -> None:
    settings.WEB_SEARCH = web.url("/html/", host="search.test")
    text = "Tides rise because the moon pulls the water of the oceans, says the web. " * 4
    page = web.shows("/moon", f"<html><body><article><p>{text}</p></article></body></html>")
    link = f"//duckduckgo.com/l/?uddg={quote(page, safe='')}"
    web.shows("/html/?q=tides", f'<a class="result__a" href="{link}">All of tides</a>')
    ollama.says("The moon pulls the water of the oceans [1].")
    asked = {"message": "Why do tides rise? My secret is 4711.", "mode": "web"}
    told = alices.post("/api/query", asked | {"web_query": "tides"}, JSON).json()
    assert told["mode"] == "web" and told["sources"][0]["url"] == page
    assert told["sources"][0]["document_id"] is None and told["sources"][0]["cited"]
    assert "4711" not in str(web.heard)


def test_a_web_that_cannot_be_asked_is_told(
    alices: Client, ollama: FakeOllama, settings: Settings
) -> None:
    settings.WEB_SEARCH = "http://127.0.0.1:9/"
    answer = alices.post("/api/query", {"message": "Why do tides rise?", "mode": "web"}, JSON)
    assert answer.status_code == 503
    assert "The web could not be asked" in answer.json()["detail"]
