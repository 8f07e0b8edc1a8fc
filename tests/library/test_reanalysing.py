"""Passages of an older analyser are analysed again, and nothing is lost or counted twice."""

from apps.library import analysis, indexing, reanalysing, tasks
from apps.library.models import (
    ChunkVector,
    ChunkWords,
    EmbeddingSet,
    LanguageCentroid,
    TermStatistic,
    VectorStatistic,
    WordStatistic,
)
from apps.library.search import search
from tests.library.passages import document, vectors

TEXTS = ["The tenant may end the lease.", "A bridge of stone.", "A river in spring."]


def counts(workspace) -> tuple:
    terms = TermStatistic.objects.filter(workspace=workspace).order_by("word")
    statistic = WordStatistic.objects.get(workspace=workspace)
    return list(terms.values_list("word", "passages")), statistic.passages, statistic.words


def test_old_passages_are_analysed_again_and_counted_once(workspace):
    document(workspace, "lease.txt", TEXTS)
    document(workspace, "again.txt", TEXTS)
    before = counts(workspace)
    ChunkWords.objects.update(analyser=0)
    assert reanalysing.is_due()
    assert reanalysing.go_on() == 6
    assert not reanalysing.is_due()
    assert set(ChunkWords.objects.values_list("analyser", flat=True)) == {analysis.VERSION}
    assert counts(workspace) == before


def test_old_passages_are_found_until_their_turn_comes(workspace):
    document(workspace, "lease.txt", TEXTS)
    ChunkWords.objects.update(analyser=0)
    assert search(workspace, "tenant lease").hits[0].chunk.text == TEXTS[0]


def test_a_short_slice_goes_on_later(workspace, monkeypatch):
    monkeypatch.setattr(reanalysing, "BATCH", 2)
    document(workspace, "lease.txt", TEXTS)
    ChunkWords.objects.update(analyser=0)
    assert reanalysing.go_on(seconds=0) == 2
    assert reanalysing.is_due()
    assert tasks.reanalyse() == 1
    assert not reanalysing.is_due()


BARS = "❚❘❙" * 30 + "\n\nFREE CULTURE"
GERMAN = [f"Die Miete für das Haus {n} ist am dritten Tag fällig." for n in range(5)]
ENGLISH = [f"The rent of the house {n} is due on the third day." for n in range(5)]


def learned_by_an_older_analyser(workspace) -> EmbeddingSet:
    """Bars with a vector, and German passages taken for English ones."""
    used = EmbeddingSet.objects.create(model="toy", dimensions=3, state="active")
    bars = document(workspace, "book.pdf", [BARS], heading="Free Culture")
    german = document(workspace, "haus.txt", GERMAN, language="de")
    english = document(workspace, "house.txt", ENGLISH)
    vectors(german, used, [[1, 0, 0]] * 5)
    vectors(english, used, [[0, 1, 0]] * 5)
    vectors(bars, used, [[0, 0, 1]])
    ChunkVector.objects.filter(document_id=bars.pk).update(embedding=[0, 0, 1])
    ChunkWords.objects.update(analyser=0, language="en")
    indexing.refresh_statistics(workspace, used)
    return used


def test_what_is_found_to_be_ornament_loses_its_vector_and_leaves_the_centroid(workspace):
    learned_by_an_older_analyser(workspace)
    before = VectorStatistic.objects.get(workspace=workspace)
    assert before.passages == 11
    reanalysing.go_on()
    after = VectorStatistic.objects.get(workspace=workspace)
    assert (after.passages, after.centroid) == (10, [0.5, 0.5, 0])
    silent = ChunkVector.objects.get(chunk__text=BARS)
    assert not any(silent.embedding)


def test_languages_and_their_centroids_are_counted_again(workspace):
    learned_by_an_older_analyser(workspace)
    assert WordStatistic.objects.get(workspace=workspace).languages == ["en"]
    assert not LanguageCentroid.objects.exists()
    reanalysing.go_on()
    assert set(WordStatistic.objects.get(workspace=workspace).languages) == {"de", "en"}
    kept = LanguageCentroid.objects.order_by("language")
    assert [(one.language, one.passages, one.centroid) for one in kept] == [
        ("de", 5, [1, 0, 0]),
        ("en", 5, [0, 1, 0]),
    ]


def test_they_are_counted_once_and_only_when_nothing_is_left(workspace, monkeypatch):
    learned_by_an_older_analyser(workspace)
    refreshed = []
    true = indexing.refresh_statistics

    def refresh(*which):
        refreshed.append(ChunkWords.objects.filter(analyser=0).count())
        true(*which)

    monkeypatch.setattr(indexing, "refresh_statistics", refresh)
    monkeypatch.setattr(reanalysing, "BATCH", 2)
    reanalysing.go_on()
    assert refreshed == [0]


def test_words_alone_are_counted_again_where_nothing_is_learned(workspace):
    document(workspace, "haus.txt", GERMAN, language="de")
    ChunkWords.objects.update(analyser=0)
    WordStatistic.objects.update(languages=["en"])
    reanalysing.go_on()
    assert WordStatistic.objects.get(workspace=workspace).languages == ["de"]
