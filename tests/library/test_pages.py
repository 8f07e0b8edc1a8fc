"""Web pages as documents: added by their address, told apart by their content, refused in words."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from apps.library import ingestion, pages
from apps.library.models import Document, Workspace
from tests.fake_ollama import FakeOllama
from tests.fake_web import FakeWeb
from tests.library.papers import finish

STORY = """<html><head><title>Tides &amp; moons</title></head><body><nav>Home Shop Login</nav>
<article><h1>Tides and moons</h1><p>The tide follows the moon, and the harbour follows the tide.
Twice a day the water leaves the basin, and twice a day it comes back.</p><h2>Neap tides</h2>
<p>When sun and moon pull at right angles, {neap}.</p></article><footer>Imprint</footer></body>"""


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path / "files"


def test_a_page_becomes_a_document_with_its_title_and_source(
    reader: Client, workspace: Workspace, web: FakeWeb, ollama: FakeOllama
) -> None:
    url = web.shows("/tides", STORY.format(neap="the tides are small"))
    shelf = workspace.categories.create(name="Sea")
    answer = reader.post("/library/pages/add/", {"url": url, "category": shelf.pk}, follow=True)
    assert "Fetching “news.test tides”" in answer.text and "Fetching from news.test" in answer.text
    assert web.heard == [], "the worker fetches, not the request"
    document = Document.objects.get()
    assert (document.source, document.category, document.state) == (url, shelf, "fetching")
    assert finish(document) == "ready" and document.name == "Tides & moons.html"
    assert document.title == "Tides & moons" and document.format == "html"
    text = " ".join(document.chunks.values_list("text", flat=True))
    assert "follows the moon" in text and "Imprint" not in text and "Login" not in text
    page = reader.get(document.get_absolute_url()).text
    assert url in page and "Fetch again" in page

    refresh = f"/library/documents/{document.pk}/refresh/"
    web.shows("/tides", STORY.format(neap="the tides are small") + "<!-- 12:31:07 -->")
    page = reader.post(refresh, follow=True).text
    assert "Fetching “Tides &amp; moons.html” again" in page and "follows the moon" in page
    assert finish(document) == "ready" and document.revision == 1, "other bytes, the same text"
    assert "nothing new" in reader.get(document.get_absolute_url()).text
    web.shows("/tides", STORY.format(neap="the tides are smallest"))
    reader.post(refresh)
    assert finish(document) == "ready" and document.revision == 2
    assert document.chunks.filter(text__contains="smallest").exists()
    assert "nothing new" not in reader.get(document.get_absolute_url()).text
    assert pages.add(workspace, url).document == document  # the same address, the same document
    assert "is being read" in reader.post(refresh, follow=True).text, "it is fetched already"


def test_other_kinds_of_file_go_the_usual_way(
    workspace: Workspace, web: FakeWeb, ollama: FakeOllama
) -> None:
    table = pages.add(
        workspace, web.shows("/export?x=1", "name,fee\nAda,17\n", "text/csv")
    ).document
    assert finish(table) == "ready" and (table.name, table.format) == ("export.csv", "csv")
    note = pages.add(
        workspace, web.shows("/a/note.md", "# Fees\n\n17 pounds", "text/plain")
    ).document
    assert finish(note) == "ready" and (note.name, note.format) == ("note.md", "markdown")
    bad = pages.add(workspace, web.shows("/p.pdf", "%PDF-1.7 x", "application/pdf")).document
    assert finish(bad) == "refused" and bad.name == "p.pdf"


def test_the_declared_encoding_is_believed(
    workspace: Workspace, web: FakeWeb, ollama: FakeOllama
) -> None:
    body = "<title>Кошки</title><p>Кошка спит на подоконнике весь день.".encode("koi8-r")
    document = pages.add(workspace, web.shows("/cat", body, "text/html; charset=koi8-r")).document
    assert finish(document) == "ready" and document.name == "Кошки.html"
    assert "Кошка спит" in document.chunks.get().text


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://127.0.0.1:11434/api/tags", "Port 11434"), ("http://169.254.169.254/", "network"),
        ("file:///etc/passwd", "http:// or https://"), ("not an address", "spaces"),
        ("http://localhost/", "no name of a public"), ("", "required"),
    ],
)  # fmt: skip
def test_refusals_are_told_on_the_page(
    reader: Client, workspace: Workspace, web: FakeWeb, url: str, words: str
) -> None:
    answer = reader.post("/library/pages/add/", {"url": url})
    assert answer.status_code == 422 and words in answer.text
    assert not Document.objects.exists()


def test_what_only_the_fetch_tells_stands_on_the_document_and_can_be_tried_again(
    reader: Client, workspace: Workspace, web: FakeWeb, ollama: FakeOllama
) -> None:
    document = pages.add(workspace, web.shows("/tides", "gone", status=410)).document
    assert finish(document) == "failed"
    page = reader.get(document.get_absolute_url()).text
    assert "has no page at this address (410)" in page and "Try again" in page
    assert reader.get(f"/library/documents/{document.pk}/download/").status_code == 404
    web.shows("/tides", STORY)
    reader.post(f"/library/documents/{document.pk}/retry/")
    assert finish(document) == "ready" and document.revision == 1
    web.names["inside.test"] = ["10.0.0.1"]
    inside = pages.add(workspace, web.url("/x", "inside.test")).document
    assert finish(inside) == "failed" and "machine or its network" in inside.reason


def test_a_page_that_is_gone_leaves_the_document_as_it_was(
    reader: Client, workspace: Workspace, web: FakeWeb, ollama: FakeOllama
) -> None:
    document = pages.add(workspace, web.shows("/x", STORY)).document
    finish(document)
    web.shows("/x", "gone", status=410)
    reader.post(f"/library/documents/{document.pk}/refresh/")
    assert finish(document) == "ready" and document.revision == 1
    page = reader.get(document.get_absolute_url()).text
    assert "has no page at this address (410)" in page and "Fetch again" in page


def test_stopping_and_deleting_do_not_wait_for_the_web(
    reader: Client, workspace: Workspace, web: FakeWeb, ollama: FakeOllama
) -> None:
    document = pages.add(workspace, web.shows("/x", STORY)).document
    reader.post(f"/library/documents/{document.pk}/cancel/")
    assert finish(document) == "cancelled" and web.heard == []
    ingestion.retry(document)
    assert finish(document) == "ready"
    pages.refresh(document)
    ingestion.cancel(document)
    assert document.state == "ready" and document.chunk_count
    pages.refresh(document)
    ingestion.discard(document)
    assert not Document.objects.exists()


def test_uploads_and_others_documents_are_not_fetched(
    reader: Client, client: Client, workspace: Workspace, bob: User, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("x")
    with (tmp_path / "a.txt").open("rb") as stream:
        document = ingestion.accept(workspace, stream, "a.txt").document
    answer = reader.post(f"/library/documents/{document.pk}/refresh/", follow=True)
    assert "was not added from the web" in answer.text
    client.force_login(bob)
    assert client.post(f"/library/documents/{document.pk}/refresh/").status_code == 404


def test_a_file_of_the_same_bytes_is_not_taken_for_a_moved_page(
    workspace: Workspace, web: FakeWeb, tmp_path: Path
) -> None:
    page = pages.add(workspace, web.shows("/note.txt", "same bytes", "text/plain")).document
    ingestion.work(page.pk)
    path = tmp_path / "note.txt"
    path.write_text("same bytes")
    with path.open("rb") as stream:
        accepted = ingestion.accept(workspace, stream, "note.txt", source=str(path))
    assert accepted.document != page and accepted.twin == page
