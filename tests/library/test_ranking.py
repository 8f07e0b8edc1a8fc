"""The statement itself: both legs, their votes, and the plans PostgreSQL makes for it."""

import json
from typing import Any

import numpy as np
import pytest
from django.db import connection

from apps.library import analysis, indexing, ranking
from apps.library.models import Document, EmbeddingSet, LanguageCentroid, Workspace
from apps.library.ranking import Ranked, rank
from tests.benchmarks.search import filled_workspace, made_texts, made_vectors
from tests.library.passages import document, vectors

FILLER = [f"Chapter {n} tells of the weather." for n in range(20)]


@pytest.fixture
def embedding_set(db) -> EmbeddingSet:
    return EmbeddingSet.objects.create(model="toy", dimensions=3, state="active")


def ranked(
    workspace: Workspace,
    question: str,
    vector: list[float],
    embedding_set: EmbeddingSet,
    **more: Any,
) -> list[Ranked]:
    asked = analysis.question(question, ["en"])
    spelled = indexing.vector_text(np.asarray(vector, dtype="float32"))
    return rank(workspace, asked, vector=spelled, embedding_set=embedding_set.pk, usual=0.0, **more)


def test_a_passage_without_any_word_of_the_question_is_found_by_meaning(workspace, embedding_set):
    made = document(workspace, "one.txt", ["Canine", "Feline", *FILLER])
    vectors(made, embedding_set, [[1, 0, 0], [0, 1, 0], *[[0, 0, 1]] * 20])
    best = ranked(workspace, "dogs", [0.99, 0.1, 0], embedding_set)[0]
    assert best.chunk_id == made.chunks.get(text="Canine").pk
    assert (best.place_by_words, best.place_by_meaning) == (None, 1)
    assert best.similarity == pytest.approx(0.99, abs=0.01)


def test_what_both_legs_find_comes_first(workspace, embedding_set):
    texts = ["A dog by the river", "A dog in the house", "A hound by the sea", *FILLER]
    made = document(workspace, "one.txt", texts)
    vectors(made, embedding_set, [[0, 1, 0], [1, 0, 0], [0.95, 0.3, 0], *[[0, 0, 1]] * 20])
    best = ranked(workspace, "dog", [1, 0, 0], embedding_set)[0]
    assert best.chunk_id == made.chunks.get(text="A dog in the house").pk
    assert best.place_by_words and best.place_by_meaning == 1
    assert 0 < best.score <= 1


@pytest.mark.parametrize("question", ["How much is the deposit?", "How many? How much?"])
def test_how_much_asks_for_nothing_by_itself(workspace, embedding_set, question):
    made = document(workspace, "one.txt", ["The deposit is 1,680 euros.", *FILLER])
    vectors(made, embedding_set, [[1, 0, 0], *[[0, 0, 1]] * 20])
    best = ranked(workspace, question, [1, 0, 0], embedding_set)[0]
    assert best.chunk_id == made.chunks.get(ordinal=0).pk
    assert best.coverage == (1 if "deposit" in question else 0)


def test_an_identifier_silences_meaning(workspace, embedding_set):
    made = document(workspace, "one.txt", ["CVE-2024-1", "CVE-2024-2", *FILLER])
    vectors(made, embedding_set, [[0, 1, 0], [1, 0, 0], *[[0, 0, 1]] * 20])
    found = ranked(workspace, "CVE-2024-1", [1, 0, 0], embedding_set)
    assert found[0].chunk_id == made.chunks.get(text="CVE-2024-1").pk
    assert all(passage.place_by_meaning is None for passage in found)
    assert found[0].identified == 1


def test_an_identifier_nobody_has_is_missing(workspace, embedding_set):
    made = document(workspace, "one.txt", FILLER)
    vectors(made, embedding_set, [[0, 0, 1]] * 20)
    found = ranked(workspace, "CVE-1999-77", [1, 0, 0], embedding_set)
    assert found[0].missing == 1


def test_other_sets_and_strangers_are_not_scanned(workspace, bob, embedding_set):
    other = EmbeddingSet.objects.create(model="other", dimensions=2)
    made = document(workspace, "one.txt", ["red", "blue"])
    vectors(made, other, [[1, 0], [0, 1]])
    theirs = document(bob.workspaces.get(), "two.txt", ["red"])
    vectors(theirs, embedding_set, [[1, 0, 0]])
    assert ranked(workspace, "unheard", [1, 0, 0], embedding_set) == []


def test_meaning_alone_decides_where_no_word_is_left(workspace, embedding_set):
    made = document(workspace, "one.txt", ["red", "blue"])
    vectors(made, embedding_set, [[1, 0, 0], [0, 1, 0]])
    found = ranked(workspace, "?!", [0, 1, 0], embedding_set)
    assert found[0].chunk_id == made.chunks.get(text="blue").pk


def test_headings_outweigh_the_body(workspace, embedding_set):
    document(workspace, "a.txt", ["notice notice notice and more of the same"])
    titled = document(workspace, "b.txt", ["three months"], heading="Notice")
    document(workspace, "c.txt", FILLER)
    found = ranked(workspace, "notice", [1, 0, 0], embedding_set)
    assert found[0].chunk_id == titled.chunks.get().pk


