"""Uploads, passages, workspaces, study and progress by the API."""

import json
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from apps.library.models import Category, Document, Workspace
from apps.progress import ledger
from apps.progress.kinds import Kind
from apps.study.models import Card, Deck, Lesson, Mindmap, Question, Quiz, Workshop
from tests.chat.conftest import add_document
from tests.vault.api.conftest import program

JSON = "application/json"
TREE = {"label": "Lease", "chunk": None, "children": [{"label": "Notice", "children": []}]}


def file(text: bytes = b"Notice is three months.", name: str = "Lease.txt") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, text)


# --- uploads ----------------------------------------------------------------------------------
def test_a_file_is_taken_in_once(alices: Client) -> None:
    first = alices.post("/api/documents", {"file": file(), "category": "Letters"})
    assert first.json()["document"]["changed_at"] is None
    assert first.status_code == 202 and first.json()["status"] == "queued"
    document = first.json()["document"]
    assert document["category"]["name"] == "Letters" and document["state"] == "queued"
    again = alices.post("/api/documents", {"file": file(), "category": "Letters"})
    assert again.status_code == 200 and again.json()["status"] == "unchanged"
    other = alices.post("/api/documents", {"file": file(name="Copy.txt")})
    assert other.json()["twin"] == {"id": document["id"], "name": "Lease.txt"}
    told = alices.get("/api/ingestion").json()
    assert told["states"]["queued"] == 2 and len(told["unfinished"]) == 2


def test_a_program_may_say_when_a_file_was_changed(alices: Client) -> None:
    def told(name: str, date: str) -> str | None:
        sent = alices.post("/api/documents", {"file": file(name=name), "changed_at": date})
        return str(sent.json()["document"]["changed_at"]) if sent.status_code == 202 else None

    assert (told("a.txt", "2024-03-15T10:30:00+01:00") or "")[:16] == "2024-03-15T10:30"
    assert (told("b.txt", "2024-03-15") or "")[:7] == "2024-03"
    assert told("c.txt", "2345-01-01") == "None", "that cannot be true"
    for nonsense in ("yesterday", "0.5", "1710495000", "2024-03-15T09"):
        assert told("d.txt", nonsense) is None
    assert told("e.txt", "") == told("f.txt", "2024-13-01") == "None"
    operation = alices.get("/api/openapi.json").text
    assert "When the file itself was last changed, as 2024" in operation


def test_another_persons_copy_is_no_twin(alices: Client, bobs: Client) -> None:
    alices.post("/api/documents", {"file": file()})
    assert bobs.post("/api/documents", {"file": file()}).json()["twin"] is None


def test_what_cannot_be_taken_in_is_explained(alices: Client, settings: Settings) -> None:
    assert alices.post("/api/documents", {"file": file(b"")}).status_code == 422
    assert alices.post("/api/documents", {"category": "x"}).status_code == 422
    assert alices.post("/api/documents", b"{}", JSON).status_code == 415
    assert alices.post("/api/documents", {"file": file(), "workspace": "no"}).status_code == 404
    settings.UPLOAD_LIMIT_MB = 1
    answer = alices.post("/api/documents", {"file": file(b"x" * (1 << 20) + b"y")})
    assert answer.status_code == 413 and "VAULT_UPLOAD_LIMIT_MB" in answer.json()["detail"]
    settings.UPLOAD_LIMIT_MB = 0
    answer = alices.post("/api/documents", {"file": file(b"x" * (17 << 20))})
    assert answer.status_code == 413
    settings.UPLOAD_LIMIT_MB, settings.FREE_DISK_MB = 1, 1 << 40
    answer = alices.post("/api/documents", {"file": file()})
    assert answer.status_code == 507 and "Make room" in answer.json()["detail"]
    assert not Document.objects.exists()


def test_a_name_with_a_path_in_it_is_only_a_name(alices: Client) -> None:
    told = alices.post("/api/documents", {"file": file(name="../../etc/passwd")}).json()
    assert told["document"]["name"] == "passwd"


# --- what was read ----------------------------------------------------------------------------
def test_text_comes_passage_by_passage(alices: Client, workspace: Workspace) -> None:
    chunk = add_document(workspace, "Sea.md", "p. 4", "Tides rise because the moon pulls.")
    address = f"/api/documents/{chunk.document_id}/passages"
    told = alices.get(f"{address}?limit=1").json()
    assert told["passages"][0]["text"] == chunk.text and told["next"] is None
    assert alices.get(f"{address}?after=0").json()["passages"] == []
    assert alices.get(f"/api/passages/{chunk.pk}").json()["locator"]["label"] == "p. 4"
    covered = alices.get(f"/api/documents/{chunk.document_id}/coverage").json()
    assert covered["passages"] == 1 and covered["read"] == 0


def test_a_receipt_tells_what_it_took(alices: Client, workspace: Workspace) -> None:
    document = Document.objects.create(
        workspace=workspace,
        name="a.pdf",
        state="ready",
        notice="Page 3 is empty.\nA picture was too large.",
        timings={"read": 1.5},
    )
    told = alices.get(f"/api/documents/{document.pk}/receipt").json()
    assert told["left_out"] == ["Page 3 is empty.", "A picture was too large."]
    assert told["seconds"] == {"read": 1.5} and told["standing"]["words"] == "Ready"


