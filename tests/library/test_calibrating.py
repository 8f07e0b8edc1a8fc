"""A rule is learned from labelled questions, kept for its model, and told to the reader."""

import json
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command
from pytest_django import Settings

from apps.library import relevance
from apps.library.calibrating import Sample, fit, store
from apps.library.relevance import E5_SMALL, UNKNOWN, calibration
from tests.library.test_evaluating import folder  # noqa: F401 - a fixture

MODEL = "toy-embedder"


@pytest.fixture(autouse=True)
def kept_apart(settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "data"


def samples(name: str, yes: float, no: float, *, foreign: bool = False) -> list[Sample]:
    """A hundred questions of each kind, whose strengths lie around two values."""
    random = np.random.default_rng(1)
    return [
        Sample(name, float(random.normal(middle, 0.05)), 0.5, 0.0, 6, foreign, answerable)
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
        if s.answerable and relevance.weigh(s.strength, s.coverage, s.share, rule, foreign=True) < 0
    ]
    assert len(refused) <= 6


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
