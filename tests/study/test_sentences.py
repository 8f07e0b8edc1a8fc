"""Sentences, whatever the lines: a table of passages."""

import pytest

from apps.study.sentences import is_whole, sentences, tidy

CASES = [
    ("One is here. Two is there.", ["One is here.", "Two is there."]),
    ("A sentence that goes\non here. Next.", ["A sentence that goes\non here.", "Next."]),
    ("It fits No. 6 up to 80 mm. It holds.", ["It fits No. 6 up to 80 mm.", "It holds."]),
    ("Fällig am 3. Mai 2025. Danach nicht.", ["Fällig am 3. Mai 2025.", "Danach nicht."]),
    (
        "Siehe Abs. 2 Nr. 4 dort. Es gilt z. B. hier.",
        ["Siehe Abs. 2 Nr. 4 dort.", "Es gilt z. B. hier."],
    ),
    (
        "## Heading\nThe text under it.\n\n- a point\n- another",
        ["## Heading", "The text under it.", "- a point", "- another"],
    ),
    (
        "It was shown.<sup>\\[9\\]</sup> More came.",
        ["It was shown.<sup>\\[9\\]</sup>", "More came."],
    ),
    (
        "§ 2 Settings a resident may change\n"
        "Each flat has a room control with three programs, and\nthe person may choose one.",
        [
            "§ 2 Settings a resident may change",
            "Each flat has a room control with three programs, and\nthe person may choose one.",
        ],
    ),
    ("| a | b |\n| c | d |", ["| a | b |", "| c | d |"]),
    ("", []),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_sentences_are_found_as_they_stand(text, expected):
    found = sentences(text)
    assert found == expected
    assert all(each in text for each in found)


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("- a **bold**\n  point", "a bold point"),
        ("Shown.<sup>\\[9\\]</sup>", "Shown."),
        ("The [link](/wiki/X) stays.", "The link stays."),
        ("ver-\narbeitet", "verarbeitet"),
        ("#### § 50 Zwecke", "§ 50 Zwecke"),
    ],
)
def test_marks_and_footnotes_go(sentence, told):
    assert tidy(sentence) == told


@pytest.mark.parametrize(
    ("sentence", "whole"),
    [
        ("The filter is replaced at each service.", True),
        ("geplante Verarbeitung verstoßen würde,", False),
        ("und legen die Zeit fest.", False),
        ("§ 2 Settings a resident may change", False),
        ("Grundnutzungsgebühr | 428,40 Euro.", False),
        ("1.2 .......... 14 and so on.", False),
        ("12 34 56 78 90 12 34 56 78.", False),
    ],
)
def test_only_whole_sentences_are_asked_about(sentence, whole):
    assert is_whole(sentence) is whole


def test_a_line_that_is_cut_short_is_no_heading_where_the_sentence_goes_on():
    text = (
        "The water of the heating circuit is treated by the company every second year.\n"
        "The hot water is kept at\n50 °C and heated to 60 °C once a week, on Wednesday.\n"
        "Die Tätigkeit ist zulässig, wenn hierdurch die Unabhängigkeit der oder des\n"
        "Bundesbeauftragten nicht beeinträchtigt wird.\n\nDefrosting\n"
        "Below about 5 °C the evaporator ices over and is defrosted every 90 minutes.\n"
    )
    told = [" ".join(part.split()) for part in sentences(text)]
    assert "The hot water is kept at 50 °C and heated to 60 °C once a week, on Wednesday." in told
    assert any(part.endswith("des Bundesbeauftragten nicht beeinträchtigt wird.") for part in told)
    assert "Defrosting" in told


def test_a_paragraph_begins_a_sentence():
    text = "Die Haftung wird nicht gemindert. § 5 Satz 2 gilt entsprechend."
    assert sentences(text) == [
        "Die Haftung wird nicht gemindert.",
        "§ 5 Satz 2 gilt entsprechend.",
    ]
    numbered = "Es folgen Maßnahmen gemäß § 64. (3) Die Verzeichnisse sind zu führen."
    assert sentences(numbered)[-1] == "(3) Die Verzeichnisse sind zu führen."
    assert len(sentences("Das gilt gem. § 5 auch für Hunde.")) == 1
