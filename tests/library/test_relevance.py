"""Whether what was found bears on the question, and when that verdict is not sure."""

import math
from dataclasses import replace

import pytest

from apps.library import relevance
from apps.library.ranking import Ranked
from apps.library.relevance import E5_SMALL, UNKNOWN, WORDS_ONLY, band, calibration, judge


def found(
    strength=0.0, coverage=0.0, identified=0.0, missing=0.0, literal=0.0, nearness=None
) -> Ranked:
    seen = (coverage, strength, 0.8, identified, missing, literal)
    return Ranked(1, 0.5, 1, 1 if strength else None, *seen, nearness=nearness)


def test_near_in_meaning_is_an_answer():
    assert judge([found(strength=0.6, coverage=0.7)], E5_SMALL) == relevance.Verdict(True, True)


def test_far_in_meaning_and_words_is_none():
    assert judge([found(strength=0.1, coverage=0.1)], E5_SMALL) == relevance.Verdict(False, True)


def test_in_between_is_not_sure():
    assert not judge([found(strength=0.34, coverage=0.3)], E5_SMALL).sure


def test_what_one_passage_means_and_another_says_is_no_answer():
    both, meant, said = found(0.4, 0.9), found(strength=0.4), found(coverage=0.9)
    assert judge([meant, said, both], E5_SMALL).answerable
    assert not judge([meant, said], E5_SMALL).answerable


def test_how_near_the_single_words_come_decides():
    near, far = found(0.35, 0.4, nearness=0.42), found(0.35, 0.4, nearness=0.22)
    assert judge([near], E5_SMALL) == relevance.Verdict(True, True)
    assert judge([far], E5_SMALL) == relevance.Verdict(False, True)


def test_nothing_found_is_no_answer():
    assert judge([], E5_SMALL) == relevance.Verdict(False, True)


def test_an_identifier_is_judged_by_standing_there():
    there = found(strength=0.0, coverage=1.0, identified=1.0, literal=1.0)
    absent = found(strength=0.5, coverage=0.2, missing=0.9, identified=0.1)
    of_another_law = found(strength=0.0, coverage=0.84, identified=1.0, literal=0.84)
    assert judge([there], E5_SMALL) == relevance.Verdict(True, True)
    assert not judge([absent], E5_SMALL).answerable
    assert not judge([of_another_law], E5_SMALL).answerable


def test_what_stands_there_by_its_other_name_is_not_surely_refused():
    """Who asks for "Bereitschaft" of a text that says "on-call"."""
    called, not_called = found(coverage=0.7, nearness=0.1), found(coverage=0.4, nearness=0.1)
    for passage, sure in ((called, False), (not_called, True)):
        verdict = judge([passage], E5_SMALL, slots=1, abroad={passage.chunk_id})
        assert verdict == relevance.Verdict(False, sure)
    assert judge([called], E5_SMALL, slots=1) == relevance.Verdict(False, True)


def test_a_word_that_is_looked_up_may_stand_there_by_its_other_name():
    called = found(coverage=0.9, nearness=0.1)
    assert judge([called], E5_SMALL, slots=1, looked_up=True) == relevance.Verdict(True, False)
    assert band(called, E5_SMALL, slots=1, looked_up=True) == "check"
    assert not judge([called], E5_SMALL, slots=1).answerable


def test_all_that_is_asked_in_the_first_by_words_is_worth_checking():
    """Who is allergic to peanuts? Of a letter that is about something else, too."""
    for place, answerable in ((3, True), (4, False)):
        passage = replace(found(coverage=1.0, nearness=0.1), place_by_meaning=place)
        assert judge([passage], E5_SMALL, slots=2).answerable == answerable


def test_part_of_a_longer_number_is_not_surely_refused():
    """TXN-98765, where the receipt says TXN-98765-2024."""
    part = found(strength=0.2, coverage=0.6, missing=1.0)
    other = found(strength=0.2, coverage=0.3, missing=1.0)
    assert judge([part], E5_SMALL) == relevance.Verdict(False, False)
    assert judge([other], E5_SMALL) == relevance.Verdict(False, True)


def test_a_name_with_a_number_counts_by_itself_and_the_rest_by_meaning():
    """Who did internet2 partner with: the passage says Internet2, and "collaborated"."""
    there = found(0.5, 0.6, identified=0.6, literal=1.0, nearness=0.4)
    absent = found(0.5, 0.0, identified=0.6, literal=0.0, nearness=0.4)
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


