"""Plain text, source code and configuration: lines as they stand, never executed or loaded."""

import json
import re
from collections.abc import Iterator

from apps.library.parsing import Opened, ReadPart, Refusal, Source
from apps.library.parsing.encodings import decode
from apps.library.parsing.tidying import tidy
from apps.library.parsing.words import _

PART = 20_000  # characters of a part, about
# Letters that JSON writes by number; never control characters, quotes or backslashes.
ESCAPED = re.compile(
    r"(?<!\\)(?:\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|\\u(?:00[a-fA-F]|0[1-9a-fA-F][0-9a-fA-F]|[1-9a-cA-CefEF][0-9a-fA-F]{2}|[dD][0-7][0-9a-fA-F])"
    r"[0-9a-fA-F])"
)
LONGEST_LINE = 100_000  # characters; a longer line is several parts with the same line number


def read(source: Source) -> Iterator[Opened | ReadPart]:
    """Parts of about 20,000 characters that end at a line's end, where they can at a blank one."""
    text, _encoding = decode(source.path.read_bytes())
    if source.name.lower().endswith((".json", ".jsonl", ".ndjson")):
        text = ESCAPED.sub(lambda found: json.loads(f'"{found[0]}"'), text)
    lines = lines_of(text)
    yield Opened("text", "", None, "")
    yield from parts(lines)


def lines_of(text: str) -> list[str]:
    """The tidied lines of a file, to the last that says something. Raises Refusal without any."""
    lines = tidy(text).split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        raise Refusal(_("The file has no text: only blanks and line ends."))
    return lines


def parts(lines: list[str], first: int = 1) -> Iterator[ReadPart]:
    """Parts of lines of which the first has that number in its file."""
    start, size = 0, 0
    for index, line in enumerate(lines):
        if size and (
            size + len(line) > LONGEST_LINE or size > PART * 2 or (size > PART and not line.strip())
        ):
            yield from _part(lines[start:index], first + start)
            start, size = index, 0
        size += len(line) + 1
    yield from _part(lines[start:], first + start)


def _part(lines: list[str], first: int) -> Iterator[ReadPart]:
    text = "\n".join(lines)
    label = f"lines {first}–{first + len(lines) - 1}" if len(lines) > 1 else f"line {first}"
    for begin in range(0, len(text), LONGEST_LINE):
        piece = text[begin : begin + LONGEST_LINE]
        if piece.strip():
            yield ReadPart("lines", first, label, piece, first_line=first)
