"""`manage.py search`: the promised document, and errors in words."""

import json
import re
import sys

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from apps.library import indexing
from apps.library.models import Workspace
from apps.llm import client
from apps.vault.management.commands.search import Command
from tests.library.passages import document, vectors


def found(capsys, *arguments: str) -> dict:
    call_command("search", *arguments, "--json")
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def lease(workspace, ollama):
    texts = ["A tenant may end the lease.", "A river in spring."]
    made = document(workspace, "lease.txt", texts)
    vectors(made, indexing.active_set(), client.embed(texts, "passage"))
    return made


def test_the_document_has_the_promised_shape(lease, capsys):
    report = found(capsys, "tenant lease")
    assert set(report) == {"hits", "answerable", "milliseconds", "notes"}
    assert set(report["milliseconds"]) == {"embed", "search"}
    hit = report["hits"][0]
    assert hit["document"] == "lease.txt"
    assert hit["document_id"] == lease.pk
    assert hit["locator"] == {"kind": "page", "label": "page 1", "number": 1}
    assert hit["text"] == "A tenant may end the lease."
    assert hit["place_by_words"] == 1
    assert hit["place_by_meaning"] >= 1
    assert -1 <= hit["similarity"] <= 1
    assert hit["band"] in {"strong", "check", "weak"}
    assert 0 <= hit["score"] <= 1


def test_limit_and_scope_are_kept(lease, capsys):
    assert len(found(capsys, "tenant river", "--limit", "1")["hits"]) == 1
    assert found(capsys, "tenant", "--scope", "lease.txt")["hits"]


def test_a_terminal_without_json_says_when_nothing_is_found(lease, capsys):
    call_command("search", '"zeppelin hangars"')
    told = capsys.readouterr()
    assert told.out == ""
    assert "Nothing is found" in told.err


def test_more_than_fifty_are_told_to_be_too_many(lease, capsys):
    call_command("search", "tenant", "--limit", "99", "--json")
    told = capsys.readouterr()
    assert json.loads(told.out)["hits"]
    assert "50 passages are the most" in told.err


def test_a_passage_is_printed_with_its_places_and_the_part_that_has_the_words(
    lease, workspace, capsys
):
    rows = "\n".join(f"host-{n};app-{n};7{n:03};ok" for n in range(60))
    document(workspace, "ports.csv", [f"{rows}\nhost-x;zeppelin;8080;yes\nhost-y;b;1;no"])
    call_command("search", "zeppelin")
    lines = capsys.readouterr().out.splitlines()
    assert "ports.csv, page 1 · words 1st" in lines[0]
    assert "       host-x;zeppelin;8080;yes" in lines
    assert not any("host-1;" in line for line in lines)


def test_what_several_documents_say_is_printed_once(lease, workspace, capsys):
    text = "The zeppelin is moored at dusk, with three ropes, by whoever has the watch that night."
    for name in ("old.txt", "new.txt"):
        document(workspace, name, [text])
    call_command("search", "zeppelin dusk")
    told = capsys.readouterr().out
    assert told.count("moored at dusk") == 1
    assert "Word for word also in" in told
    assert len(found(capsys, "zeppelin dusk")["hits"]) >= 2  # programs get them all


def test_a_limit_is_of_different_results(lease, workspace, capsys):
    text = "The zeppelin is moored at dusk, with three ropes, by whoever has the watch that night."
    for n in range(4):
        document(workspace, f"old-{n}.txt", [text])
    other = Workspace.objects.create(owner=workspace.owner, name="Work")
    document(other, "new.txt", [text])
    document(workspace, "more.txt", ["A zeppelin at noon.", "Dusk falls, the zeppelin rises."])
    call_command("search", "zeppelin watch night workspace:all", "--limit", "2")
    told = capsys.readouterr().out
    assert told.count("moored at dusk") == 1
    assert len([line for line in told.splitlines() if not line.startswith(" ")]) == 2
    assert re.search(r"also in .*(old-\d.txt in Home|new.txt in Work), page 1", told)
    assert len(found(capsys, "zeppelin dusk", "--limit", "2")["hits"]) == 2


