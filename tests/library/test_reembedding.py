"""Another embedding model: everything is learned again beside what is in use, and back."""

import pytest

from apps.library import indexing, ingestion, reembedding, tasks
from apps.library.meaning import question_vector
from apps.library.models import Chunk, ChunkVector, EmbeddingSet, VectorStatistic
from apps.library.search import search
from apps.llm import client
from apps.llm.client import ModelError
from tests.library.papers import add, essay, finish

pytestmark = pytest.mark.django_db(transaction=True)
OLD, NEW = "embeddinggemma", "bge-small"


@pytest.fixture
def models(ollama):
    """Two embedders whose vectors are of different lengths."""
    question_vector.cache_clear()
    ollama.has(NEW, "embedding", dimensions=128)
    return ollama


@pytest.fixture
def birds(workspace, models):
    document = add(workspace, essay(12), "birds.md")
    assert finish(document) == "ready"
    return document


def states() -> dict[str, str]:
    return dict(EmbeddingSet.objects.values_list("model", "state"))


def asked_for(models, model: str) -> list[str]:
    """The questions that were embedded with a model."""
    bodies = [heard.body for heard in models.heard if heard.path == "/api/embed"]
    return [body["input"] for body in bodies if body["model"] == model]


def test_it_is_filled_beside_the_one_in_use_and_then_used(workspace, birds, models):
    assert reembedding.begin(NEW).state == "building"
    found = search(workspace, "What did the bittern do at the weir?")
    assert (found.notice, found.hits[0].place_by_meaning) == ("", 1)
    assert len(asked_for(models, NEW)) == 1, "only to try it out"

    assert reembedding.go_on(seconds=0) in {"building", "switched"}
    while reembedding.go_on() == "building":
        pass
    assert states() == {OLD: "retired", NEW: "active"}
    found = search(workspace, "Where was the spoonbill seen?")
    assert (found.notice, found.hits[0].place_by_meaning) == ("", 1)
    assert len(asked_for(models, NEW)[-1][0]) > 0
    assert VectorStatistic.objects.filter(embedding_set__model=NEW).get().passages == 12


def test_search_stays_with_the_old_one_while_a_passage_is_missing(workspace, birds, models):
    reembedding.begin(NEW)
    chosen = EmbeddingSet.objects.get(model=NEW)
    first = Chunk.objects.order_by("pk")[:5]
    vectors = client.embed([chunk.text for chunk in first], "passage", model=NEW)
    indexing.add_vectors(birds, chosen, list(first), vectors)
    assert states()[OLD] == "active"
    assert [standing.vectors for standing in reembedding.standings()] == [12, 5]
    assert search(workspace, "the heron").notice == ""


def test_going_back_is_at_once_where_nothing_came_meanwhile(workspace, birds, models):
    reembedding.begin(NEW)
    assert reembedding.go_on(seconds=60) == "switched"
    assert reembedding.begin(OLD).state == "active"
    assert states() == {OLD: "active", NEW: "retired"}
    assert search(workspace, "the coot").hits[0].place_by_meaning


def test_going_back_learns_what_came_meanwhile_first(workspace, birds, models):
    reembedding.begin(NEW)
    reembedding.go_on()
    late = add(workspace, essay(3, typo=" A late one."), "late.md")
    assert finish(late) == "ready"
    assert ChunkVector.objects.filter(document_id=late.pk, embedding_set__model=OLD).count() == 0
    assert reembedding.begin(OLD).state == "building"
    assert reembedding.go_on(seconds=60) == "switched"
    assert ChunkVector.objects.filter(embedding_set__model=OLD).count() == Chunk.objects.count()


def test_a_document_that_is_being_learned_when_it_switches_is_learned_in_the_new_one(
    workspace, birds, models
):
    other = add(workspace, essay(40), "long.md")
    while ingestion.work(other.pk, seconds=0) != "learning":
        pass
    ingestion.work(other.pk, seconds=0)
    chosen = EmbeddingSet.objects.create(model=NEW, dimensions=128, state="retired")
    EmbeddingSet.objects.filter(model=OLD).update(state="retired")
    EmbeddingSet.objects.filter(pk=chosen.pk).update(state="active")
    assert finish(other) == "ready"
    count = ChunkVector.objects.filter(document_id=other.pk, embedding_set=chosen).count()
    assert count == other.chunk_count