# --- workspaces -------------------------------------------------------------------------------
def test_workspaces_are_made_renamed_and_deleted(alices: Client) -> None:
    made = alices.post("/api/workspaces", {"name": "Office"}, JSON)
    assert made.status_code == 201
    address = f"/api/workspaces/{made.json()['id']}"
    assert alices.post("/api/workspaces", {"name": "office"}, JSON).status_code == 409
    assert alices.patch(address, {"name": "HOME"}, JSON).status_code == 409
    assert alices.patch(address, {"name": "OFFICE"}, JSON).json()["name"] == "OFFICE"
    assert [each["name"] for each in alices.get("/api/workspaces").json()] == ["Home", "OFFICE"]
    assert alices.delete(address).status_code == 204 and alices.get(address).status_code == 404


def test_a_category_goes_without_its_documents_or_with_them(
    alices: Client, workspace: Workspace
) -> None:
    places = f"/api/workspaces/{workspace.pk}/categories"
    for choice, left in (("keep", 1), ("delete", 0)):
        made = alices.post(places, {"name": choice}, JSON).json()
        category = Category.objects.get(pk=made["id"])
        workspace.documents.all().delete()
        stored = ContentFile(b"x", "x")
        workspace.documents.create(name="a.txt", category=category, state="ready", file=stored)
        assert alices.get(places).json() == [made | {"documents": 1}]
        answer = alices.delete(f"/api/categories/{category.pk}?documents={choice}")
        assert answer.status_code == 204 and workspace.documents.count() == left
    assert not workspace.categories.exists()


# --- study and progress -----------------------------------------------------------------------
@pytest.fixture
def practice(alice: User, workspace: Workspace) -> None:
    mine = {"owner": alice, "workspace": workspace, "title": "Lease"}
    quiz = Quiz.objects.create(**mine)
    Question.objects.create(
        quiz=quiz, ordinal=0, type="mcq", stem="?", options=["a", "b"], answer=1, quote="Notice"
    )
    deck, past = Deck.objects.create(**mine), timezone.now() - timedelta(days=1)
    Card.objects.create(deck=deck, ordinal=0, front="?", back="!", guid="g", due_at=past)
    Card.objects.create(deck=deck, ordinal=1, front="new", back="!", guid="h")
    workshop = Workshop.objects.create(**mine, objectives=["Know it."])
    Lesson.objects.create(workshop=workshop, ordinal=0, title="Notice", core="Three months [1].")
    Mindmap.objects.create(**mine, tree=TREE)


@pytest.mark.usefixtures("practice")
def test_what_was_made_to_practise_can_be_read(alices: Client) -> None:
    found = {}
    for kind in ("quizzes", "decks", "workshops", "mindmaps"):
        (item,) = alices.get(f"/api/study/{kind}?q=lea").json()
        assert item["title"] == "Lease" and item["url"].startswith("http://testserver/study/")
        found[kind] = alices.get(f"/api/study/{kind}/{item['id']}").json()
        assert alices.get(f"/api/study/{kind}?q=rent").json() == []
    assert found["quizzes"]["questions"][0]["proof"]["quote"] == "Notice"
    assert [card["front"] for card in found["decks"]["cards"]] == ["?", "new"]
    assert found["workshops"]["lessons"][0]["core"] == "Three months [1]."
    assert found["mindmaps"]["tree"] == TREE


@pytest.mark.usefixtures("practice")
def test_due_cards_wait(alices: Client) -> None:
    told = alices.get("/api/study/due").json()
    assert (told["due"], told["new"]) == (1, 1)
    assert [card["front"] for card in told["cards"]] == ["?"]


def test_progress_is_told_in_figures_days_and_badges(alices: Client, alice: User) -> None:
    ledger.record(alice, Kind.CHAT_MESSAGE)
    for _ in range(3):
        facts = {"document": "7", "document_name": "Lease.pdf", "section": "Notice"}
        ledger.record(alice, Kind.QUIZ_ANSWERED, correct=False, **facts)
    told = alices.get("/api/progress").json()
    assert told["sessions"] == 1 and told["messages"] == 1 and told["studied_today"]
    (day,) = alices.get("/api/progress/days?days=1").json()
    assert sum(day["acts"].values()) == 4
    badges = alices.get("/api/progress/badges").json()
    assert len(badges) == 25 and badges[0]["code"] == "first_question"
    (topic,) = alices.get("/api/progress/weak-topics").json()
    assert topic["document_id"] == 7 and topic["wrong"] == 3
    export = alices.get("/api/progress/export")
    assert len(json.loads(b"".join(export))["events"]) == 4
    table = b"".join(alices.get("/api/progress/export.csv")).decode()
    assert len(table.splitlines()) == 5


def test_others_progress_is_not_told(alices: Client, alice: User, bob: User) -> None:
    ledger.record(alice, Kind.CHAT_MESSAGE)
    bobs = program(bob)
    assert bobs.get("/api/progress").json()["messages"] == 0
    assert bobs.get("/api/progress/days").json() == []
    assert json.loads(b"".join(bobs.get("/api/progress/export")))["events"] == []
