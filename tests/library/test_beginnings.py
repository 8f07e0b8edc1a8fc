"""Of an identifier its beginning may be all that is remembered."""

import pytest

from apps.library.search import search
from tests.library.passages import document

NOTES = [
    "E-4012 means that the disk is full.",
    "E-4112 means that the lamp is broken.",
    "Windows stops with 0x80070005 when access is denied.",
    "Install KB5034441 before the restart.",
    "Invoice INV-2024-017 was paid in March.",
    "Screws of size M8 hold the frame; M80 is a road.",
    "§ 58 is about the statutes, Art. 52 about the seat.",
]


@pytest.fixture
def notes(workspace):
    filler = [f"Note number {n} is about the garden." for n in range(20)]
    document(workspace, "notes.txt", [*NOTES, *filler], language="en")
    return workspace


@pytest.mark.parametrize(
    ("asked", "place", "marked"),
    [
        ("E-40", 0, "E-4012"),
        ("e40", 0, "E-4012"),
        ("what does E-401 mean?", 0, "E-4012"),
        ("0x8007", 2, "0x80070005"),
        ("KB503", 3, "KB5034441"),
        ("INV-2024-01", 4, "INV-2024-017"),
    ],
)
def test_it_finds_those_that_begin_so(notes, asked, place, marked):
    found = search(notes, asked)
    assert found.hits[0].chunk.text == NOTES[place]
    assert marked in found.hits[0].words
    assert found.answerable and not found.sure


def test_what_is_called_that_itself_is_meant(notes):
    document(notes, "more.txt", ["E-40 means that nothing is wrong."], language="en")
    hits = search(notes, "E-40").hits
    assert hits[0].chunk.text == "E-40 means that nothing is wrong."
    assert not any("E-4012" in hit.words for hit in hits)


@pytest.mark.parametrize("asked", ["§ 5", "Art. 5", "M8", "E-4"])
def test_another_section_or_screw_is_another_one(notes, asked):
    marked = {word for hit in search(notes, asked).hits for word in hit.words}
    assert not marked & {"§ 58", "Art. 52", "M80", "E-4012", "E-4112"}
