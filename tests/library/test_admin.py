"""The library in Django's admin."""

from pathlib import Path

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse

from apps.library.models import ChunkVector, Document
from tests.library.papers import add, essay, finish

LIST = "admin:library_document_changelist"


@pytest.fixture(autouse=True)
def folder(settings, tmp_path) -> Path:
    settings.MEDIA_ROOT = tmp_path
    return tmp_path


@pytest.fixture
def document(workspace, ollama) -> Document:
    document = add(workspace, essay(3), "zeppelin.md")
    finish(document)
    return document


def act(reader, action: str, document: Document) -> None:
    answer = reader.post(
        reverse(LIST), {"action": action, "_selected_action": [document.pk], "post": "yes"}
    )
    assert answer.status_code == 302
    if Document.objects.filter(pk=document.pk).exists():
        document.refresh_from_db()


def test_the_list_tells_how_documents_stand(reader, document, django_assert_max_num_queries):
    for number in range(5):
        add(document.workspace, essay(2), f"{number}.md")
    with django_assert_max_num_queries(20):
        page = reader.get(reverse(LIST), {"q": "zeppelin"}).content.decode()
    assert "zeppelin.md" in page
    assert "Ready" in page
    assert "alice" in page


def test_one_document_is_shown_and_changes_its_category_only(reader, document):
    url = reverse("admin:library_document_change", args=[document.pk])
    assert document.sha256 in reader.get(url).content.decode()
    reader.post(url, {"category": "", "name": "other.md", "state": "queued"})
    document.refresh_from_db()
    assert (document.name, document.state) == ("zeppelin.md", "ready")


def test_documents_are_read_and_embedded_again(reader, document):
    act(reader, "read_again", document)
    assert (document.state, document.revision) == ("queued", 2)
    finish(document)
    act(reader, "learn_again", document)
    assert (document.state, ChunkVector.objects.count()) == ("learning", 0)


def test_only_what_went_wrong_is_tried_again(reader, document):
    act(reader, "retry_failed", document)
    assert document.state == "ready"
    Document.objects.update(state="failed")
    act(reader, "retry_failed", document)
    assert document.state == "queued"


def test_deleting_discards_and_keeps_no_name(reader, document, folder):
    act(reader, "delete_selected", document)
    assert not Document.objects.exists()
    assert not LogEntry.objects.filter(object_repr__contains="zeppelin").exists()


def test_deleting_one_discards_it_too(reader, document):
    url = reverse("admin:library_document_delete", args=[document.pk])
    assert reader.post(url, {"post": "yes"}).status_code == 302
    assert not ChunkVector.objects.exists()
    assert not LogEntry.objects.exists()


def test_who_is_no_superuser_finds_nothing(client, bob):
    client.force_login(bob)
    assert client.get(reverse(LIST)).status_code == 404
