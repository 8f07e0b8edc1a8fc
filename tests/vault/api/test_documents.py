"""Documents by the API."""

import pytest
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.test import Client

from apps.library.models import Category, Document, Workspace
from tests.vault.api.conftest import program

JSON = "application/json"


@pytest.fixture
def document(workspace: Workspace) -> Document:
    return Document.objects.create(
        workspace=workspace,
        name="Lease.txt",
        file=ContentFile(b"Notice is three months.", "x"),
        state=Document.State.READY,
    )


def test_documents_come_by_pages(alices: Client, workspace: Workspace) -> None:
    Document.objects.bulk_create(
        Document(workspace=workspace, name=f"{n:02}.txt", state="ready") for n in range(52)
    )
    first = alices.get("/api/documents?sort=name").json()
    assert [each["name"] for each in first["documents"]] == [f"{n:02}.txt" for n in range(50)]
    last = alices.get("/api/documents", {"sort": "name", "after": first["next"]}).json()
    assert [each["name"] for each in last["documents"]] == ["50.txt", "51.txt"]
    assert last["next"] is None


def test_documents_are_filtered(alices: Client, document: Document) -> None:
    for query, number in {
        "q=lease": 1,
        "q=rent": 0,
        "status=trouble": 0,
        "category=none": 1,
    }.items():
        assert len(alices.get(f"/api/documents?{query}").json()["documents"]) == number
    assert alices.get("/api/documents?status=odd").status_code == 422
    assert alices.get("/api/documents?workspace=Office").status_code == 404


def test_a_document_is_renamed_and_moved(alices: Client, document: Document) -> None:
    address = f"/api/documents/{document.pk}"
    letters = Category.objects.create(workspace=document.workspace, name="Letters")
    told = alices.patch(address, {"name": "Contract.txt", "category": letters.pk}, JSON).json()
    assert told["name"] == "Contract.txt" and told["category"]["name"] == "Letters"
    assert alices.patch(address, {}, JSON).json()["category"]["name"] == "Letters"
    assert alices.patch(address, {"category": None}, JSON).json()["category"] is None
    for name in ("", "  ", "a\nb", "x" * 256):
        assert alices.patch(address, {"name": name}, JSON).status_code == 422


def test_a_document_does_not_go_to_another_ones_category(
    alices: Client, bob: User, document: Document
) -> None:
    theirs = Category.objects.create(workspace=bob.workspaces.get(), name="Letters")
    answer = alices.patch(f"/api/documents/{document.pk}", {"category": theirs.pk}, JSON)
    assert answer.status_code == 404


def test_a_file_comes_back_as_it_was_and_inert(alices: Client, document: Document) -> None:
    answer = alices.get(f"/api/documents/{document.pk}/file")
    assert b"".join(answer) == b"Notice is three months."
    assert answer.headers["Content-Disposition"] == 'attachment; filename="Lease.txt"'
    assert "sandbox" in answer.headers["Content-Security-Policy"]
    document.file.delete(save=False)
    assert alices.get(f"/api/documents/{document.pk}/file").status_code == 404


def test_a_document_is_read_again_stopped_and_deleted(alices: Client, document: Document) -> None:
    address = f"/api/documents/{document.pk}"
    told = alices.post(f"{address}/retry")
    assert told.status_code == 202 and told.json()["state"] == "queued"
    assert alices.post(f"{address}/cancel").json()["state"] == "cancelled"
    assert alices.delete(address).status_code == 204
    assert alices.get(address).status_code == 404 and not Document.objects.exists()


def test_reading_is_not_enough_to_delete(alice: User, document: Document) -> None:
    answer = program(alice, "read").delete(f"/api/documents/{document.pk}")
    assert answer.status_code == 403 and Document.objects.exists()
