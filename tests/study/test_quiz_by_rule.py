"""Questions by rule: the gap, what belongs there, and what does not."""

import pytest

from apps.study.cloze import GAP, clozes
from apps.study.quiz_by_rule import gaps

NUMBERS = [
    ("Quiet is kept in the whole house from 22:00 on every day.", "22:00", ["23:00", "21:00"]),
    ("The members pay a deposit of 1.240 euros for the flat.", "1.240", ["2.480", "1.860", "620"]),
    ("The cooperative was founded in the spring of 1924 by miners.", "1924", ["1923", "1925"]),
    ("A lost key of the house costs the tenant 48 euros at once.", "48", ["58", "43", "53"]),
    ("Die Karte für den Hund kostet auf der Fähre 1,20 Euro.", "1,20", ["2,20", "3,20", "4,20"]),
    ("The lease of the garden began on 15.04.2025 in the evening.", "15.04.2025", ["25.04.2025"]),
]


@pytest.mark.parametrize(("text", "right", "wrong"), NUMBERS)
def test_a_number_stands_among_numbers_of_its_form(text, right, wrong):
    made = next(gaps(text, text), None)
    assert made is not None
    assert made.right == right
    assert made.wrong[: len(wrong)] == wrong
    assert len({*made.wrong, made.right}) == 4
    assert made.front.replace(GAP, right) == made.true == made.quote
    assert made.false != made.true


def test_a_word_stands_among_words_of_the_document_that_end_alike():
    sentence = "(1) Mehrere Hersteller haften für den Schaden als Gesamtschuldner."
    document = sentence + " Jeder Käufer und Verbraucher hat einen Lebenspartner oder Verwalter."
    made = next(gaps(sentence, document), None)
    assert made is not None
    assert made.right == "Gesamtschuldner"
    assert set(made.wrong) <= {"Verbraucher", "Lebenspartner", "Verwalter", "Käufer"}
    assert made.front.startswith("Mehrere"), "the number of the paragraph is left out"
    assert made.question("de").startswith("Ergänze die Lücke: ")
    assert made.question("fr").startswith("Fill the gap: ")


NONE = [
    "",
    "It is said that they do so, and those who do it say that it was always so.",
    "Ist streitig, ob dies so ist, gilt § 3.",
    "The only sentence has no other word that would do.",
]


@pytest.mark.parametrize("text", NONE)
def test_where_nothing_is_fit_there_is_no_question(text):
    assert list(gaps(text, text)) == []


def test_the_number_of_a_paragraph_is_nothing_to_learn():
    text = "Ist die Haftung nach Absatz 2 oder 3 ausgeschlossen, so trägt der Hersteller sie nicht."
    made = next(clozes(text, text))
    assert not made.back.isdigit()


def test_wrong_words_are_no_forms_or_parts_of_what_stands_there():
    sentence = "Hersteller ist, wer das Endprodukt, einen Grundstoff oder ein Teilprodukt macht."
    document = (
        sentence + " Das Produkt des Herstellers geht an Ersatzpflichtige, und die"
        " Ersatzpflichtigen haben den Verbraucher und den Importeur zu hören."
    )
    made = next(gaps(sentence, document), None)
    assert made is not None
    assert not {"Produkt", "Herstellers"} & set(made.wrong)
    assert not {"Ersatzpflichtige", "Ersatzpflichtigen"} <= set(made.wrong)


def test_a_noun_is_asked_for_and_neither_a_regulation_nor_a_torn_sentence():
    text = (
        "Die unterscheidungskräftigen Zeichen führt nach der Verordnung (EU) 2016/679 das Amt. "
        "L 119 vom 4.5.2016, S. 89) stehen die assoziierten Staaten den anderen gleich. "
        "Satz 1 ist auf den Hersteller eines Grundstoffs entsprechend anzuwenden."
    )
    assert [made.back for made in clozes(text, text)] == ["Verordnung"]


def test_sentences_that_name_a_paragraph_come_last():
    text = (
        "Die in Absatz 2 genannten Verzeichnisse sind bis 1990 schriftlich zu führen. "
        "Die Vermieterin hat die Bücher der Genossenschaft sorgfältig aufzubewahren."
    )
    assert [GAP in made.front for made in clozes(text, text)] == [True, True]
    assert next(clozes(text, text)).front.startswith("Die Vermieterin")
