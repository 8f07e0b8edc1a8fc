"""What search reads is written exactly, taken away exactly, and by two at once without a knot."""

import threading

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.db import connection, connections, transaction

from apps.library import analysis, indexing
from apps.library.models import (
    ChunkVector,
    ChunkWords,
    EmbeddingSet,
    TermStatistic,
    VectorStatistic,
    WordStatistic,
    Workspace,
)
from apps.library.ranking import rank
from tests.library.passages import document, vectors

COUNTED = """
SELECT word, ndoc FROM ts_stat('SELECT lexemes FROM library_chunkwords WHERE workspace_id = %s')
"""


@pytest.fixture
def embedding_set(db) -> EmbeddingSet:
    return EmbeddingSet.objects.create(model="toy", dimensions=3, state="active")


def statistics(workspace: Workspace) -> dict[str, int]:
    rows = TermStatistic.objects.filter(workspace=workspace)
    return dict(rows.values_list("word", "passages"))


def counted(workspace: Workspace) -> dict[str, int]:
    """The same figures from the rows themselves."""
    with connection.cursor() as cursor:
        cursor.execute(COUNTED % workspace.pk)
        return dict(cursor.fetchall())


def assert_exact(workspace: Workspace) -> None:
    assert statistics(workspace) == counted(workspace)
    rows = ChunkWords.objects.filter(workspace_id=workspace.pk)
    statistic = WordStatistic.objects.get(workspace=workspace)
    assert statistic.passages == rows.count()
    assert statistic.words == sum(rows.values_list("length", flat=True))


def test_words_are_counted_as_they_come_and_go(workspace):
    first = document(workspace, "one.txt", ["a red bridge", "a blue bridge bridge"])
    document(workspace, "two.txt", ["a green bridge", "a river"])
    assert statistics(workspace)["bridg"] == 3
    assert_exact(workspace)
    indexing.remove(first, [chunk.pk for chunk in first.chunks.all()])
    assert statistics(workspace)["bridg"] == 1
    assert "red" not in statistics(workspace)
    assert_exact(workspace)


def test_adding_twice_changes_nothing(workspace):
    made = document(workspace, "one.txt", ["a red bridge"])
    before = statistics(workspace)
    indexing.add_words(made, list(made.chunks.all()))
    assert statistics(workspace) == before
    assert_exact(workspace)


def test_removing_twice_changes_nothing(workspace):
    document(workspace, "two.txt", ["a red bridge"])
    made = document(workspace, "one.txt", ["a red bridge"])
    for _ in range(2):
        indexing.remove(made, [chunk.pk for chunk in made.chunks.all()])
    assert_exact(workspace)


def test_nobody_removes_passages_of_another_document(workspace):
    made = document(workspace, "one.txt", ["a red bridge"])
    other = document(workspace, "two.txt", ["a blue bridge"])
    indexing.remove(made, [chunk.pk for chunk in other.chunks.all()])
    assert statistics(workspace)["bridg"] == 2


def test_a_renamed_document_is_found_by_its_new_name_only(workspace):
    made = document(workspace, "zebra.txt", ["a red bridge"])
    made.name = "giraffe.txt"
    made.save()
    indexing.rename(made)
    assert "giraff" in statistics(workspace)
    assert "zebra" not in statistics(workspace)
    assert_exact(workspace)


def test_a_row_knows_whose_it_is_and_who_wrote_it(workspace):
    made = document(workspace, "one.txt", ["a red bridge"])
    row = ChunkWords.objects.get()
    assert (row.document_id, row.workspace_id) == (made.pk, workspace.pk)
    assert (row.owner_id, row.analyser) == (workspace.owner_id, analysis.VERSION)


def test_languages_of_five_percent_are_asked(workspace):
    english = [f"The river and the bridge are in the valley number {n}." for n in range(40)]
    document(workspace, "en.txt", english)
    german = document(workspace, "de.txt", ["Der Fluss und die Brücke sind in dem Tal."] * 3)
    assert WordStatistic.objects.get().languages == ["en", "de"]
    indexing.remove(german, [chunk.pk for chunk in german.chunks.all()])
    indexing.refresh_statistics(workspace, None)
    assert WordStatistic.objects.get().languages == ["en"]


def test_vectors_are_missing_until_they_are_added(workspace, embedding_set):
    made = document(workspace, "one.txt", ["red", "blue", "green"])
    chunks = indexing.missing_vectors(made, embedding_set, 2)
    assert [chunk.text for chunk in chunks] == ["red", "blue"]
    indexing.add_vectors(made, embedding_set, chunks, np.eye(3, dtype="float32")[:2])
    assert [c.text for c in indexing.missing_vectors(made, embedding_set, 9)] == ["green"]


