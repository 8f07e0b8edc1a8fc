"""What a person does with documents: rename, move, read again, stop, download, delete."""

import pytest
from django.core.files.base import ContentFile
from django.test import Client

from apps.library.models import Category, Document, Workspace

HTMX = {"HX-Request": "true"}
HOSTILE = b"<script>alert(1)</script>"
State = Document.State


@pytest.fixture
def lease(workspace: Workspace) -> Document:
    return Document.objects.create(
        workspace=workspace,
        name="Lease.html",
        format="html",
        file=ContentFile(HOSTILE, "Lease.html"),
        size=len(HOSTILE),
        state=State.READY,
    )


def at(document: Document, act: str) -> str:
    return f"/library/documents/{document.pk}/{act}/"


def test_a_document_is_renamed(reader, lease):
    page = reader.post(at(lease, "rename"), {"name": "Lease 2026.html"}, follow=True)
    assert "<h1>Lease 2026<wbr>" in page.text and ">Lease 2026.html</li>" in page.text


def test_a_name_must_be_something(reader, lease):
    page = reader.post(at(lease, "rename"), {"name": " "}, follow=True)
    assert "Not renamed" in page.text
    reader.post(at(lease, "rename"), {"name": "x" * 256})
    lease.refresh_from_db()
    assert lease.name == "Lease.html"


def test_a_document_is_moved_and_taken_out_again(reader, lease):
    category = Category.objects.create(workspace=lease.workspace, name="Letters")
    part = reader.post(at(lease, "move"), {"category": category.pk}, headers=HTMX)
    assert 'id="receipt"' in part.text and "Moved" in part.text and "<h1>" not in part.text
    lease.refresh_from_db()
    assert lease.category == category
    reader.post(at(lease, "move"), {"category": ""})
    lease.refresh_from_db()
    assert lease.category is None


def test_a_document_never_moves_into_another_workspace(reader, lease, bob):
    foreign = Category.objects.create(workspace=bob.workspaces.get(), name="Theirs")
    assert reader.post(at(lease, "move"), {"category": foreign.pk}).status_code == 404


@pytest.mark.parametrize("state", [State.READY, State.FAILED, State.REFUSED, State.CANCELLED])
def test_a_document_is_read_again(reader, lease, state):
    Document.objects.update(state=state)
    reader.post(at(lease, "retry"))
    lease.refresh_from_db()
    assert lease.state == State.QUEUED


def test_reading_is_stopped(reader, lease):
    Document.objects.update(state=State.READING)
    page = reader.post(at(lease, "cancel"), follow=True)
    lease.refresh_from_db()
    assert lease.state == State.CANCELLED and "Try again" in page.text


def test_a_download_is_an_inert_attachment(reader, lease):
    answer = reader.get(at(lease, "download"))
    assert b"".join(answer) == HOSTILE
    assert answer["Content-Disposition"].startswith("attachment")
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer["Content-Security-Policy"]


def test_a_file_that_is_gone_is_not_found(reader, lease):
    lease.file.storage.delete(lease.file.name)
    assert reader.get(at(lease, "download")).status_code == 404


def test_a_document_is_deleted_after_a_question(reader, lease):
    assert "Delete “Lease.html”?" in reader.get(at(lease, "delete")).text
    assert Document.objects.exists()
    page = reader.post(at(lease, "delete"), follow=True)
    assert "Deleted “Lease.html”" in page.text and not Document.objects.exists()


def test_the_receipt_follows_until_the_document_is_read(reader, lease):
    Document.objects.update(state=State.LEARNING, done=4, total=10)
    part = reader.get(at(lease, "receipt"), headers=HTMX)
    assert "learning meaning 40 %" in part.text and "every 2s" in part.text
    assert "HX-Trigger" not in part.headers
    Document.objects.update(state=State.READY)
    part = reader.get(at(lease, "receipt"), headers=HTMX)
    assert "every 2s" not in part.text and "library:read" in part["HX-Trigger"]
    assert reader.get(at(lease, "receipt")).status_code == 302


@pytest.fixture
def three(workspace: Workspace) -> list[Document]:
    return [
        Document.objects.create(
            workspace=workspace,
            name=f"{n}.txt",
            state=State.FAILED,
            file=ContentFile(b"x", "x"),
        )
        for n in range(3)
    ]


def ticked(documents: list[Document], **more) -> dict[str, object]:
    return {"document": [document.pk for document in documents], **more}


def test_ticked_documents_are_moved_together(reader, workspace, three):
    category = Category.objects.create(workspace=workspace, name="Letters")
    page = reader.post(
        "/library/selection/move/", ticked(three[:2], category=category.pk), follow=True
    )
    assert "Moved 2 documents to Letters" in page.text and category.documents.count() == 2


def test_ticked_documents_are_read_again(reader, three):
    reader.post("/library/selection/retry/", ticked(three))
    assert set(Document.objects.values_list("state", flat=True)) == {State.QUEUED}


def test_ticked_documents_are_deleted_after_a_question(reader, three):
    page = reader.post("/library/selection/delete/", ticked(three[:2]))
    assert "Delete 2 documents?" in page.text and Document.objects.count() == 3
    reader.post("/library/selection/delete/", ticked(three[:2], confirmed="1"))
    assert list(Document.objects.all()) == [three[2]]


def test_nothing_ticked_is_told(reader, three):
    page = reader.post("/library/selection/delete/", {}, follow=True)
    assert "Tick documents first" in page.text and Document.objects.count() == 3


def test_a_strangers_documents_cannot_be_ticked(client: Client, bob, three):
    client.force_login(bob)
    client.post("/library/selection/delete/", ticked(three, confirmed="1"))
    assert Document.objects.count() == 3


def test_the_page_of_a_document_deleted_meanwhile_says_so(reader, lease):
    gone = at(lease, "retry")
    lease.delete()
    told = reader.post(gone, headers=HTMX | {"HX-Target": "aside#receipt"})
    assert told.status_code == 404 and told["HX-Retarget"] == "#main"
    assert "no longer here" in told.text and 'href="/library/"' in told.text
    assert reader.post(gone, headers=HTMX)["HX-Retarget"] == "#messages"


def test_a_document_can_be_asked_and_searched_from_its_page(reader, lease):
    page = reader.get(lease.get_absolute_url()).text
    assert "Search in it" not in page, "nothing of it is found yet"
    Document.objects.update(chunk_count=3)
    page = reader.get(lease.get_absolute_url()).text
    assert f'href="/search/?document={lease.pk}"' in page
    assert 'action="/chat/ask/"' in page and f'name="documents" value="{lease.pk}"' in page
    other = Workspace.objects.create(owner=lease.workspace.owner, name="Elsewhere")
    Document.objects.update(workspace=other)
    page = reader.get(lease.get_absolute_url()).text
    assert f"?document={lease.pk}&amp;everywhere=1" in page and 'action="/chat/ask/"' not in page


def test_a_category_with_too_long_a_name_is_told_the_limit(reader, workspace):
    page = reader.post("/library/categories/new/", {"name": "x" * 150})
    assert page.status_code == 422 and "x" * 150 in page.text
    assert "at most 80 characters, and this one has 150" in page.text