def test_programs_are_told_why_nothing_is_found(lease, capsys):
    report = found(capsys, '"lease the" in:lease.txt')
    assert report["hits"] == [] and report["milliseconds"]["embed"] >= 0
    verdict, absence = report["notes"]
    assert verdict == {
        "kind": "verdict",
        "text": "Nothing is found for “lease the” within in:lease.txt.",
        "instead": "",
    }
    assert absence["kind"] == "absence" and absence["instead"] == "lease the in:lease.txt"
    assert "not side by side" in absence["text"]
    (wants,) = found(capsys, "???")["notes"]
    assert wants["kind"] == "question"
    nowhere = found(capsys, "tenant before:1990")
    assert repr(nowhere["milliseconds"]["embed"]) == repr(0.0)


def test_wrong_arguments_are_told_in_a_document_too(capsys, monkeypatch):
    for argv in (["x", "--limit", "0"], ["x", "--nonsense"]):
        monkeypatch.setattr(sys, "argv", ["manage.py", "search", *argv, "--json"])
        with pytest.raises(SystemExit) as end:
            Command().run_from_argv(sys.argv)
        told = capsys.readouterr()
        assert end.value.code == 2 and "usage:" in told.err
        assert argv[1] in json.loads(told.out)["error"]


def test_the_same_question_is_embedded_once(lease, ollama, capsys):
    for _ in range(2):
        found(capsys, "a question asked twice")
    asked = [heard.body for heard in ollama.heard if heard.path == "/api/embed"]
    assert sum("asked twice" in str(body) for body in asked) == 1


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--scope", "Nowhere"], "Nowhere"),
        (["--owner", "nobody"], "nobody named nobody"),
        (["--workspace", "Moon"], "Moon"),
    ],
)
def test_an_unknown_name_is_told(lease, arguments, reason):
    with pytest.raises(CommandError, match=reason):
        call_command("search", "tenant", *arguments)


def test_what_failed_is_a_document_too(lease, capsys):
    with pytest.raises(CommandError):
        call_command("search", "tenant", "--scope", "Nowhere", "--json")
    assert "Nowhere" in json.loads(capsys.readouterr().out)["error"]


@pytest.mark.parametrize("limit", ["0", "-3", "many"])
def test_a_limit_that_is_none_is_a_wrong_argument(limit):
    with pytest.raises(CommandError, match="whole number from 1 on"):
        call_command("search", "tenant", f"--limit={limit}")


def test_with_several_people_one_must_be_named(lease, bob):
    with pytest.raises(CommandError, match="--owner"):
        call_command("search", "tenant")


def test_without_an_account_the_next_step_is_told(db, ollama):
    with pytest.raises(CommandError, match="create_owner"):
        call_command("search", "tenant")


def test_a_kept_search_is_asked_with_its_filters(lease, workspace, capsys):
    workspace.searches.create(name="Ending it", asked=f"q=tenant&document={lease.pk}")
    (hit,) = found(capsys, "--saved", "ending IT", "--limit", "1")["hits"]
    assert hit["text"] == "A tenant may end the lease."
    with pytest.raises(CommandError, match="There are: Ending it"):
        call_command("search", "--saved", "Other")
    workspace.searches.update(asked="q=tenant&document=999999")
    with pytest.raises(CommandError, match="cannot be asked any more"):
        call_command("search", "--saved", "Ending it")


def test_every_workspace_is_searched_where_that_is_asked(lease, workspace, capsys):
    other = Workspace.objects.create(owner=workspace.owner, name="Work")
    document(other, "contract.txt", ["The tenant of the office."])
    report = found(capsys, "tenant workspace:all")
    assert {hit["document"] for hit in report["hits"]} >= {"lease.txt", "contract.txt"}
    scores = [hit["score"] for hit in report["hits"]]
    assert scores == sorted(scores, reverse=True)


def test_nothing_asked_is_told(lease):
    with pytest.raises(CommandError, match="Say what to look for"):
        call_command("search")
