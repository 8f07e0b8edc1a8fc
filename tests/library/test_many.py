"""Acts on many documents: by one statement, or in the background, and at once on every page."""

import pytest
from django.urls import reverse

from apps.library import discarding, ingestion, tasks
from apps.library.models import Category, Chunk, Document, Workspace
from apps.library.search import search
from tests.library.papers import add, essay, finish
from tests.library.passages import document

pytestmark = pytest.mark.django_db(transaction=True)
State = Document.State
DELETE, RETRY = "/library/selection/delete/", "/library/selection/retry/"


@pytest.fixture
def many(workspace):
    """Thirty documents of a word and a number each; more than are deleted at once."""
    made = [document(workspace, f"note-{n:02}.txt", [f"pelican number {n}"]) for n in range(30)]
    for each in made:
        each.file.name = f"documents/{each.pk}"
        each.save()
    return made


def test_thousands_are_deleted_by_the_worker_and_gone_from_pages_at_once(reader, workspace, many):
    page = reader.post(DELETE, {"every": "?q=note"}).text
    assert "Delete 30 documents?" in page and "and 10 more" in page
    page = reader.post(DELETE, {"every": "?q=note", "confirmed": "1"}, follow=True).text
    assert "Deleting 30 documents" in page and "30 being deleted" in page
    assert "note-00.txt" not in page and "every 2s" in page
    assert Document.objects.count() == 30
    assert search(workspace, "pelican").hits == []
    for address in (many[0].get_absolute_url(), Chunk.objects.all()[0].get_absolute_url()):
        assert reader.get(address).status_code == 404
    while discarding.is_due():
        assert tasks.discard() > 0
    assert not Document.objects.exists() and not Chunk.objects.exists()


def test_a_deletion_that_was_interrupted_goes_on(workspace, many):
    assert ingestion.discard_soon(workspace.documents.all()) == 30
    assert discarding.go_on(seconds=0) == discarding.BATCH
    assert discarding.is_due()
    tasks.sweep()
    assert discarding.go_on(seconds=60) == 5
    assert not discarding.is_due()


def test_a_few_are_deleted_at_once(reader, many):
    ids = [each.pk for each in many[:3]]
    page = reader.post(DELETE, {"document": ids, "confirmed": "1"}, follow=True).text
    assert "Deleted 3 documents" in page
    assert Document.objects.count() == 27


def test_the_same_name_again_is_a_new_document_while_the_old_one_goes(workspace, ollama):
    old = add(workspace, essay(2))
    Document.objects.update(state=State.DELETING)
    new = add(workspace, essay(2))
    assert new.pk != old.pk
    assert finish(new) == "ready"
    discarding.go_on()
    assert list(Document.objects.all()) == [new]


def test_a_worker_does_not_touch_what_is_being_deleted(workspace, ollama):
    paper = add(workspace, essay(2))
    Document.objects.update(state=State.DELETING)
    assert ingestion.work(paper.pk) == "deleting"
    assert ingestion.work_next() == "idle"


def test_every_stands_for_what_the_list_shows_and_not_for_more(reader, workspace, many):
    other = document(workspace, "letter.txt", ["a letter"])
    Document.objects.filter(pk=many[0].pk).update(state=State.FAILED)
    reader.post(RETRY, {"every": "?q=note"})
    states = dict(Document.objects.values_list("pk", "state"))
    assert states.pop(other.pk) == State.READY
    assert set(states.values()) == {State.QUEUED}
    revisions = set(Document.objects.filter(name__startswith="note").values_list("revision"))
    assert revisions == {(1,), (2,)}, "the failed one goes on, the others begin anew"


def test_nothing_ticked_is_told(reader, many):
    assert "Tick documents first" in reader.post(DELETE, {"every": ""}, follow=True).text


def test_another_persons_documents_are_not_among_all(client, bob, many):
    client.force_login(bob)
    client.post(DELETE, {"every": "?q=", "confirmed": "1"})
    assert Document.objects.exclude(state=State.READY).count() == 0


def test_the_bar_offers_all_where_the_list_has_more_pages(reader, workspace, many):
    assert 'name="every"' not in reader.get(reverse("library:document_list")).text
    Document.objects.bulk_create(
        Document(workspace=workspace, name=f"more-{n}.txt", state="ready") for n in range(40)
    )
    page = reader.get(reverse("library:document_list")).text
    assert 'name="every"' in page and "All 70" in page


def test_a_category_of_many_is_gone_at_once(reader, workspace, many):
    category = workspace.categories.create(name="Notes")
    workspace.documents.update(category=category)
    ingestion.discard_category(category)
    assert not workspace.categories.exists()
    assert not Document.objects.owned_by(workspace.owner).exists()


def test_a_workspace_of_many_is_gone_at_once_and_its_name_is_free(reader, workspace, many):
    """The worker goes on with the documents, and a killed one where it was."""
    workspace.categories.create(name="Notes")
    reader.post(f"/library/workspaces/{workspace.pk}/delete/")
    page = reader.get("/library/workspaces/").text
    assert "Deleted the workspace" in page and "30 documents" not in page
    assert reader.get(many[0].get_absolute_url()).status_code == 404
    assert reader.get(f"/library/workspaces/{workspace.pk}/delete/").status_code == 404
    assert not Category.objects.exists() and Document.objects.count() == 30
    reader.post("/library/workspaces/new/", {"name": workspace.name})
    late = document(workspace, "late.txt", ["came while it was deleted"])
    assert discarding.go_on(seconds=0) == discarding.BATCH
    while discarding.is_due():
        tasks.discard()
    assert not Document.objects.filter(pk=late.pk).exists() and not Chunk.objects.exists()
    assert Workspace.objects.filter(owner=workspace.owner).exclude(pk=workspace.pk).exists()
    assert not Workspace.objects.filter(pk=workspace.pk).exists()
