"""Answers are measured on labelled sets."""

import json

import pytest
from django.core.management import CommandError, call_command

from apps.chat.evaluating import holds, spread, words_of
from apps.library.models import Workspace


@pytest.fixture
def folder(tmp_path):
    """A set of two passages, two questions, and one that nothing answers."""
    vault = tmp_path / "vault"
    vault.mkdir()
    passages = [
        {"id": "a", "title": "Sea", "file": "Sea.md", "text": "Tides rise because the moon pulls."},
        {"id": "b", "title": "Sky", "file": "Sky.md", "text": "Clouds are made of small drops."},
    ]
    queries = [
        {"id": "1", "text": "Why do tides rise?", "lang": "en", "answer": "the moon pulls"},
        {"id": "2", "text": "What are clouds made of?", "lang": "en", "answer": "small drops"},
    ]
    write(vault / "corpus.jsonl", passages)
    write(vault / "queries.jsonl", queries)
    (vault / "qrels.tsv").write_text("1\ta\t1\n2\tb\t1\n")
    (tmp_path / "unanswerable").mkdir()
    stranger = {"id": "u", "text": "zzyzx quux 4711?", "lang": "en"}
    write(tmp_path / "unanswerable" / "queries.jsonl", [stranger])
    return tmp_path


def write(path, rows):
    path.write_text("\n".join(json.dumps(row) for row in rows))


@pytest.mark.django_db(transaction=True)
def test_the_command_prints_the_figures_of_a_set(folder, ollama, capsys):
    ollama.has("fake", "completion", size=9_000_000_000)
    ollama.says("Tides rise because the moon pulls [1].")
    ollama.says("Clouds are made of cheese [1].")
    ollama.says("I could not find this in your documents.")
    call_command("evaluate_answers", str(folder / "vault"), "--items", "--json")
    (row,) = json.loads(capsys.readouterr().out)["sets"]
    assert (row["set"], row["questions"], row["model"]) == ("vault", 2, "fake")
    assert (row["expected"], row["expected_in_passages"]) == (0.5, 1.0)
    assert row["citations"] == 2 and row["citations_right"] == 1.0
    assert (row["unanswerable"], row["refused"], row["refused_wrongly"]) == (1, 1.0, 0.0)
    assert row["failed"] == 0 and row["first_word_seconds"] is not None
    assert [item["id"] for item in row["items"]] == ["1", "2", "u"]
    assert not Workspace.objects.exists()  # nothing is left behind


@pytest.mark.django_db(transaction=True)
def test_a_folder_of_sets_and_a_limit(folder, ollama, capsys):
    ollama.has("fake", "completion", size=9_000_000_000)
    ollama.says("Tides rise because the moon pulls [1].")
    ollama.says("I could not find this in your documents.")
    call_command("evaluate_answers", str(folder), "--limit", "1")
    assert "questions              1" in capsys.readouterr().out
    with pytest.raises(CommandError, match="nowhere"):
        call_command("evaluate_answers", str(folder / "nowhere"))


def test_case_and_punctuation_do_not_count():
    assert holds("It was **March 22nd, 2007** [1].", "march 22nd 2007")
    assert not holds("It was March 23rd, 2007.", "March 22nd, 2007")
    assert words_of("The rate is C-14.", "rate C-14 now") == pytest.approx(0.75)


def test_a_sample_comes_from_the_whole_length():
    queries = [{"id": str(n)} for n in range(10)]
    assert [each["id"] for each in spread(queries, 3)] == ["0", "3", "6"]
    assert spread(queries, None) == queries == spread(queries, 99)
