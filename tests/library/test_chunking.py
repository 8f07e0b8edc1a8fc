"""Passages lose nothing, stay small and know their place."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.library.chunking import ROWS, Cut, cut, embedded_text, spans
from apps.library.parsing import ReadPart

SIZE = 1000
prose = st.text(st.sampled_from("abcdefg äöüß.!?\n\n\t  §字漢。、ا"), max_size=6000) | st.lists(
    st.text(max_size=400), max_size=20
).map("\n\n".join)
rows = st.lists(st.text(st.sampled_from("abc |1 "), max_size=1500) | st.just(""), max_size=70)


def lost(part: ReadPart, pieces: list[Cut]) -> list[int]:
    held = {offset for piece in pieces for offset in range(piece.start, piece.end)}
    return [at for at, letter in enumerate(part.text) if letter.strip() and at not in held]


@given(prose)
def test_every_letter_of_prose_is_in_a_passage_at_its_offsets(text):
    part = ReadPart("page", 1, "page 1", text)
    pieces = cut(part)
    assert not lost(part, pieces)
    for piece in pieces:
        assert piece.text == text[piece.start : piece.end]
        assert piece.text.strip()
        assert len(piece.text) <= SIZE * 1.25


@given(rows)
def test_every_letter_of_a_table_is_in_a_passage_with_the_header(lines):
    part = ReadPart("sheet", 1, "rows 2–9", "\n".join(lines), header="name | size", first_line=2)
    pieces = cut(part)
    assert not lost(part, pieces)
    for piece in pieces:
        assert piece.text == f"name | size\n{part.text[piece.start : piece.end]}"
        assert piece.text.count("\n") <= ROWS + 60  # empty rows between are kept, not counted
        assert len(piece.text) <= SIZE * 1.3


@given(prose, st.integers(50, 400), st.integers(0, 200))
def test_passages_go_forward_and_overlap_little(text, size, overlap):
    found = list(spans(text, size, overlap))
    for (start, end), (next_start, next_end) in pairwise(found):
        assert start < next_start <= end + len(text[end:next_start]) and end < next_end
        assert end - next_start <= overlap
        assert not text[end:next_start].strip()


def test_a_section_that_fits_is_one_passage_with_its_breadcrumb():
    part = ReadPart("section", 3, "Lease › Notice", "# Notice\n\nThree months.")
    (piece,) = cut(part, "House rules")
    assert piece.heading == "House rules › Lease › Notice"
    assert (piece.kind, piece.number, piece.label) == ("section", 3, "Lease › Notice")
    assert embedded_text(piece.heading, piece.text).startswith("House rules › Lease › Notice\n# N")


def test_ornaments_are_not_embedded_but_tell_passages_apart():
    bars = "❚❘❙" * 9
    plain, adorned = (
        cut(ReadPart("page", 1, "page 1", text), "A book")[0]
        for text in ("Contents\nCreators ... 21", f"Contents\n{bars}Creators ... 21")
    )
    learned = {embedded_text(piece.heading, piece.text) for piece in (plain, adorned)}
    assert learned == {"A book\nContents\nCreators ... 21"}
    assert plain.digest != adorned.digest
    assert bars in adorned.text


def test_a_short_tail_stays_with_its_neighbour():
    part = ReadPart("page", 1, "page 1", "word " * 220)
    assert len(cut(part)) == 1


def test_prose_is_cut_after_a_paragraph_where_one_ends_in_time():
    text = "First. " * 120 + "\n\n" + "Second. " * 120
    first, *_ = cut(ReadPart("page", 1, "page 1", text))
    assert first.text.endswith("First.")


def test_text_without_spaces_is_cut_after_its_full_stops():
    text = "漢字仮名交じり文。" * 300
    pieces = cut(ReadPart("page", 1, "page 1", text))
    assert len(pieces) > 2
    assert all(piece.text.endswith("。") for piece in pieces)


def test_lines_are_told_as_they_are_numbered_in_the_file():
    text = "\n".join(f"line {number} " + "x" * 90 for number in range(10, 40))
    pieces = cut(ReadPart("lines", 10, "lines 10–39", text, first_line=10))
    assert pieces[0].label == "lines 10–19"
    assert pieces[0].number == 10
    assert pieces[-1].label.endswith("–39")


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("rows 2–51", ["rows 2–21", "rows 22–41", "rows 42–51"]),
        (
            "sheet Budget, rows 2–51",
            ["sheet Budget, rows 2–21", "sheet Budget, rows 22–41", "sheet Budget, rows 42–51"],
        ),
    ],
)
def test_tables_are_cut_by_twenty_rows_that_are_named(label, expected):
    text = "\n".join(f"{number} | x" for number in range(2, 52))
    part = ReadPart("sheet", 2, label, text, header="number | letter", first_line=2)
    pieces = cut(part)
    assert [piece.label for piece in pieces] == expected
    assert [piece.number for piece in pieces] == [2, 22, 42]


def test_an_empty_part_has_no_passages():
    assert cut(ReadPart("page", 1, "page 1", " \n ")) == []


def test_the_digest_changes_with_heading_and_text():
    one, two, three = (
        cut(ReadPart("section", 1, label, text))[0].digest
        for label, text in [("A", "x"), ("B", "x"), ("A", "y")]
    )
    assert len({one, two, three}) == 3
