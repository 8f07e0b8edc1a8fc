"""The library in Django's admin."""

from pathlib import Path

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse

from apps.library import reembedding
from apps.library.models import ChunkVector, Document, EmbeddingSet
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
    reader.get(reverse(LIST))  # the session keeps the section from here on
    with django_assert_max_num_queries(10):
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


def test_documents_are_moved_within_their_workspace(reader, document, bob):
    theirs = add(bob.workspaces.get(), essay(2), "theirs.md")
    category = document.workspace.categories.create(name="Letters")
    choice = {
        "action": "move",
        "category": category.pk,
        "_selected_action": [document.pk, theirs.pk],
    }
    page = reader.post(reverse(LIST), choice, follow=True).text
    assert "Moved to Letters: 1." in page and "in another workspace: 1." in page
    document.refresh_from_db()
    theirs.refresh_from_db()
    assert (document.category, theirs.category) == (category, None)


def test_trouble_is_found_at_once(reader, document):
    broken = add(document.workspace, b"%PDF-1.7 broken", "broken.pdf")
    finish(broken)
    page = reader.get(reverse(LIST), {"trouble": "stopped"}).text
    assert "broken.pdf" in page and "zeppelin.md" not in page and broken.reason[:40] in page
    page = reader.get(reverse(LIST), {"trouble": "stalled"}).text
    assert "broken.pdf" not in page and "zeppelin.md" not in page


def test_the_list_leads_to_the_queue_the_failures_the_sets_and_health(reader, document):
    page = reader.get(reverse(LIST)).text
    for address in ("/admin/django_q/ormq/", "/admin/django_q/failure/", "/health/"):
        assert f'href="{address}"' in page
        assert reader.get(address).status_code == 200
    assert reverse("admin:library_embeddingset_changelist") in page


def test_embedding_sets_are_gone_back_to_and_discarded(reader, document, ollama):
    url = reverse("admin:library_embeddingset_changelist")
    ollama.has("bge-small", "embedding", dimensions=128)
    reembedding.begin("bge-small")
    assert reembedding.go_on(seconds=60) == "switched"
    old = EmbeddingSet.objects.get(model="embeddinggemma")
    choice = {"action": "use", "_selected_action": [old.pk]}
    reader.post(url, choice)
    assert EmbeddingSet.objects.get(state="active") == old
    choice = {
        "action": "discard",
        "_selected_action": list(EmbeddingSet.objects.values_list("pk", flat=True)),
    }
    reader.post(url, choice)
    assert dict(EmbeddingSet.objects.values_list("model", "state")) == {
        "embeddinggemma": "active",
        "bge-small": "gone",
    }
    assert reader.get(f"{url}add/").status_code == 403
