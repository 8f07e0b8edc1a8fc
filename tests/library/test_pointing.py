"""A sentence in an address: named without its words, and found again in its document."""

import pytest

from apps.library.pointing import NOWHERE, pointed, pointer

TEXT = """Fees are due in May.

The **notice period** is three
months, or “as agreed.” Fees are due in May."""
SENTENCE = "The notice period is three months, or “as agreed.”"


def test_a_sentence_is_found_whatever_its_lines_and_marks():
    start, end = pointed(pointer(SENTENCE), TEXT, 0, len(TEXT))
    assert TEXT[start:end] == "The **notice period** is three\nmonths, or “as agreed.”"


def test_the_passage_comes_first_and_its_neighbours_next():
    twice = "Fees are due in May."
    second = TEXT.rindex(twice)
    assert pointed(pointer(twice), TEXT, second, len(TEXT)) == (second, len(TEXT))
    assert pointed(pointer(twice), TEXT, 25, 60) == (0, len(twice)), "of a neighbour read along"


def test_a_pointer_tells_no_word():
    assert not set(SENTENCE.casefold().split()) & set(pointer(SENTENCE).split("-"))
    assert pointer("… – !") == ""


@pytest.mark.parametrize("said", ["", "The notice", "0" * 12 + "-4", "0" * 12 + "-0", "x" * 9999])
def test_what_points_to_nothing_is_nowhere(said):
    assert pointed(said, TEXT, 0, len(TEXT)) == NOWHERE
