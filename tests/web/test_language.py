"""Readers are spoken to in their language: chosen, or as the browser asks."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import translation

from apps.web import language

GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}


def spoken(client: Client, **headers: str) -> str:
    """The language of the page Account."""
    page = client.get("/account/", headers=headers)
    told: str = page["Content-Language"]
    assert f'<html lang="{told}"' in page.text
    return told


def test_a_page_speaks_as_the_browser_asks(reader: Client) -> None:
    assert spoken(reader) == "en"
    assert spoken(reader, **GERMAN) == "de"
    assert spoken(reader, **{"Accept-Language": "fr, x;q=nonsense"}) == "en"
    vary = reader.get("/account/", headers=GERMAN)["Vary"]
    assert "Accept-Language" in vary and "Cookie" in vary


def test_troubles_speak_it_too(client: Client) -> None:
    foreign = client.get("/account/", headers={**GERMAN, "Sec-Fetch-Site": "cross-site"})
    assert foreign.status_code == 403 and '<html lang="de"' in foreign.text
    assert (
        '<html lang="en"' in client.get("/nowhere/", headers={"Sec-Fetch-Site": "same-site"}).text
    )


@pytest.mark.django_db
def test_a_choice_is_kept_in_the_browser_and_gone_with_the_last(client: Client) -> None:
    User.objects.create_superuser("olga", password="correct horse battery")
    back = {"Referer": "http://testserver/login/"}
    assert client.post("/language/", {"language": "de"}, headers=back).url == back["Referer"]
    assert '<html lang="de"' in client.get("/login/").text
    client.post("/language/", {"language": "xx"})
    assert client.cookies["language"].value == "de"
    client.post("/language/", {"language": ""})
    assert '<html lang="en"' in client.get("/login/").text


def test_a_choice_goes_with_the_person(reader: Client, alice: User) -> None:
    reader.post("/language/", {"language": "de"})
    other = Client()
    other.post("/login/", {"username": "alice", "password": "correct horse battery"})
    assert spoken(other) == "de"
    other.post("/language/", {"language": ""})
    assert spoken(other) == "en" and spoken(other, **GERMAN) == "de"


def test_workers_speak_what_a_person_chose_or_last_heard(reader: Client, alice: User) -> None:
    def worker_speaks() -> str:
        with language.of(alice):
            return translation.get_language()

    with translation.override("en"):
        assert worker_speaks() == "en"
        reader.get("/account/", headers=GERMAN)
        assert worker_speaks() == "de"
        reader.post("/language/", {"language": "en"}, headers=GERMAN)
        assert worker_speaks() == "en"


@pytest.mark.django_db
def test_styles_and_pictures_speak_no_language(client: Client) -> None:
    answer = client.get("/static/css/vault.css", headers=GERMAN)
    answer.close()
    assert "Content-Language" not in answer and "Accept-Language" not in answer.get("Vary", "")


# Attributes that a comma instead of a point would break.
BROKEN_NUMBER = re.compile(
    r'\b(?:x|y|cx|cy|r|width|height|value|max|min|step)="-?\d+,\d+"|\bd="[^"]*\d,\d\d*,'
)
ENGLISH = re.compile(
    r">\s*(?:Account|Sign out|Library|Progress|Health|Models|Backups|People|Search|Size|Delete)\s*<"
)
PAGES = (
    "account",
    "account/people",
    "account/tokens",
    "account/browsers",
    "health",
    "audit",
    "backups",
    "models",
)


ADMIN = ("/admin/", "/admin/library/document/", "/admin/study/job/")


@pytest.mark.parametrize(
    "page", [*(f"/{name}/" for name in PAGES), "/progress/", "/library/", *ADMIN]
)
def test_pages_are_german_and_their_numbers_whole(reader: Client, page: str) -> None:
    answer = reader.get(page, headers=GERMAN, follow=True)
    assert answer.status_code == 200 and '<html lang="de"' in answer.text
    assert not ENGLISH.search(answer.text)
    assert not BROKEN_NUMBER.search(answer.text)