def test_a_stored_vector_stays_as_it_was(workspace, embedding_set):
    made = document(workspace, "one.txt", ["red"])
    vectors(made, embedding_set, [[1, 0, 0]])
    vectors(made, embedding_set, [[0, 1, 0]])
    assert ChunkVector.objects.get().embedding == [1, 0, 0]


def test_vectors_of_equal_passages_are_copied(workspace, embedding_set):
    first = document(workspace, "one.txt", ["red", "blue"])
    vectors(first, embedding_set, [[1, 0, 0], [0, 1, 0]])
    second = document(workspace, "two.txt", ["blue", "green"])
    left = indexing.reuse_vectors(second, embedding_set, list(second.chunks.all()))
    assert [chunk.text for chunk in left] == ["green"]
    copied = ChunkVector.objects.get(document_id=second.pk)
    assert copied.embedding == [0, 1, 0]


def test_vectors_of_a_stranger_are_never_copied(workspace, bob, embedding_set):
    theirs = document(bob.workspaces.get(), "one.txt", ["red"])
    vectors(theirs, embedding_set, [[1, 0, 0]])
    mine = document(workspace, "two.txt", ["red"])
    assert len(indexing.reuse_vectors(mine, embedding_set, list(mine.chunks.all()))) == 1


def test_the_centroid_follows_the_vectors(workspace, embedding_set):
    made = document(workspace, "one.txt", ["red", "blue"])
    vectors(made, embedding_set, [[1, 0, 0], [0, 1, 0]])
    statistic = VectorStatistic.objects.get()
    assert (statistic.passages, statistic.centroid) == (2, [0.5, 0.5, 0])
    indexing.remove(made, [chunk.pk for chunk in made.chunks.all()])
    indexing.refresh_statistics(workspace, embedding_set)
    assert not VectorStatistic.objects.exists()


def test_removing_takes_the_vectors_too(workspace, embedding_set):
    made = document(workspace, "one.txt", ["red", "blue"])
    vectors(made, embedding_set, [[1, 0, 0], [0, 1, 0]])
    first = made.chunks.first()
    assert first
    indexing.remove(made, [first.pk])
    assert [row.chunk.text for row in ChunkVector.objects.all()] == ["blue"]


@pytest.mark.django_db(transaction=True)
def test_two_workers_on_one_workspace_end_with_exact_statistics():
    owner = User.objects.create_user("alice")
    workspace = Workspace.objects.create(owner=owner, name="Home")
    texts = [[f"{word} {n} shared words here" for n in range(20)] for word in ("red", "blue")]
    made = [document(workspace, f"{n}.txt", lines) for n, lines in enumerate(texts)]
    failures: list[Exception] = []
    start = threading.Barrier(2)

    def churn(mine, backwards: bool) -> None:
        chunks = list(mine.chunks.all())
        try:
            start.wait(10)
            for n in range(15):
                part = chunks[n:] if backwards else chunks[: len(chunks) - n]
                with transaction.atomic():
                    indexing.remove(mine, [chunk.pk for chunk in part])
                    indexing.add_words(mine, part)
        except Exception as failure:
            failures.append(failure)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=churn, args=(d, n == 1)) for n, d in enumerate(made)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []
    assert_exact(workspace)


def test_a_passage_of_no_language_is_near_to_nothing(workspace, embedding_set):
    texts = ["A barn by the river", "❚❘❙❚❘❙❚❘❙", "A boat by the sea"]
    made = document(workspace, "bars.txt", texts)
    vectors(made, embedding_set, [[1, 0, 0], [0.9, 0.1, 0], [0, 1, 0]])
    indexing.refresh_statistics(workspace, embedding_set)
    statistic = VectorStatistic.objects.get(workspace=workspace)
    assert (statistic.passages, statistic.centroid) == (2, [0.5, 0.5, 0])
    asked = analysis.question("zanzibar", ["en"])
    near = rank(workspace, asked, vector="[0.9,0.1,0]", embedding_set=embedding_set.pk, usual=0.0)
    bars = made.chunks.get(text=texts[1]).pk
    assert [passage.chunk_id for passage in near].index(bars) == 2
    assert near[2].score == 0


def test_what_was_learned_of_ornaments_is_forgotten_when_it_is_analysed_again(
    workspace, embedding_set
):
    made = document(workspace, "bars.txt", ["A barn by the river", "❚❘❙❚❘❙❚❘❙"])
    vectors(made, embedding_set, [[1, 0, 0], [0, 1, 0]])
    ChunkVector.objects.update(embedding=[0.6, 0.8, 0])
    indexing.renew_words(made, list(made.chunks.all()))
    kept = ChunkVector.objects.order_by("chunk_id").values_list("embedding", flat=True)
    assert [any(each.to_list() if hasattr(each, "to_list") else each) for each in kept] == [
        True,
        False,
    ]
