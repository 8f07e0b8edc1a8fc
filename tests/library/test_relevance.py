"""Whether what was found bears on the question, and when that verdict is not sure."""

from dataclasses import replace

import pytest

from apps.library import relevance
from apps.library.ranking import Ranked
from apps.library.relevance import E5_SMALL, UNKNOWN, WORDS_ONLY, band, calibration, judge


def found(strength=0.0, coverage=0.0, identified=0.0, missing=0.0) -> Ranked:
    return Ranked(1, 0.5, 1, 1, coverage, strength, 0.8, identified, missing)


def test_near_in_meaning_is_an_answer():
    assert judge([found(strength=0.6, coverage=0.7)], E5_SMALL) == relevance.Verdict(True, True)


def test_far_in_meaning_and_words_is_none():
    assert judge([found(strength=0.1, coverage=0.1)], E5_SMALL) == relevance.Verdict(False, True)


def test_in_between_is_not_sure():
    assert not judge([found(strength=0.34, coverage=0.3)], E5_SMALL).sure


def test_the_best_passage_of_each_kind_counts():
    passages = [found(strength=0.6), found(coverage=0.9)]
    assert judge(passages, E5_SMALL).answerable


def test_nothing_found_is_no_answer():
    assert judge([], E5_SMALL) == relevance.Verdict(False, True)


def test_an_identifier_is_judged_by_standing_there():
    there = found(strength=0.0, coverage=1.0, identified=1.0)
    absent = found(strength=0.5, coverage=0.2, missing=0.9, identified=0.1)
    assert judge([there], E5_SMALL).answerable
    assert not judge([absent], E5_SMALL).answerable


def test_a_question_in_a_foreign_language_needs_less():
    passage = found(strength=0.3, coverage=0.0)
    assert not judge([passage], E5_SMALL).answerable
    assert judge([passage], E5_SMALL, foreign=True).answerable


@pytest.mark.parametrize("rule", [UNKNOWN, WORDS_ONLY])
def test_without_a_calibrated_model_the_verdict_is_never_sure(rule):
    verdicts = [judge([found(s, c)], rule) for s in (0, 0.5, 1) for c in (0, 0.5, 1)]
    assert not any(verdict.sure for verdict in verdicts)


def test_the_bands_are_in_order():
    bands = [band(found(strength=s, coverage=s), E5_SMALL) for s in (0.1, 0.33, 0.6)]
    assert bands == ["weak", "check", "strong"]


@pytest.mark.parametrize(
    ("model", "rule"),
    [
        ("multilingual-e5-small", E5_SMALL),
        ("embeddinggemma:latest", UNKNOWN),
        ("", WORDS_ONLY),
    ],
)
def test_each_model_has_its_rule(model, rule):
    assert calibration(model) is rule


def test_a_passage_in_another_language_than_the_question_makes_a_refusal_unsure():
    passage = found(strength=0.18, coverage=0.0)
    assert judge([passage], E5_SMALL) == relevance.Verdict(False, True)
    verdict = judge([passage], E5_SMALL, abroad={passage.chunk_id})
    assert verdict == relevance.Verdict(False, False)
    assert band(passage, E5_SMALL, foreign=True) != "weak"


SURE, UNSURE = True, False


@pytest.mark.parametrize(
    ("strength", "coverage", "slots", "language", "verdict"),
    [
        # As measured on German laws and a lease: what is asked in English of German passages …
        (0.36, 0.0, 3, "abroad", (True, UNSURE)),  # product liability of the producer
        (0.28, 0.0, 5, "abroad", (True, UNSURE)),  # when must a company appoint an officer
        (0.32, 0.0, 3, "abroad", (False, UNSURE)),  # who is liable for a defective product
        (0.18, 0.0, 3, "abroad", (False, UNSURE)),  # how long is the notice period
        (0.24, 0.0, 3, "foreign", (False, UNSURE)),  # ... where no passage is in English
        (0.35, 0.0, 3, "foreign", (True, UNSURE)),
        (0.27, 0.0, 3, "unknown", (False, UNSURE)),  # data protection officer
        (0.18, 0.0, 4, "unknown", (False, UNSURE)),  # limitation period for claims
        # … and in German
        (0.51, 0.47, 3, "home", (True, SURE)),  # Haftung des Herstellers für Produktfehler
        (0.51, 1.0, 2, "home", (True, SURE)),  # Wann ist ein Produkt fehlerhaft?
        # What no passage answers, in every language.
        (0.22, 0.0, 1, "unknown", (False, SURE)),  # hallo
        (0.24, 0.0, 1, "unknown", (False, SURE)),  # hello
        (0.17, 0.0, 1, "home", (False, SURE)),  # wie geht es dir?
        (0.14, 0.44, 2, "home", (False, SURE)),  # Wie repariere ich ein Fahrrad?
        (0.12, 0.0, 3, "home", (False, SURE)),  # Wer malte die Sixtinische Kapelle?
        (0.13, 0.0, 2, "abroad", (False, SURE)),  # how do I bake bread
    ],
)
def test_where_the_language_makes_it_doubtful_the_reader_is_warned(
    strength, coverage, slots, language, verdict
):
    passage = found(strength=strength, coverage=coverage)
    known = {
        "home": {},
        "abroad": {"abroad": {passage.chunk_id}},
        "foreign": {"foreign": True},
        "unknown": {"unknown": True},
    }[language]
    assert judge([passage], E5_SMALL, slots=slots, **known) == relevance.Verdict(*verdict)


def test_the_fewer_things_are_asked_for_the_nearer_a_passage_must_be():
    passage = found(strength=0.35, coverage=0.4)
    passes = [judge([passage], E5_SMALL, slots=n).answerable for n in (1, 2, 5, 10, 40)]
    assert passes == sorted(passes)
    assert passes[0] is False
    assert passes[-1] is True
    assert relevance.length(10) == relevance.length(40)


def test_a_word_that_is_looked_up_and_stands_there_is_found():
    there, elsewhere = found(strength=0.05, coverage=1.0), found(strength=0.05, coverage=0.6)
    assert judge([there], E5_SMALL, looked_up=True) == relevance.Verdict(True, False)
    assert not judge([elsewhere], E5_SMALL, looked_up=True).answerable
    assert not judge([there], E5_SMALL).answerable
    assert band(there, E5_SMALL, looked_up=True) == "check"


@pytest.mark.parametrize("slots", [1, 2])
def test_a_question_for_one_thing_or_two_that_stands_there_is_not_refused(slots):
    there, elsewhere = found(strength=0.19, coverage=1.0), found(strength=0.19, coverage=0.6)
    assert judge([there], E5_SMALL, slots=slots) == relevance.Verdict(True, False)
    assert band(there, E5_SMALL, slots=slots) == "check"
    assert not judge([elsewhere], E5_SMALL, slots=slots).answerable
    by_chance = replace(there, place_by_meaning=4)
    assert not judge([by_chance], E5_SMALL, slots=slots).answerable


def test_a_word_that_is_looked_up_and_stands_there_as_it_is_written_is_strong():
    there, elsewhere = found(strength=0.05, coverage=1.0), found(strength=0.05, coverage=0.6)
    assert band(there, E5_SMALL, looked_up=True, verbatim=True) == "strong"
    assert band(there, E5_SMALL, verbatim=True) != "strong", "a long question asks for more"
    assert band(elsewhere, E5_SMALL, looked_up=True, verbatim=True) == "weak"