def test_documents_go_first(workspace, birds, models):
    reembedding.begin(NEW)
    add(workspace, essay(2), "new.md")
    assert reembedding.go_on() == "waiting"
    assert ChunkVector.objects.filter(embedding_set__model=NEW).count() == 0


def test_a_model_that_is_gone_is_told_and_asked_again(workspace, birds, models):
    reembedding.begin(NEW)
    models.lacks(NEW)
    assert reembedding.go_on() == "waiting"
    assert "not installed" in EmbeddingSet.objects.get(model=NEW).reason
    assert search(workspace, "the rail").notice == ""
    models.has(NEW, "embedding", dimensions=128)
    assert reembedding.go_on(seconds=60) == "switched"
    assert EmbeddingSet.objects.get(model=NEW).reason == ""


def test_a_discarded_set_leaves_no_vector(workspace, birds, models):
    reembedding.begin(NEW)
    reembedding.go_on()
    reembedding.discard(EmbeddingSet.objects.get(model=OLD))
    assert reembedding.go_on() == "idle"
    assert states() == {NEW: "active"}
    assert ChunkVector.objects.count() == Chunk.objects.count()
    assert not VectorStatistic.objects.filter(embedding_set__model=OLD).exists()


def test_the_one_in_use_is_not_discarded_nor_one_the_settings_ask_for(birds, models, settings):
    with pytest.raises(reembedding.NotPossible, match="in use"):
        reembedding.discard(EmbeddingSet.objects.get(model=OLD))
    reembedding.begin(NEW)
    settings.EMBED_MODEL = NEW
    with pytest.raises(reembedding.NotPossible, match="VAULT_EMBED_MODEL"):
        reembedding.discard(EmbeddingSet.objects.get(model=NEW))


def test_a_model_that_makes_no_vectors_or_is_not_there_is_refused(birds, models):
    for name in ("nowhere", "fake:latest"):
        with pytest.raises(ModelError):
            reembedding.begin(name)
    assert states() == {OLD: "active"}


def test_the_settings_naming_another_model_begins_it_once(workspace, birds, models, settings):
    assert reembedding.look() is False
    settings.EMBED_MODEL = NEW
    tasks.sweep()
    assert states() == {OLD: "active", NEW: "building"}
    reembedding.go_on()
    reembedding.begin(OLD)  # the owner goes back, whatever the settings say
    tasks.sweep()
    assert states() == {OLD: "active", NEW: "retired"}


def test_where_the_model_in_use_is_gone_another_takes_its_place(workspace, birds, models, settings):
    models.lacks(OLD)
    models.has("multilingual-e5-small", "embedding", dimensions=64)
    client.forget()
    question_vector.cache_clear()
    assert "not installed" in search(workspace, "the ibis").notice
    assert reembedding.look() is True
    assert reembedding.go_on(seconds=60) == "switched"
    assert search(workspace, "the ibis").notice == ""


def test_a_model_that_gives_other_vectors_than_before_is_learned_again(workspace, birds, models):
    models.has(OLD, "embedding", dimensions=256)
    client.forget()
    question_vector.cache_clear()
    assert "another model than it was" in search(workspace, "the ibis").notice
    assert reembedding.look() is True
    assert reembedding.go_on(seconds=60) == "switched"
    assert search(workspace, "the ibis").hits[0].place_by_meaning


def test_a_document_deleted_meanwhile_does_no_harm(workspace, birds, models):
    other = add(workspace, essay(4, typo=" Other."), "other.md")
    finish(other)
    reembedding.begin(NEW)
    ingestion.discard(birds)
    assert reembedding.go_on(seconds=60) == "switched"
    assert ChunkVector.objects.filter(embedding_set__model=NEW).count() == other.chunk_count
