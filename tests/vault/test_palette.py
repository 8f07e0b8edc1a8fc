"""The palette finds what a person can go to, and nothing of anybody else."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.chat.models import Conversation
from apps.library import workspaces
from apps.library.models import Document, Workspace
from apps.study.models import Deck, Quiz
from apps.vault import palette


def titles(person: User, workspace: Workspace, wanted: str) -> list[str]:
    return [place.title for place in palette.places(person, workspace, wanted)]


@pytest.fixture
def furnished(alice: User, workspace: Workspace) -> Workspace:
    Document.objects.create(workspace=workspace, name="Lease of the harbour.pdf")
    Conversation.objects.create(owner=alice, workspace=workspace, title="When does the lease end?")
    Quiz.objects.create(owner=alice, workspace=workspace, title="Lease law")
    Deck.objects.create(owner=alice, workspace=workspace, title="Words of the lease")
    Workspace.objects.create(owner=alice, name="Old leases")
    return workspace


def test_a_word_finds_a_thing_of_every_kind(alice: User, furnished: Workspace) -> None:
    assert set(titles(alice, furnished, "lease")) == {
        "Lease of the harbour.pdf",
        "When does the lease end?",
        "Lease law",
        "Words of the lease",
        "Old leases",
        "Search for “lease”",
        "Ask “lease”",
    }


def test_what_begins_with_the_words_comes_first(alice: User, furnished: Workspace) -> None:
    assert titles(alice, furnished, "lease l")[0] == "Lease law"
    assert titles(alice, furnished, "LEASE")[0].startswith("Lease")


def test_all_words_must_be_there_in_any_order(alice: User, furnished: Workspace) -> None:
    assert titles(alice, furnished, "harbour lease")[:1] == ["Lease of the harbour.pdf"]
    assert titles(alice, furnished, "harbour quiz")[:-2] == []


def test_nothing_of_another_person_is_found(bob: User, furnished: Workspace) -> None:
    home = workspaces.first_of(bob)
    assert titles(bob, home, "lease")[:-2] == []


def test_pages_of_owners_are_not_shown_to_members(bob: User, alice: User) -> None:
    home = workspaces.first_of(bob)
    assert "Backups" not in titles(bob, home, "back")
    bob.is_superuser = True
    assert "Backups" in titles(bob, home, "back")


def test_nothing_typed_shows_pages_and_the_last_conversations(
    alice: User, furnished: Workspace
) -> None:
    found = titles(alice, furnished, "  ")
    assert found[0] == "Chat" and found[-1] == "When does the lease end?"


@pytest.mark.parametrize("wanted", ["%", "_", "\0", "<b>", "a" * 5000, "'; --", "\\"])
def test_odd_letters_are_only_letters(reader: Client, workspace: Workspace, wanted: str) -> None:
    answer = reader.get("/go/", {"q": wanted}, headers={"HX-Request": "true"})
    assert answer.status_code == 200 and b"<b>" not in answer.content


def test_it_asks_little_of_the_database(alice: User, furnished: Workspace) -> None:
    with CaptureQueriesContext(
        connection,
    ) as asked:
        titles(alice, furnished, "lease")
    assert len(asked) <= 4


def test_the_page_offers_the_same_as_links_and_forms(reader: Client, furnished: Workspace) -> None:
    page = reader.get("/go/", {"q": "lease"}).content.decode()
    assert "Lease law" in page and 'action="/chat/ask/"' in page and 'name="question"' in page
    part = reader.get("/go/", {"q": "lease"}, headers={"HX-Request": "true"}).content.decode()
    assert 'role="option"' in part and "<h1" not in part


def test_the_keys_are_listed(reader: Client, workspace: Workspace) -> None:
    assert b"Ctrl K" in reader.get("/shortcuts/").content
