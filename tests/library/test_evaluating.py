"""Figures of search on labelled sets, and nothing left behind."""

import json
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError
from pytest_django import Settings

from apps.library.evaluating import ndcg, read_sets
from apps.library.models import Chunk, ChunkVector, ChunkWords, Document, TermStatistic

BRIDGES = ["A bridge of stone.", "A bridge of wood.", "A river in spring.", "Rain in autumn."]


@pytest.fixture
def folder(tmp_path: Path, settings: Settings) -> Path:
    """One set of four passages and two questions, and one question nobody answers."""
    settings.DERIVED_DIR = tmp_path / "derived"
    write(
        tmp_path / "toy" / "corpus.jsonl",
        [{"id": f"d{n}", "title": "", "text": text} for n, text in enumerate(BRIDGES)],
    )
    write(
        tmp_path / "toy" / "queries.jsonl",
        [
            {"id": "q1", "text": "stone bridge", "lang": "en"},
            {"id": "q2", "text": "autumn rain", "lang": "en"},
        ],
    )
    (tmp_path / "toy" / "qrels.tsv").write_text("q1\td0\t1\nq2\td3\t1\nq2\td2\t0\n")
    write(
        tmp_path / "unanswerable" / "queries.jsonl",
        [
            {"id": "u1", "text": "zeppelin pilot", "lang": "en"},
            {"id": "u2", "text": "Zeppelinpilot", "lang": "de"},
        ],
    )
    return tmp_path


def write(path: Path, rows: list[dict[str, str]]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_the_command_prints_one_document(db, ollama, folder, capsys):
    call_command("evaluate_search", str(folder), "--json")
    report = json.loads(capsys.readouterr().out)
    (figures,) = report["sets"]
    assert (figures["set"], figures["documents"], figures["queries"]) == ("toy", 4, 2)
    assert set(figures["words"]) == {"ndcg@10", "recall@7", "mrr@10", "ms_median", "ms_p95"}
    assert figures["words"]["ndcg@10"] == figures["words"]["recall@7"] == 1.0
    (gate,) = report["gate"]
    assert set(gate) == {"set", "answerable_passed", "unanswerable_passed"}


def test_nothing_is_left_of_a_measured_set(alice, ollama, folder, capsys):
    call_command("evaluate_search", str(folder), "--json")
    assert User.objects.get() == alice
    for model in (Document, Chunk, ChunkWords, ChunkVector, TermStatistic):
        assert not model.objects.exists()


def test_passages_are_embedded_once(db, ollama, folder, capsys):
    call_command("evaluate_search", str(folder), "--json")
    before = len(ollama.heard)
    call_command("evaluate_search", str(folder), "--json")
    first, again = ollama.heard[:before], ollama.heard[before:]
    assert any("bridge of stone" in str(heard.body) for heard in first)
    assert not any("bridge of stone" in str(heard.body) for heard in again)


def test_an_unknown_set_is_named(db, folder):
    with pytest.raises(CommandError, match="no set moon"):
        call_command("evaluate_search", str(folder), "--sets", "moon")


def test_a_folder_without_sets_is_said_to_have_none(tmp_path):
    with pytest.raises(LookupError, match="holds no set"):
        read_sets(tmp_path)


@pytest.mark.parametrize(
    ("found", "relevant", "wanted"),
    [
        (["a"], {"a"}, 1.0),
        (["b", "a"], {"a"}, 0.6309),
        (["b"], {"a"}, 0.0),
        ([], {"a"}, 0.0),
        (["a"], set(), 0.0),
        (["a", "b"], {"a", "b"}, 1.0),
    ],
)
def test_ndcg(found, relevant, wanted):
    assert round(ndcg(found, relevant), 4) == wanted
