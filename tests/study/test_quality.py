"""The gate: tables of what it lets through."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.study import quality

PASSAGE = (
    "The tenant must give notice of three months, in writing.\n"
    "The deposit is returned within six months of the end of the lease (§ 551 BGB)."
)


@pytest.mark.parametrize(
    ("quote", "there"),
    [
        ("The tenant must give notice of three months", True),
        ("the TENANT must  give\nnotice of three months,", True),
        ("The tenant must give notice of four months", False),
        ("§ 551 BGB", True),
        ("", False),
        ("...", False),
    ],
)
def test_a_quote_stands_in_the_passage_or_does_not(quote, there):
    assert quality.in_passage(quote, PASSAGE) is there


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (["Three months", "Two months", "Four months", "Five months"], ""),
        (["RuBisCO", "Chlorophyll", "Rubisco", "Photosynthesis"], "two options say the same"),
        (["Three months", "Three months.", "a", "b"], "two options say the same"),
        (["Größe", "GRÖSSE", "a", "b"], "two options say the same"),
        (["a", "b", "c", " "], "an option is empty"),
        (["a", "b", "c", "All of the above"], "an option is about the other options"),
        (["a", "b", "c", "Keine der genannten"], "an option is about the other options"),
        (["a", "b", "c", "None of these"], "an option is about the other options"),
        (["True", "False"], ""),
    ],
)
def test_options_are_distinct_and_speak_for_themselves(options, fault):
    assert quality.options_fault(options) == fault


def test_the_best_quote_is_the_sentence_about_it():
    quote = quality.best_quote(PASSAGE, "When is the deposit returned?", "Within six months")
    assert quote.startswith("The deposit is returned within six months")
    assert quality.in_passage(quote, PASSAGE)


@pytest.mark.parametrize(
    ("answer", "least", "most"),
    [("Three months", 1, 1), ("Seven weeks", 0, 0), ("three weeks", 0.5, 0.5), ("", 0, 0)],
)
def test_support_is_the_share_of_words_that_are_there(answer, least, most):
    assert least <= quality.support(answer, PASSAGE) <= most


def test_a_stem_that_says_the_answer_gives_it_away():
    assert quality.gives_away("Is the notice three months long?", "Three months")
    assert not quality.gives_away("How long is the notice?", "Three months")


def test_nearly_the_same_question_repeats():
    earlier = ["How long is the notice period of the tenant?"]
    assert quality.repeats("How long is the tenant's notice period?", earlier)
    assert not quality.repeats("When is the deposit returned?", earlier)


def test_the_language_is_the_passages():
    german = "Die Kaution ist innerhalb von sechs Monaten nach dem Ende zurückzuzahlen."
    assert quality.other_language("When is the deposit to be returned to the tenant?", german)
    assert not quality.other_language("Wann ist die Kaution an den Mieter zurückzuzahlen?", german)


@given(st.text(max_size=200), st.text(max_size=200))
def test_no_text_is_too_strange(one, other):
    quality.in_passage(one, other)
    quality.best_quote(one, other)
    quality.options_fault([one, other])
    quality.repeats(one, [other])
    assert 0 <= quality.support(one, other) <= 1


@pytest.mark.parametrize(
    ("answer", "refers"),
    [
        ("Die Absätze 1 und 2", True),
        ("§ 45", True),
        ("nach § 3 Abs. 2", True),
        ("1990", False),
        ("Three months", False),
        ("1" * 110 + "!", False),
    ],
)
def test_an_answer_that_only_names_a_place_is_none(answer, refers):
    assert quality.only_refers(answer) is refers


def test_what_only_whoever_sees_the_passage_understands():
    assert quality.speaks_of_the_text("What is the conclusion of the passage?")
    assert quality.speaks_of_the_text("Was sagt der Abschnitt über Hunde?")
    assert not quality.speaks_of_the_text("How long is the notice?")


def test_how_is_not_answered_by_when():
    assert quality.answers_another_question("Wie wird die Wohnung beheizt?", "Seit März 2025")
    assert not quality.answers_another_question("Wie lange gilt er?", "Bis März 2025")
    assert not quality.answers_another_question("When was it built?", "In 1990")


def test_length_alone_must_not_tell():
    assert quality.stands_out("word " * 14, ["a", "b", "c"])
    assert not quality.stands_out("Three months", ["A", "B", "C"])


def test_numbers_come_from_the_passage():
    assert quality.new_numbers("551 or 552", PASSAGE) == {"552"}
    assert quality.is_ended("It ends.") and not quality.is_ended("It does not en")


def test_options_that_differ_in_their_grammar_only_say_the_same():
    alike = ["Die Monate mit den neuen Pumpen", "Die Monate mit der neuen Pumpe", "Nie", "Immer"]
    assert "other forms" in quality.options_fault(alike)
    apart = ["Wohnung 12 im Haus 8", "Wohnung 13 im Haus 8", "8:00 to 17:00", "8:00 to 18:00"]
    assert quality.options_fault(apart) == ""
    assert quality.options_fault(["Dogs are allowed", "Dogs are not allowed"]) == ""


def test_a_question_names_what_the_passage_speaks_of():
    passage = "Die öffentliche Stelle veröffentlicht die Kontaktdaten der Beauftragten."
    assert quality.invents("Was ist die Hauptfunktion der öffentlichen Stelle?", passage)
    assert not quality.invents("Was veröffentlichen öffentliche Stellen?", passage)
    assert quality.telling("Was ist der Fehler?") == {"fehler"}
    assert quality.dangles("Diese Daten dürfen übermittelt werden.")
    assert not quality.dangles("Die Daten dürfen übermittelt werden.")


ALIKE = [
    ["Wenn der Wirt die Speise gebracht hat", "Wenn der Koch die Speise gebracht hat", "a", "b"],
    ["If the letter reached the office late", "If the letter reached the office soon", "a", "b"],
    ["Das Ende des § 10", "Das Ende des § 11", "Das Ende des § 12", "Das Ende des § 13"],
    ["Wenn der Fehler zu sehen war", "Wenn der Fehler nicht zu sehen war", "Nie", "Immer"],
]
APART = [
    ["Within two months", "Within six months", "Within a year", "At once"],
    ["Bis zum dritten Werktag im Mai", "Bis zum zehnten Werktag im Mai", "Nie", "Immer"],
    ["Two euros", "Three euros", "Five euros", "Nothing"],
    ["Der Wirt", "Der Koch", "Die Gäste", "Niemand"],
]


def test_long_options_that_differ_by_one_word_are_one_too_many():
    for options in ALIKE:
        assert quality.too_alike(options)
    for options in APART:
        assert not quality.too_alike(options)
        assert quality.options_fault(options) == ""


def test_short_options_in_other_forms_say_the_same():
    assert "other forms" in quality.options_fault(["Hund", "Hunde", "Katzen", "Vögel"])


def test_a_paragraph_without_its_text_says_nothing():
    assert quality.refers("Was gilt nach Absatz 1 Satz 2?")
    assert not quality.refers("Was gilt nach § 3 Absatz 1?")
    assert not quality.refers("Wie lang ist der Satz?")
    assert quality.dangles("Satz 1 ist entsprechend anzuwenden.")
    assert quality.dangles("Gleiches gilt für Hunde.")
