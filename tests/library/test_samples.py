"""The six samples are read, each with what only it says at its place."""

import pytest

from apps.library import samples, sandbox
from apps.library.chunking import cut
from apps.library.parsing import Opened, ReadPart

PLACES = [
    ("Heat pump manual.pdf", "page 2", "Too little air through the", False),
    ("Heat pump manual.pdf", "page 3", "LH-2207-4472", False),
    (
        "House rules.md",
        "House rules of the Lindenhof cooperative › § 1 Quiet hours",
        "from 22:00 to 6:00",
        False,
    ),
    ("Maintenance log 2025.csv", "rows 2–13", "2025-04-22 | 8 | heat pump | E-17", False),
    ("Nutzungsvertrag Wohnung 12.docx", "§ 2 Nutzungsgebühr", "Zusammen | 599,00 Euro", False),
    (
        "Rundbrief Juni 2025.html",
        "Rundbrief Juni 2025 › Solaranlage auf Haus 6",
        "SO-2025-088",
        False,
    ),
    ("Abnahmeprotokoll (Scan).pdf", "page 1", "Frist zur Nachbesserung: 11. April 2025", True),
]


@pytest.mark.parametrize(("name", "label", "phrase", "ocr"), PLACES)
def test_a_sample_says_what_it_says_at_its_place(name, label, phrase, ocr):
    pieces = list(sandbox.read(samples.FOLDER / name, name))
    assert isinstance(pieces[0], Opened)
    holding = {
        passage.label: part
        for part in pieces
        if isinstance(part, ReadPart)
        for passage in cut(part)
        if phrase in " ".join(passage.text.split())
    }
    assert label in holding
    assert holding[label].ocr is ocr
    assert (holding[label].confidence or 1) > 0.85


def test_samples_are_small_and_all_listed():
    files = {path for path in samples.FOLDER.iterdir() if path.suffix not in {".py", ""}}
    assert files == set(samples.FILES)
    assert all(path.stat().st_size < 150_000 for path in files)
