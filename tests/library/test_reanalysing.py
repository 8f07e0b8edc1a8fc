"""Passages of an older analyser are analysed again, and nothing is lost or counted twice."""

from apps.library import analysis, reanalysing, tasks
from apps.library.models import ChunkWords, TermStatistic, WordStatistic
from apps.library.search import search
from tests.library.passages import document

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
