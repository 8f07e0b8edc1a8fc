"""Citations that can be trusted as far as shared words go."""

import pytest

from apps.library.citing import repaired, support

PUMP = "The heat pump was commissioned on 14 March 2019 by Kessler GmbH."
CARE = "The heat pump must be serviced every 12 months. The filter is replaced at each service."
COST = "The yearly heating costs dropped from 18,400 euros to 11,200 euros."
PASSAGES = [PUMP, CARE, COST]

CASES = {
    "a right one stays": (
        "The pump is serviced every 12 months [2].",
        "The pump is serviced every 12 months [2].",
    ),
    "a wrong one moves": (
        "The heat pump was commissioned by Kessler GmbH [3].",
        "The heat pump was commissioned by Kessler GmbH [1].",
    ),
    "one that nothing supports goes": (
        "The mayor is called Hans Peter Huber [1].",
        "The mayor is called Hans Peter Huber.",
    ),
    "one that does not exist moves": (
        "Heating costs dropped to 11,200 euros [7].",
        "Heating costs dropped to 11,200 euros [3].",
    ),
    "a missing one is added before the full stop": (
        "The filter is replaced at each service. Kessler GmbH commissioned the heat pump.",
        "The filter is replaced at each service [2]. Kessler GmbH commissioned the heat pump [1].",
    ),
    "nothing is added to what says little": ("Yes.", "Yes."),
    "each part of a sentence keeps its own": (
        "It must be serviced every 12 months [2] and was commissioned in March 2019 [1].",
        "It must be serviced every 12 months [2] and was commissioned in March 2019 [1].",
    ),
    "the same twice in a row is once": (
        "The heat pump must be serviced [2][2].",
        "The heat pump must be serviced [2].",
    ),
    "a citation of nothing goes": ("[1] [2]", ""),
    "lists are read line by line": (
        "- serviced every 12 months\n- filter replaced at each service [1]",
        "- serviced every 12 months [2]\n- filter replaced at each service [2]",
    ),
    "code is left alone": (
        "```\na[1] = heat pump serviced\n```",
        "```\na[1] = heat pump serviced\n```",
    ),
    "a date is not the end of a sentence": (
        "The heat pump was commissioned on 14. March 2019.",
        "The heat pump was commissioned on 14. March 2019 [1].",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_citations_are_put_right(case):
    text, right = CASES[case]
    assert repaired(text, PASSAGES).text == right


def test_what_is_used_and_what_nothing_supports_is_counted():
    found = repaired("It was commissioned by Kessler GmbH [1]. The mayor sings loudly.", PASSAGES)
    assert (found.used, found.sentences, found.unsupported) == ((1,), 2, 1)


def test_a_wrong_number_in_a_sentence_is_no_support():
    """A figure weighs twice: the sentence shares its words with the passage, not its fact."""
    assert repaired("Costs dropped to 99,999 euros by 2031 [3].", PASSAGES).used == ()


def test_across_languages_names_and_numbers_are_enough():
    text = "Die Wärmepumpe wurde am 14. März 2019 von der Kessler GmbH in Betrieb genommen [1]."
    assert repaired(text, PASSAGES, foreign=True).text == text


def test_no_text_makes_it_fail():
    for text in ["", "[1]", "[[1]]", "]1[", "." * 500, "a [1] " * 200, "\n\n#[1]\n|[2]|"]:
        repaired(text, PASSAGES)
        repaired(text, [])


def test_support_is_the_share_of_what_is_said():
    assert support("The heat pump must be serviced every 12 months.", CARE) == 1
    assert support("The heat pump must be serviced every 13 months.", CARE) == 0
    assert 0 < support("Elephants service the heat pump.", CARE) < 1
    assert support("", CARE) == 0


def test_strictly_a_sentence_that_nothing_supports_is_left_out():
    text = "It was commissioned by Kessler GmbH [1]. The caretaker keeps the garden keys. Yes."
    found = repaired(text, PASSAGES, strict=True)
    assert found.text == "It was commissioned by Kessler GmbH [1]. Yes."
    assert found.used == (1,)


def test_what_a_sentence_adds_to_the_question_must_stand_in_the_passage():
    asked = "What colour is the heat pump?"
    passages = ["The heat pump of house 4 stands behind a grey cover."]
    assert repaired("The heat pump is white [1].", passages, strict=True, asked=asked).used == ()
    kept = repaired("The heat pump has a grey cover [1].", passages, strict=True, asked=asked)
    assert kept.text == "The heat pump has a grey cover [1]."
