"""Greetings and thanks ask for nothing, and questions that begin with one ask."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.library import analysis

GREETINGS = [
    "hello",
    "Hi there!",
    "Hallo zusammen",
    "Moin",
    "Servus",
    "Grüezi",
    "Grüß Gott",
    "Gruess Gott",
    "Grüß dich!",
    "Guten Morgen",
    "Guten Tag",
    "Gute Nacht.",
    "good afternoon",
    "how are you?",
    "How are you doing today?",
    "How's it going?",
    "what's up",
    "wie geht's",
    "wie geht’s?",
    "Wie geht es dir",
    "Wie geht es Ihnen heute?",
    "Danke schön",
    "Dankeschön!",
    "vielen Dank",
    "Danke dir sehr",
    "thanks!",
    "Thank you",
    "thank you so much",
    "thanks a lot for your help",
    "Tschüss",
    "Bis später",
    "Auf Wiedersehen",
    "see you later",
    "bonjour",
    "merci beaucoup",
    "Hola",
    "muchas gracias",
    "buongiorno",
]


@pytest.mark.parametrize("text", GREETINGS)
def test_a_greeting_asks_for_nothing(text):
    assert analysis.question(text, ("de", "en")).idle


@given(st.lists(st.sampled_from(GREETINGS), min_size=1, max_size=3))
def test_and_so_do_several(greetings):
    assert analysis.question(", ".join(greetings), ("de", "en")).idle


@pytest.mark.parametrize(
    "text",
    [
        "Hallo, wie hoch ist die Kaution?",
        "Danke für die Kaution",
        "Wie geht das mit der Kündigung?",
        "what is up with the server",
        "bonjour mdns",
        "Guten Rutsch",
        "morgen",
        "Morgen",
        "schön",
        "Tag der Arbeit",
        "good",
        "help me move",
        "thank you letter to the landlord",
    ],
)
def test_what_only_begins_with_one_asks(text):
    assert not analysis.question(text, ("de", "en")).idle


@given(st.text(alphabet="abcdefghij äöü'’", max_size=40))
def test_no_text_takes_long_or_breaks_it(text):
    analysis.question(("danke schön " * 40) + text, ("de",))
