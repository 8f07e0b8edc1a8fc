"""Plain text, source code and configuration: lines as they stand, never executed or loaded."""

from collections.abc import Iterator

from apps.library.parsing import Opened, ReadPart, Refusal, Source
from apps.library.parsing.encodings import decode
from apps.library.parsing.tidying import tidy
from apps.library.parsing.words import _

PART = 20_000  # characters of a part, about
LONGEST_LINE = 100_000  # characters; a longer line is several parts with the same line number


def read(source: Source) -> Iterator[Opened | ReadPart]:
    """Parts of about 20,000 characters that end at a line's end, where they can at a blank one."""
    text, _encoding = decode(source.path.read_bytes())
    lines = tidy(text).split("\n")
    if not any(line.strip() for line in lines):
        raise Refusal(_("The file has no text: only blanks and line ends."))
    yield Opened("text", "", None, "")
    yield from parts(lines)


def parts(lines: list[str]) -> Iterator[ReadPart]:
    start, size = 0, 0
    for index, line in enumerate(lines):
        if size and (
            size + len(line) > LONGEST_LINE or size > PART * 2 or (size > PART and not line.strip())
        ):
            yield from _part(lines[start:index], start + 1)
            start, size = index, 0
        size += len(line) + 1
    yield from _part(lines[start:], start + 1)


def _part(lines: list[str], first: int) -> Iterator[ReadPart]:
    text = "\n".join(lines)
    label = f"lines {first}–{first + len(lines) - 1}" if len(lines) > 1 else f"line {first}"
    for begin in range(0, len(text), LONGEST_LINE):
        piece = text[begin : begin + LONGEST_LINE]
        if piece.strip():
            yield ReadPart("lines", first, label, piece, first_line=first)