def plan(
    workspace: Workspace,
    words: str,
    documents: list[int] | None,
    *,
    statement: str = ranking.HYBRID,
    literally: str = "",
) -> list[dict[str, Any]]:
    """Every node of the statement's plan."""
    asked = analysis.question(words, ["en"])
    embedding_set = EmbeddingSet.objects.get()
    parameters = ranking.parameters(
        workspace,
        asked,
        vector=indexing.vector_text(made_vectors(1)[0]),
        embedding_set=embedding_set.pk,
        usual=0.0,
        documents=documents,
        literally=literally,
    )
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN (ANALYZE, FORMAT JSON) " + statement, parameters)
        top = cursor.fetchone()[0]
    nodes, left = [], [(json.loads(top) if isinstance(top, str) else top)[0]["Plan"]]
    while left:
        node = left.pop()
        nodes.append(node)
        left += node.get("Plans", [])
    return nodes


@pytest.mark.django_db(transaction=True)
def test_a_rare_word_and_a_scope_are_looked_up_in_indexes():
    texts = made_texts(4000)
    texts[7] += " zanzibar"
    with filled_workspace(texts, made_vectors(4000)) as (workspace, _, documents):
        rare = plan(workspace, "zanzibar", None)
        scoped = plan(workspace, f"zanzibar {texts[0][:40]}", documents[:2])
    indexes = [node.get("Index Name") for node in rare]
    assert "chunk_words_lexemes" in indexes
    scans = [n["Relation Name"] for n in rare if n["Node Type"] == "Seq Scan"]
    assert "library_chunkwords" not in scans
    scans = {n.get("Relation Name") for n in scoped if n["Node Type"] == "Seq Scan"}
    assert not scans & {"library_chunkwords", "library_chunkvector"}
    assert "chunk_vector_scope" in [node.get("Index Name") for node in scoped]


def test_a_passage_is_compared_with_those_in_its_own_language(workspace, embedding_set):
    english = document(workspace, "book.txt", [f"Chapter {n} of the book." for n in range(10)])
    vectors(english, embedding_set, [[0.9, 0.436, 0]] * 10)
    texts = ["Die Katze schläft.", *[f"Kapitel {n} vom Regen." for n in range(9)]]
    german = document(workspace, "buch.txt", texts, language="de")
    vectors(german, embedding_set, [[0.89, 0.456, 0], *[[0.3, 0.954, 0]] * 9])
    kept = LanguageCentroid.objects.filter(workspace=workspace)
    assert sorted(kept.values_list("language", "passages")) == [("de", 10), ("en", 10)]
    best = ranked(workspace, "feline", [1, 0, 0], embedding_set, languages={"en": 80, "de": 12})[0]
    assert best.chunk_id == german.chunks.get(ordinal=0).pk
    assert (best.place_by_meaning, best.language) == (1, "de")


def a_book_and_a_letter(workspace, embedding_set, pages: int) -> int:
    """Many English passages, all nearer than the one German one, whose id comes back."""
    english = document(workspace, "book.txt", [f"Chapter {n} of the book." for n in range(pages)])
    near = np.random.default_rng(7).uniform(0.5, 0.6, pages)
    vectors(english, embedding_set, [[0.8, each, 0] for each in near])
    texts = ["Die Katze schläft.", *[f"Kapitel {n} vom Regen." for n in range(11)]]
    german = document(workspace, "brief.txt", texts, language="de")
    vectors(german, embedding_set, [[0.1, 0.9, 0], *[[0, 1, 0]] * 11])
    return german.chunks.get(ordinal=0).pk


def feline(workspace: Workspace, embedding_set: EmbeddingSet, **more: Any) -> list[Ranked]:
    languages = {"en": 80, "de": 12}
    return ranked(workspace, "feline", [1, 0, 0], embedding_set, languages=languages, **more)


def test_the_nearest_of_each_language_are_handed_on(workspace, embedding_set):
    wanted = a_book_and_a_letter(workspace, embedding_set, 80)
    found = feline(workspace, embedding_set)
    assert len(found) == ranking.DEPTH + ranking.SEATS
    by_language = {one.chunk_id: one for one in found if one.language == "de"}
    assert len(by_language) == ranking.SEATS
    assert by_language[wanted].among == 1 and by_language[wanted].seated
    assert [one.seated for one in found if one.language == "en"].count(True) == ranking.SEATS


def test_a_language_of_which_there_is_little_is_looked_at_wholly(
    workspace, embedding_set, monkeypatch
):
    wanted = a_book_and_a_letter(workspace, embedding_set, 80)
    monkeypatch.setattr(ranking, "SEVERAL", 60)  # nearest in meaning, all of them English
    found = feline(workspace, embedding_set)
    assert {one.chunk_id: one for one in found}[wanted].among == 1
    scope = list(Document.objects.filter(name="book.txt").values_list("pk", flat=True))
    found = feline(workspace, embedding_set, documents=scope)
    assert wanted not in [one.chunk_id for one in found]
    found = feline(workspace, embedding_set, literally="regen")
    assert wanted not in [one.chunk_id for one in found]


def test_one_language_has_no_centroid_of_its_own(workspace, embedding_set):
    english = document(workspace, "book.txt", [f"Chapter {n} of the book." for n in range(10)])
    vectors(english, embedding_set, [[0.9, 0.436, 0]] * 10)
    german = document(workspace, "buch.txt", ["Die Katze schläft."] * 5, language="de")
    vectors(german, embedding_set, [[0.3, 0.954, 0]] * 5)
    assert LanguageCentroid.counted(workspace, embedding_set)
    indexing.remove(german, [chunk.pk for chunk in german.chunks.all()])
    indexing.refresh_statistics(workspace, embedding_set)
    assert not LanguageCentroid.counted(workspace, embedding_set)
