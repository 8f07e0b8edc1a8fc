"""Which passages say something, and so can be near to a question in meaning."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.library import analysis

BARS = "❚❘❙❚❘❙❚❘❙❚❙" * 7
SENTENCES = [
    "To Eric, whose work first drew me to this cause",
    "Die Miete ist am dritten Werktag fällig.",
    "le loyer est payable au début du mois",
]


@pytest.mark.parametrize(
    ("text", "does"),
    [
        ("The tenant pays 500 € a month.", True),
        ("Umsatz 2023 2024\n1.200.345 1.300.200\nGewinn 20.100 21.400", True),
        ("東京", True),
        ("किराया 500", True),
        ("аренда", True),
        ("❚❘❙" * 30 + "\nPUZZLES", False),
        ("\n".join(map(str, range(1, 32))) + "\nS32\nR33", False),
        ("\ue001\ue002 \ue003\ue004", False),
        ("---- ==== ****", False),
        ("", False),
    ],
)
def test_ornaments_and_bare_numbers_say_nothing(text, does):
    assert analysis.speaks(text) is does


@pytest.mark.parametrize(
    ("text", "does"),
    [
        (f"{BARS}\n\nFREE CULTURE", False),
        (f"“PIRACY”\n\n{BARS}\n173", False),
        (f"{BARS}\n\nTHE PENGUIN PRESS\n\nNEW YORK\n\n2004", False),
        ("· · · · · · · · · · · · · · · ·\nKapitel 4", False),
        ("* " * 60 + "\nANHANG\n" + "* " * 60, False),
        ("=" * 60 + "\nANHANG\n" + "=" * 60, True),
        ("▌▍▎▏▐█▌▍▎▏▐█▌▍▎ 4 006381 333931", False),
        ("Umsatz\n1.200.345 1.300.200 20.100 21.400", True),
        ("2021 4.260,00\n2022 4.320,00", True),
        (
            "CONTENTS\nCreators ............ 21\nFounders ............ 85\n"
            "Recorders ........... 95\nTransformers ....... 100\nCollectors ......... 108\n"
            "Pirates .......... 53\nPiracy ........... 62\n",
            True,
        ),
        ("| Monat | Miete |\n| --- | --- |\n| Mai | 900 |", True),
        ("+------+------+\n| port | 9090 |\n+------+------+", True),
        ("┌──────────┬───────┐\n│ Werkstatt │ 1.200 │\n└──────────┴───────┘", True),
        ("WLAN: guest / 1234", True),
        ("Hauptstr. 7\n12345 Berlin", True),
        ("if (x) { return [];\n    }\n  }));\n}", True),
        ("curl -fsS http://localhost:9090/-/ready || exit 1", True),
        ("!!!! WICHTIG !!!!", True),
    ],
)
def test_under_a_heading_bare_numbers_speak_and_ornaments_do_not(text, does):
    assert analysis.speaks(text, headed=True) is does


@pytest.mark.parametrize(
    "text", ["WLAN: guest / 1234", "Hauptstr. 7\n12345 Berlin", "IBAN DE02 1203 0000 0000 2020 51"]
)
def test_a_short_note_speaks_without_a_heading(text):
    assert analysis.speaks(text)


@given(
    sentence=st.sampled_from(SENTENCES),
    before=st.text(alphabet="❚❘❙|─·.-=*\n ", max_size=400),
    after=st.text(alphabet="❚❘❙|─·.-=*\n 0123456789", max_size=400),
    headed=st.booleans(),
)
def test_a_page_with_a_sentence_speaks_whatever_stands_around_it(sentence, before, after, headed):
    assert analysis.speaks(f"{before}\n{sentence}\n{after}", headed=headed)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"{BARS}\n\nALSO BY", "\n\nALSO BY"),
        ("Creators ............ 21", "Creators  21"),
        ("| a | b |\n| --- | --- | --- | --- |", "| a | b |\n| --- | --- | --- | --- |"),
        ("x = {[()]}; // ...", "x = {[()]}; // ..."),
        ("+------+------+", "+------+------+"),
        ("Miete: 900 €", "Miete: 900 €"),
    ],
)
def test_bars_and_dots_are_left_out_and_nothing_else(text, left):
    assert analysis.unadorned(text) == left


@given(st.text(max_size=200))
def test_no_letter_and_no_digit_is_left_out(text):
    kept = [c for c in analysis.unadorned(text) if c.isalnum()]
    assert kept == [c for c in text if c.isalnum()]
