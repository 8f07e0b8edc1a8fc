"""The graphs over vectors of very large workspaces: made, walked where nothing narrows, let go."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection

from apps.library import analysis, graphs, indexing, queue, ranking, scrubbing, tasks
from apps.library.models import ChunkVector, EmbeddingSet, VectorStatistic
from apps.library.search import Scope, search
from tests.benchmarks.search import filled_workspace, made_texts, made_vectors
from tests.library.passages import document, vectors
from tests.library.test_ranking import plan

PASSAGES = 1200
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def large(monkeypatch) -> Iterator[SimpleNamespace]:
    """A workspace of more passages than are compared one by one, its set of vectors in use."""
    monkeypatch.setattr(graphs, "MANY", PASSAGES - 1)
    made = made_vectors(PASSAGES)
    with filled_workspace(made_texts(20), made) as (workspace, embedding_set, documents):
        EmbeddingSet.objects.update(state="active")
        yield SimpleNamespace(
            workspace=workspace, set=embedding_set, documents=documents, vectors=made
        )
        graphs.drop()


def names() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT relname FROM pg_class WHERE relname LIKE 'chunk_vector_graph%'")
        return [row[0] for row in cursor.fetchall()]


def nearest(large: SimpleNamespace, row: int, **more: Any) -> list[int]:
    found = ranking.rank(
        large.workspace,
        analysis.Question("en", False, [], []),
        vector=indexing.vector_text(large.vectors[row]),
        embedding_set=large.set.pk,
        usual=0.0,
        **more,
    )
    return [passage.chunk_id for passage in found]


def indexes(large: SimpleNamespace, documents: list[int] | None = None, **more: Any) -> set[str]:
    nodes = plan(large.workspace, "unheard", documents, **more)
    return {node["Index Name"] for node in nodes if "Index Name" in node}


def test_a_graph_is_made_once_a_workspace_is_large(large, alice):
    small = document(alice.workspaces.get(), "one.txt", ["red"])
    vectors(small, large.set, made_vectors(1))
    assert graphs.is_due()
    assert not graphs.is_there(large.workspace.pk, large.set.pk)
    assert graphs.tend() == 1
    assert names() == [graphs.name(large.workspace.pk, large.set.pk)]
    assert graphs.is_there(large.workspace.pk, large.set.pk)
    assert not graphs.is_due()
    assert graphs.tend() == 0


def test_the_sweep_asks_for_it_and_the_worker_makes_it(large, monkeypatch):
    asked = []
    monkeypatch.setattr(queue, "async_task", lambda task, **more: asked.append((task, more)))
    tasks.sweep()
    ((task, more),) = [each for each in asked if each[0] == queue.GRAPH]
    assert more["q_options"]["timeout"] > 600  # one long statement, not a slice
    assert task == "apps.library.tasks.graph"
    assert tasks.graph() == 1


def test_what_is_nearest_is_found_by_the_graph_as_without_it(large):
    graphs.tend()
    shares = []
    for row in range(0, PASSAGES, 100):
        exact, walked = nearest(large, row), nearest(large, row, graph=True)
        assert len(walked) == ranking.DEPTH
        shares.append(len({*exact} & {*walked}) / len(exact))
    assert sum(shares) / len(shares) >= 0.99


def test_the_graph_is_walked_where_nothing_narrows_and_nowhere_else(large):
    graphs.tend()
    made = graphs.name(large.workspace.pk, large.set.pk)
    with connection.cursor() as cursor:  # so few would as well be sorted
        cursor.execute("SET enable_sort = off")
    try:
        assert made in indexes(large, statement=ranking.BY_GRAPH)
        assert made not in indexes(large)
        assert made not in indexes(large, large.documents[:2])
        assert made not in indexes(large, literally="'unheard'")
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET enable_sort")


def test_a_search_walks_it_unless_it_is_narrowed(large, ollama, monkeypatch):
    walked = []
    rank = ranking.rank

    def watched(*args: Any, **more: Any) -> list[ranking.Ranked]:
        walked.append(more["graph"])
        return rank(*args, **more)

    monkeypatch.setattr(ranking, "rank", watched)
    spelled = indexing.vector_text(large.vectors[0])
    monkeypatch.setattr("apps.library.meaning.question_vector", lambda model, question: spelled)
    search(large.workspace, "anything")
    graphs.tend()
    search(large.workspace, "anything")
    search(large.workspace, "anything", scope=Scope(documents=tuple(large.documents)))
    search(large.workspace, "anything", phrases=["any thing"])
    assert walked == [False, True, False, False]


def test_what_is_deleted_is_made_up_for(large):
    graphs.tend()
    gone = nearest(large, 0)
    ChunkVector.objects.filter(chunk_id__in=gone).delete()
    assert len(nearest(large, 0, graph=True)) == ranking.DEPTH
    assert not {*gone} & {*nearest(large, 0, graph=True)}


def test_nobody_elses_passages_are_found_by_it(large, alice):
    graphs.tend()
    theirs = document(alice.workspaces.get(), "theirs.txt", ["red"])
    vectors(theirs, large.set, large.vectors[:1])
    assert theirs.chunks.get().pk not in nearest(large, 0, graph=True)


def test_it_goes_where_a_workspace_has_shrunk_or_its_set_is_retired(large):
    graphs.tend()
    VectorStatistic.objects.update(passages=PASSAGES - 100)
    assert not graphs.is_due()  # a few less are no reason to make it again soon
    VectorStatistic.objects.update(passages=PASSAGES // 2)
    assert graphs.is_due()
    assert graphs.tend() == 1
    assert names() == []


def test_one_that_could_not_be_made_waits_for_the_night(large):
    graphs.tend()
    name = graphs.name(large.workspace.pk, large.set.pk)
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = to_regclass(%s)", [name]
        )
    assert not graphs.is_there(large.workspace.pk, large.set.pk)
    assert not graphs.is_due()
    graphs.drop(broken_only=True)
    assert names() == []
    assert graphs.is_due()


def test_a_rewrite_of_the_tables_does_not_make_it_under_a_lock(large):
    graphs.tend()
    assert scrubbing.scrub(however_large=True)
    assert names() == []
