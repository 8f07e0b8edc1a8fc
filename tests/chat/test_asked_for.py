"""A question for one kind of figure is not answered by another."""

import pytest

from apps.chat import asked_for

LIMIT = "What is the time limit for a claim under § 12?"


@pytest.mark.parametrize(
    ("question", "text", "missed"),
    [
        (LIMIT, "A claim may be made after 1990.", True),
        (LIMIT, "The time limit is in section 12.", False),  # says little, but nothing wrong
        (LIMIT, "A claim lapses three years after the damage became known.", False),
        (LIMIT, "Claims must be made by 31 March 2020.", False),
        ("Wie lange dauert die Frist?", "Das Gesetz ist von 1989.", True),
        ("Wie lange dauert die Frist?", "Der Anspruch verjährt in drei Jahren.", False),
        ("Nach wie vielen Jahren erlischt der Anspruch?", "Nach zehn Jahren.", False),
        ("How long did the war last?", "From 1914 to 1918.", False),
        ("How long is the bridge?", "It is 120 metres long.", False),
        ("What does a plot cost?", "It costs 40 euros.", False),
        ("What does a plot cost?", "It must be paid within 30 days.", True),
        ("When was the law made?", "In 1989.", False),
        ("Who wrote the law?", "It was written in 1989.", False),
        ("How many CDs were copied?", "50,000 CDs.", False),
    ],
)
def test_another_kind_of_figure_is_told(question, text, missed):
    assert asked_for.missed(question, text) is missed


@pytest.mark.parametrize(
    ("sentence", "given"),
    [
        ("(1) Der Anspruch nach § 1 verjährt in drei Jahren.", True),
        ("(1) Der Anspruch nach § 1 setzt einen Fehler voraus.", False),
        ("Dieses Gesetz tritt am 1. Januar 1990 in Kraft.", False),
        ("Gesetz von 1989", False),
    ],
)
def test_the_number_of_a_section_is_no_value(sentence, given):
    assert asked_for.given("Within how many years must one sue?", sentence) is given
