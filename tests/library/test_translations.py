"""Everyday words are found by what they are called in the other language of a workspace."""

import pytest

from apps.library import analysis
from apps.library.analysis.folding import fold
from apps.library.analysis.translations import SIDES, WORDS, told, translated
from apps.library.search import search
from tests.library.passages import document

BOOK = [f"Chapter {n} is about the weather in the mountains of the north." for n in range(20)]
LEASE = [
    "Der Mieter zahlt eine Kaution in Höhe von drei Monatsmieten.",
    "Die Miete beträgt monatlich 900 Euro und ist im Voraus fällig.",
    "Der Vermieter übergibt bei Einzug vier Schlüssel.",
    "Eine Untervermietung an Feriengäste ist nicht gestattet.",
    "Die Mietkaution wird verzinst.",
]


@pytest.fixture
def vault(workspace):
    document(workspace, "book.txt", [*BOOK, "It is a kind of wind."], language="en")
    document(workspace, "mietvertrag.txt", LEASE, language="de")
    return workspace


@pytest.mark.parametrize(
    ("word", "language", "found"),
    [
        ("rent", "en", {"de": ("Miete",)}),
        ("RENTS", "en", {"de": ("Miete",)}),
        ("rent", "de", {}),
        ("Mietern", "de", {"en": ("rent", "rental", "tenant", "lessee", "hire")}),  # or of Miete
        ("Miete", "", {"en": ("rent", "rental")}),
        ("Rate", "", {"en": ("installment", "instalment"), "de": ("Satz", "Quote")}),
        ("zeppelin", "", {}),
    ],
)
def test_a_word_is_known_in_the_other_language(word, language, found):
    assert translated(word, language) == found


@pytest.mark.parametrize(
    ("words", "language"),
    [
        (["rent"], "en"),
        (["kaution"], "de"),
        (["zeppelin", "keys"], "en"),
        (["rate"], ""),  # a word of both
        (["kaution", "landlord"], ""),
        (["zeppelin"], ""),
        ([], ""),
    ],
)
def test_a_word_or_two_tell_their_language(words, language):
    assert told(words) == language


def test_every_line_has_two_sides_that_differ():
    for line in WORDS.read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        sides = [[fold(word.strip()) for word in side.split(",")] for side in line.split("=")]
        assert len(sides) == len(SIDES) and all(map(all, sides)), line
        assert not set(sides[0]) & set(sides[1]), line
        assert all(word.isalpha() for side in sides for word in side), line


@pytest.mark.parametrize(
    ("question", "text", "marked"),
    [
        ("deposit", LEASE[0], "Kaution"),
        ("How high is the deposit?", LEASE[0], "Kaution"),
        ("How many keys did I get?", LEASE[2], "Schlüssel"),
        ("landlord", LEASE[2], "Vermieter"),
        ("Wie ist das Wetter?", BOOK[0], "weather"),
    ],
)
def test_it_is_found_and_marked_as_it_is_called_there(vault, question, text, marked):
    first = search(vault, question).hits[0]
    assert first.chunk.text == text
    assert marked in first.words


def test_a_word_counts_in_its_own_language_only(vault):
    """A child is a "Kind", which is another word in an English passage."""
    assert not any(hit.words for hit in search(vault, "child").hits)
    assert [hit.words for hit in search(vault, "kind").hits if hit.words] == [("kind",)]


def test_compounds_of_what_it_is_called_are_found(vault):
    marked = {hit.chunk.text: hit.words for hit in search(vault, "deposit").hits}
    assert marked[LEASE[4]] == ("Mietkaution",)


def test_only_languages_that_are_there_are_asked():
    asked = analysis.question("advice", ["en"], ["en"])
    assert [slot.abroad for slot in asked.slots] == [[]]
    asked = analysis.question("advice", ["en", "de"], ["en", "de"])
    assert [slot.abroad for slot in asked.slots] == [
        [("de", "berat"), ("de", "beratung"), ("de", "rat")]
    ]


def test_a_word_that_is_there_by_another_name_is_not_misspelled(vault):
    assert search(vault, "deposit").slips == ()


def test_what_stands_there_itself_goes_first(vault):
    document(vault, "bank.txt", ["Every deposit is insured up to a limit."], language="en")
    texts = [hit.chunk.text for hit in search(vault, "deposit").hits]
    assert texts[:2] == ["Every deposit is insured up to a limit.", LEASE[0]]


def test_a_supposed_language_is_told_apart():
    asked = analysis.question("deposit", ["en", "de"], ["en", "de"])
    assert (asked.language, asked.supposed) == ("en", True)
    asked = analysis.question("How high is the deposit?", ["en", "de"], ["en", "de"])
    assert (asked.language, asked.supposed) == ("en", False)
    asked = analysis.question("deposit", ["en", "de", "fr"], ["en", "de", "fr"])
    assert (asked.language, asked.supposed) == ("", False)
