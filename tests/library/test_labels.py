"""Places as the reader calls them: neighbours as one, long paths by their end."""

import pytest

from apps.library import labels


@pytest.mark.parametrize(
    ("stored", "told"),
    [
        (["rows 14–25", "rows 26–37", "rows 38–43"], ["rows 14–43"]),
        (["row 2", "rows 3–4"], ["rows 2–4"]),
        (["lines 25–27, docx", "lines 27–31, docx"], ["lines 25–31, docx"]),
        (["lines 1–9, dock", "lines 10–12, sail"], ["lines 1–9, dock", "lines 10–12, sail"]),
        (["sheet Plan, rows 2–9", "sheet Plan, rows 10–12"], ["sheet Plan, rows 2–12"]),
        (["rows 2–9", "rows 20–22"], ["rows 2–9", "rows 20–22"]),
        (["page 4", "page 4"], ["page 4"]),
        (["page 4", "page 5"], ["page 4", "page 5"]),
        (["Lease › § 4"], ["Lease › § 4"]),
        ([], []),
    ],
)
def test_neighbours_are_one_place(stored, told):
    assert labels.together(stored) == told


def test_a_long_path_is_told_by_its_end():
    law = "An act of some length on data › Part 3 of that act › Chapter 2 of it › § 49 Purposes"
    assert labels.brief(law) == "… › Part 3 of that act › Chapter 2 of it › § 49 Purposes"
    assert labels.brief(law, 20) == "… › § 49 Purposes"
    assert labels.brief("Lease › § 4") == "Lease › § 4"
    assert labels.brief("word " * 40) == "word " * 40
