"""Parts become passages: about 1,000 characters that end where a reader would pause.

Nothing is lost: short tails stay with their neighbour, and every piece of a table says what its
columns are.
"""

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from django.conf import settings

from apps.library.analysis import unadorned
from apps.library.parsing import ReadPart

ROWS = 20  # of a table in one passage, at most
PARAGRAPH = re.compile(r"\n[ \t]*\n")
SENTENCE = re.compile(r"[.!?…:;][\"'”’»)\]]*(?=\s)|[。！？]|\n")
BLANK = re.compile(r"\s")
ROW_LABEL = re.compile(r"(?:, |^)rows? \d+(?:–\d+)?$")
HEADING = 500  # characters, as the column


@dataclass(frozen=True, slots=True)
class Cut:
    """A passage of a part; `start` and `end` are offsets into the part's text, end exclusive."""

    text: str
    heading: str
    kind: str
    number: int
    label: str
    start: int
    end: int
    digest: str


def cut(part: ReadPart, title: str = "") -> list[Cut]:
    """The part's passages in order; together they hold every character that is not blank."""
    heading = _heading(part, title)
    if part.header:
        return [_table_piece(part, heading, *span) for span in _row_spans(part)]
    lines = _line_starts(part.text) if part.kind == "lines" or part.kind == "sheet" else []
    return [_piece(part, heading, start, end, lines) for start, end in spans(part.text)]


def embedded_text(heading: str, text: str) -> str:
    """What is embedded: the passage below its heading, without ornaments."""
    return _below(heading, unadorned(text))


def _below(heading: str, text: str) -> str:
    return f"{heading}\n{text}" if heading else text


def _heading(part: ReadPart, title: str) -> str:
    if part.kind == "lines":
        return " › ".join(filter(None, (title, _named(part))))[:HEADING]
    if part.kind != "section" or part.label.startswith(title):
        return (part.label if part.kind == "section" else title)[:HEADING]
    return (f"{title} › {part.label}" if title else part.label)[:HEADING]


def spans(text: str, size: int = 0, overlap: int = -1) -> Iterator[tuple[int, int]]:
    """Where passages begin and end; none is longer than a size and a quarter."""
    size = size or settings.CHUNK_SIZE
    overlap = min(settings.CHUNK_OVERLAP if overlap < 0 else overlap, size // 4)
    start, last = 0, len(text.rstrip())
    start = len(text) - len(text.lstrip())
    while last - start > size + size // 4:
        end = _border(text, start + size // 2, start + size)
        yield _trimmed(text, start, end)
        start = _resumed(text, end, overlap)
    if last > start:
        yield _trimmed(text, start, last)


def _border(text: str, low: int, high: int) -> int:
    """The best place to end between two offsets: after a paragraph, sentence, word, anywhere."""
    for border in (PARAGRAPH, SENTENCE, BLANK):
        ends = [found.end() for found in border.finditer(text, low, min(high + 1, len(text)))]
        ends = [end for end in ends if low < end <= high]
        if ends:
            return ends[-1]
    return high


def _resumed(text: str, end: int, overlap: int) -> int:
    """Where the next passage begins: a sentence, else a word, of the last one is said again."""
    if not overlap:
        return end
    for border in (SENTENCE, BLANK):
        found = border.search(text, end - overlap, end)
        if found and found.end() < end and text[found.end() : end].strip():
            return found.end()
    return end - overlap


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())


def _piece(part: ReadPart, heading: str, start: int, end: int, lines: list[int]) -> Cut:
    text = part.text[start:end]
    number, label = part.number, part.label
    if lines:
        number = part.first_line + bisect_right(lines, start) - 1
        last = part.first_line + bisect_right(lines, end - 1) - 1
        label = (
            _rows_label(part, number, last)
            if part.kind == "sheet"
            else ", ".join(filter(None, (_range("line", number, last), _named(part))))
        )
    return Cut(text, heading, part.kind, number, label, start, end, _digest(heading, text))


def _named(part: ReadPart) -> str:
    """What is defined in lines of code: "Harbour › dock" of "lines 12–40, Harbour › dock"."""
    return part.label.partition(", ")[2]


def _line_starts(text: str) -> list[int]:
    return [0, *(found.end() for found in re.finditer("\n", text))]


def _row_spans(part: ReadPart) -> Iterator[tuple[int, int, int, int]]:
    """Start, end, first row and last row of each piece of a table."""
    room = settings.CHUNK_SIZE - min(len(part.header), settings.CHUNK_SIZE // 2)
    begin = at = 0
    first = part.first_line
    held = 0
    for index, line in enumerate(part.text.split("\n")):
        number = part.first_line + index
        if held and (number - first >= ROWS or at + len(line) - begin > room):
            yield begin, at - 1, first, number - 1
            held = 0
        if not held:
            begin, first = at, number
        if len(line) > settings.CHUNK_SIZE:
            for start, end in spans(line, max(room, 200)):
                yield at + start, at + end, number, number
            held = 0
        elif line.strip():
            held += 1
        at += len(line) + 1
    if held:
        yield begin, len(part.text), first, part.first_line + part.text.count("\n")


def _table_piece(part: ReadPart, heading: str, start: int, end: int, first: int, last: int) -> Cut:
    body = part.text[start:end]
    rows = body.rstrip("\n")
    last -= body.count("\n") - rows.count("\n")
    header = part.header[: settings.CHUNK_SIZE // 2]
    text = f"{header}\n{rows}"
    number = first if part.kind == "sheet" else part.number
    label = _rows_label(part, first, last)
    return Cut(
        text, heading, part.kind, number, label, start, start + len(rows), _digest(heading, text)
    )


def _rows_label(part: ReadPart, first: int, last: int) -> str:
    place = ROW_LABEL.sub("", part.label)
    rows = _range("row", first, last)
    return f"{place[:450]}, {rows}" if place else rows


def _range(word: str, first: int, last: int) -> str:
    return f"{word}s {first}–{last}" if last > first else f"{word} {first}"


def _digest(heading: str, text: str) -> str:
    return hashlib.sha256(_below(heading, text).encode()).hexdigest()
