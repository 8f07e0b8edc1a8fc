"""A rule is learned from labelled questions, kept for its model, and told to the reader."""

import json
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command
from pytest_django import Settings

from apps.library import relevance
from apps.library.calibrating import KEPT_ABROAD, Sample, elsewhere, fit, store
from apps.library.evaluating import LabelledSet
from apps.library.relevance import E5_SMALL, UNKNOWN, Evidence, calibration
from tests.library.test_evaluating import folder  # noqa: F401 - a fixture

MODEL = "toy-embedder"


@pytest.fixture(autouse=True)
def kept_apart(settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "data"


def seen(strength: float, coverage: float = 0.5) -> Evidence:
    near = np.array(relevance.UNREAD) @ np.array([1, strength, coverage])
    return Evidence(strength, coverage, literal=0.0, share=0.0, nearness=float(near))


def samples(name: str, yes: float, no: float, *, foreign: bool = False) -> list[Sample]:
    """A hundred questions of each kind, whose strengths lie around two values."""
    random = np.random.default_rng(1)
    return [
        Sample(name, (seen(float(random.normal(middle, 0.05))),), 6, foreign, answerable)
        for middle, answerable in ((yes, True), (no, False))
        for _ in range(100)
    ]


def test_what_can_be_parted_is_parted():
    kept = store(MODEL, samples("a", 0.6, 0.2) + samples("b", 0.55, 0.25))
    for row in kept["passed"]:
        assert row["answerable_passed"] > 0.9
        assert row["unanswerable_passed"] < 0.1
    assert all(row["answerable_passed"] > 0.7 for row in kept["left_out"])
    passed = [row["answerable_passed"] for row in kept["curve"]]
    assert passed == sorted(passed, reverse=True)


def test_foreign_questions_get_a_constant_of_their_own():
    home, abroad = samples("a", 0.6, 0.3), samples("b", 0.45, 0.15, foreign=True)
    rule = fit(home + abroad, UNKNOWN)
    assert rule.foreign > 0
    refused = [
        s
        for s in abroad
        if s.answerable and relevance.weigh(s.found[0], rule, slots=6, foreign=True) < 0
    ]
    assert len(refused) <= 100 * (1 - KEPT_ABROAD) + 1


def test_one_passage_has_to_mean_it_and_say_it():
    """What one passage means and another one says is no answer; the best of each kind would be."""
    together = [Sample("a", (seen(0.5, 0.9), seen(0.1, 0.1)), 6, False, True) for _ in range(60)]
    apart = [Sample("a", (seen(0.5, 0.1), seen(0.1, 0.9)), 6, False, False) for _ in range(60)]
    kept = store(MODEL, together + apart)
    assert kept["passed"][0]["answerable_passed"] == 1.0
    assert kept["passed"][0]["unanswerable_passed"] == 0.0


def test_the_line_is_drawn_where_most_of_every_set_pass():
    easy, hard = samples("a", 0.8, 0.2), samples("b", 0.5, 0.2)
    passed = {row["set"]: row["answerable_passed"] for row in store(MODEL, easy + hard)["passed"]}
    assert passed["a"] > 0.98
    assert 0.93 <= passed["b"] <= 0.96


def test_questions_of_another_subject_are_those_of_sets_that_share_nothing():
    def labelled(name: str, text: str, asked: str, language: str = "en") -> LabelledSet:
        passages = [{"id": "1", "title": "", "text": text}]
        return LabelledSet(name, passages, [{"id": "1", "text": asked, "lang": language}])

    mine = labelled("mine", "A lease.", "How high is the rent?")
    same_text = labelled("same text", "A lease.", "Who rents it?")
    same_question = labelled("same question", "Ein Mietvertrag.", "How high is the rent?")
    other = labelled("other", "A wing.", "What is lift?")
    german = labelled("german", "Ein Flügel.", "Was ist Auftrieb?", "de")
    every = [mine, same_text, same_question, other, german]
    assert elsewhere(mine, every) == ["What is lift?"]


def test_one_side_alone_teaches_nothing():
    with pytest.raises(LookupError, match="nothing to learn"):
        fit([sample for sample in samples("a", 0.6, 0.2) if sample.answerable], UNKNOWN)


def test_a_rule_that_judges_worse_than_the_one_in_use_is_not_kept():
    model = "multilingual-e5-small"
    contrary = samples("a", 0.2, 0.6) + samples("b", 0.5, 0.5)
    told = store(model, contrary)
    assert not told["accepted"]
    assert calibration(model) is E5_SMALL


def test_what_was_fitted_with_another_analyser_is_not_used(monkeypatch):
    store(MODEL, samples("a", 0.6, 0.2))
    assert calibration(MODEL) is not UNKNOWN
    monkeypatch.setattr(relevance.analysis, "VERSION", 99)
    assert calibration(MODEL) is UNKNOWN


def test_a_kept_rule_is_used_for_its_model_alone_and_says_so():
    store(MODEL, samples("a", 0.6, 0.2))
    assert "fitted here on" in calibration(MODEL).source
    assert calibration("another-embedder") is UNKNOWN
    assert calibration("multilingual-e5-small") is E5_SMALL


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"toy-embedder": {"rule": {}}}'])
def test_a_damaged_file_is_as_if_it_were_not_there(settings, damage):
    settings.DATA_DIR.mkdir()
    (settings.DATA_DIR / "calibration.json").write_text(damage)
    assert calibration(MODEL) is UNKNOWN


def test_the_command_prints_and_keeps_one_document(db, ollama, folder, settings, capsys):  # noqa: F811
    call_command("calibrate_relevance", str(folder), "--json")
    printed = json.loads(capsys.readouterr().out)
    told = {"model", "date", "sets", "rule", "passed", "left_out", "curve", "analyser"}
    assert told | {"before", "accepted"} == set(printed)
    kept = json.loads((settings.DATA_DIR / "calibration.json").read_text())
    assert kept[printed["model"]] == printed
