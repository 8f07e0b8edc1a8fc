"""The benchmarks can be run and print the shape that was promised."""

import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from apps.library import graphs


@pytest.mark.django_db(transaction=True)
def test_search_is_measured_against_a_peer(capsys):
    call_command("benchmark", "search", "--chunks", "300", "--json")
    report = json.loads(capsys.readouterr().out)
    unscoped, scoped = report["rows"]
    assert set(unscoped) == {
        *("chunks", "dimensions", "scope", "ours_ms", "peer_ms", "ratio_to_peer"),
        *("dense_ms", "faiss_ms", "recall"),
    }
    assert unscoped["recall"] > 0.99
    assert scoped["peer_ms"] is None


@pytest.mark.django_db(transaction=True)
def test_above_so_many_passages_the_graph_is_measured_too(capsys, monkeypatch):
    monkeypatch.setattr(graphs, "MANY", 299)
    call_command("benchmark", "search", "--chunks", "300", "--json")
    exact, _scoped, graph = json.loads(capsys.readouterr().out)["rows"]
    assert graph["scope"] == "all, by graph"
    assert set(graph) == set(exact)
    assert graph["recall"] > 0.99


@pytest.mark.parametrize("chunks", ["many", "0", "5,-1"])
def test_a_wrong_number_of_chunks_is_refused(chunks):
    with pytest.raises(CommandError, match="number"):
        call_command("benchmark", "search", "--chunks", chunks)


@pytest.mark.django_db(transaction=True)
def test_the_chat_is_measured_before_and_while_the_model_speaks(capsys):
    call_command("benchmark", "chat", "--chunks", "300", "--json")
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert all(set(row) == {"name", "value", "unit", "goal"} for row in rows)
    goals = ["≤ 120", "≤ 15", "≤ 150", "1", "≤ 15", "≤ 150", "24"]
    assert [row["goal"] for row in rows] == goals
    assert (rows[3]["value"], rows[-1]["value"]) == (1, 24)