def test_beside_a_much_better_passage_none_is_strong():
    better, good = found(strength=0.9, coverage=0.9), found(strength=0.6, coverage=0.6)
    most = relevance.highest([good, better], E5_SMALL)
    assert band(good, E5_SMALL) == band(better, E5_SMALL, highest=most) == "strong"
    assert band(good, E5_SMALL, highest=most) == "check"
    assert relevance.highest([], E5_SMALL) == -math.inf


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
    passage = found(strength=0.23, nearness=0.28)
    first = replace(found(nearness=0.1), chunk_id=2)
    assert judge([passage], E5_SMALL) == relevance.Verdict(False, True)
    verdict = judge([first, passage], E5_SMALL, abroad={passage.chunk_id})
    assert verdict == relevance.Verdict(False, False)
    assert band(passage, E5_SMALL, foreign=True) != "weak"


SURE, UNSURE = True, False


@pytest.mark.parametrize(
    ("strength", "coverage", "nearness", "slots", "language", "verdict"),
    [
        # As measured in a vault of both languages: asked in English of German passages, which
        # come behind an English one or before all …
        (0.27, 0.0, 0.32, 3, "behind", (False, UNSURE)),  # product liability of the producer
        (0.25, 0.0, 0.35, 3, "behind", (False, UNSURE)),  # who is liable for a defective product
        (0.25, 0.0, 0.35, 3, "abroad", (True, UNSURE)),
        (0.31, 0.66, 0.37, 5, "abroad", (True, SURE)),  # When does a claim under the ProdHaftG …
        (0.28, 0.0, 0.26, 2, "behind", (False, UNSURE)),  # what is the weather in Paris?
        # … of German laws alone …
        (0.32, 0.0, 0.28, 5, "foreign", (True, UNSURE)),  # when must a company appoint an officer
        (0.29, 0.0, 0.35, 3, "foreign", (True, UNSURE)),  # who is liable for a defective product
        (0.33, 0.0, 0.36, 3, "unknown", (False, UNSURE)),  # data protection officer
        (0.22, 0.0, 0.30, 4, "unknown", (False, UNSURE)),  # limitation period for claims
        # … and in German.
        (0.52, 0.60, 0.53, 3, "home", (True, SURE)),  # Haftung des Herstellers für Produktfehler
        (0.52, 0.58, 0.44, 2, "home", (True, SURE)),  # Wann ist ein Produkt fehlerhaft?
        (0.24, 1.0, 0.45, 2, "home", (True, SURE)),  # Wie hoch ist die Miete?
        # What no passage answers, in every language.
        (0.24, 0.0, 0.25, 0, "unknown", (False, SURE)),  # hallo
        (0.36, 0.0, 0.24, 0, "unknown", (False, SURE)),  # hello
        (0.0, 1.0, 0.23, 1, "home", (False, SURE)),  # wie geht es dir?
        (0.34, 0.73, 0.33, 0, "home", (False, SURE)),  # what can you do?
        (0.17, 0.0, 0.27, 2, "home", (False, SURE)),  # Wie repariere ich ein Fahrrad?
        (0.13, 0.0, 0.22, 3, "home", (False, SURE)),  # Wer malte die Sixtinische Kapelle?
        (0.16, 0.0, 0.20, 2, "foreign", (False, SURE)),  # how do I bake bread
    ],
)
def test_where_the_language_makes_it_doubtful_the_reader_is_warned(
    strength, coverage, nearness, slots, language, verdict
):
    passage = found(strength, coverage, nearness=nearness)
    other = replace(found(0.1, 0.1, nearness=0.1), chunk_id=2)
    known = {
        "home": {},
        "abroad": {"abroad": {passage.chunk_id}},
        "behind": {"abroad": {passage.chunk_id}},
        "foreign": {"foreign": True},
        "unknown": {"unknown": True},
    }[language]
    order = [other, passage] if language == "behind" else [passage, other]
    assert judge(order, E5_SMALL, slots=slots, **known) == relevance.Verdict(*verdict)


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
    there, elsewhere = (found(0.19, share, nearness=0.25) for share in (1.0, 0.6))
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
