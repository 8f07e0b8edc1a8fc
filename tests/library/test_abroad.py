"""In what language a question is, and which passages are in another."""

import pytest

from apps.library import abroad, analysis
from apps.library.ranking import Ranked


def passage(chunk_id: int, language: str, coverage: float) -> Ranked:
    return Ranked(chunk_id, 0.5, None, chunk_id, coverage, 0.5, 0.9, 0.0, 0.0, language=language)


@pytest.mark.parametrize(
    ("found", "language", "spoken"),
    [
        ([("en", 1.0), ("de", 0.0)], "", "en"),
        ([("en", 1.0), ("de", 0.0)], "de", "de"),  # what is known is not guessed
        ([("en", 0.5), ("en", 0.5), ("de", 0.2)], "", "en"),
        ([("en", 0.5), ("de", 0.5)], "", ""),
        ([("en", 0.0), ("de", 0.0)], "", ""),
        ([("", 1.0), ("de", 0.1)], "", "de"),  # a table is in no language
        ([], "", ""),
    ],
)
def test_a_word_or_two_are_in_the_language_in_which_they_stand(found, language, spoken):
    passages = [passage(n, *each) for n, each in enumerate(found)]
    assert abroad.spoken(passages, language) == spoken


def test_passages_of_no_language_are_nowhere_abroad():
    found = [passage(1, "en", 0.0), passage(2, "de", 0.0), passage(3, "", 0.0)]
    assert abroad.passages(found, "en") == {2}
    assert abroad.passages(found, "") == frozenset()


@pytest.mark.parametrize(
    ("line", "first", "untried"),
    [
        ("How high is the deposit?", "en", ("de",)),
        ("How high is the deposit?", "", ("de",)),
        ("How high is the deposit?", "de", ()),  # it is found there already
        ("Wie hoch ist die Kaution?", "de", ("en",)),
        ("kafka", "en", ()),
        ("4.26", "en", ()),
        ("Good morning!", "en", ()),
    ],
)
def test_other_languages_are_named_where_they_may_help(line, first, untried):
    asked = analysis.question(line, ["en", "de"])
    assert abroad.untried([passage(1, first, 0.0)], asked, {"en": 90, "de": 10}) == untried
    assert abroad.untried([passage(1, first, 0.0)], asked, {}) == ()
