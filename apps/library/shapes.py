"""What the lines of a passage are: prose, headings, items, rows of a table or code.

For search a passage is text; whoever reads it wants rows as rows and commands letter by letter.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from apps.library.marking import plain
from apps.library.models import Chunk, LocatorKind
from apps.library.rendering import CELL, FRONT
from apps.library.viewing import MARKED_UP, PICTURED, TYPED

# Signs around what stood in backticks: tidied text has no control characters.
CODE, CODE_END = "\x02", "\x03"
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f]")
BLANK = re.compile(r"\n(?:[ \t]*\n)+")
GOES_ON = re.compile(r"(\w{3,},?) ?\n\n(?=[a-zäöüß]{2,})")  # a sentence, over the blocks of a page
INDENTED = re.compile(r"^(?: {4}|\t)(?=[ \t]*\S)")
FENCE = re.compile(r" {0,3}(?:`{3,}|~{3,})")
HEADING = re.compile(r" {0,3}#{1,6}[ \t]+")
RULE = re.compile(r"[ \t]*(?:\|?[ \t]*:?-{3,}:?[-:| \t]*|[*_=-]{3,})[ \t]*")
BARRED = re.compile(r"[ \t]*\|.+\|[ \t]*")
QUOTED = re.compile(r"^[ \t]{0,3}>[ \t]?")
ITEM = re.compile(
    r"[ \t]*(?:(?P<dot>[-*+•·▪◦–][ \t]+)(?:\[(?P<box>[ xX])\][ \t]+)?"
    r"|(?P<number>(?:\d{1,3}[.)]|\(?[a-z\d]{1,2}\))[ \t]+))(?=\S)"
)
# Names of files of plain text whose lines are mostly prose, not settings or a record of a program.
WORDY = {"", "txt", "text", "rst", "org", "adoc", "tex", "eml"}
# What a shell, a program or its record writes, and hardly a person.
TERSE = re.compile(
    r"[ \t]*(?:[$%]\s|#!|\d{4}-\d\d-\d\d[T ]\d\d:\d\d)"
    r"|.*(?:(?:^|\s)--?[a-z][\w-]*[ =]\S|[{};]\s*$|=>|\s\|\s\w|\$\(|\w\(\)|(?:^|\s)~?/\w+/\w)"
)
WRAPPED, FULL = 38, 0.7  # a line so long, and so long beside the longest, goes on in the next
SHORT = 25  # letters; a few such lines side by side on a page are the cells of a row


@dataclass(frozen=True, slots=True)
class Line:
    """What is shown on a line of its own: `kind` is prose, heading, item, row or code."""

    kind: str
    cells: tuple[str, ...]  # of a row; one of any other
    sign: str = ""  # before an item: a bullet, its number
    head: tuple[str, ...] = ()  # of a row: the names of its columns
    opens: bool = False  # something else ended above it


def of(chunks: Sequence[Chunk], text: str) -> list[Line]:
    """The lines of neighbouring passages, whose text together is `text`."""
    chunk, text = chunks[0], BLANK.sub("\n\n", CONTROL.sub(" ", text))
    part, format = chunk.part, chunk.document.format
    if part.header or part.kind == LocatorKind.SHEET:
        return list(_table(text, headed=bool(part.header)))
    if part.kind == LocatorKind.LINES:
        ending = chunk.document.name.rpartition(".")[2] if "." in chunk.document.name else ""
        wordy = format != "code" and ending.lower() in WORDY
        return list(_typed(text) if wordy else _code(_indent(chunk) + text))
    if format in MARKED_UP:
        above = part.text[: chunk.start]
        fenced = sum(map(bool, map(FENCE.match, above.split("\n")))) % 2 == 1
        shown = _indent(chunk) + text
        return list(_marked_up(shown, fenced, _is_listed(above), top=not above.strip()))
    return list(_rows_among(text) if format in TYPED else _typed(text, format in PICTURED))


def _table(text: str, headed: bool) -> Iterator[Line]:
    rows = [_cells(row) for row in text.split("\n") if row.strip() and not RULE.fullmatch(row)]
    head = rows.pop(0) if headed and len(rows) > 1 else ()
    yield from (Line("row", row, head=head) for row in rows)


def _code(text: str) -> Iterator[Line]:
    for line in text.strip("\n").split("\n"):
        yield Line("code", (line.rstrip(),))


def _indent(chunk: Chunk) -> str:
    """What was trimmed before the first line of code: it stands as far in as it did."""
    before = chunk.part.text[: chunk.start]
    blank = before[before.rfind("\n") + 1 :]
    return blank if blank.isspace() else ""


def _typed(text: str, pictured: bool = False) -> Iterator[Line]:
    """Text without marks: paragraphs, lists, and what looks like commands."""
    for block in (GOES_ON.sub(r"\1\n", text) if pictured else text).split("\n\n"):
        rows = [row.rstrip() for row in block.split("\n") if row.strip()]
        terse = sum(1 for row in rows if TERSE.match(row))
        if not pictured and rows and terse * 2 >= len(rows):
            yield from _opened(_code("\n".join(rows)))
        elif pictured and len(rows) > 1 and max(map(len, rows)) < SHORT:
            yield Line("prose", (" · ".join(row.strip() for row in rows),), opens=True)
        else:
            full = max(WRAPPED, FULL * max(map(len, rows), default=0))
            yield from _opened(_gathered(rows, full))


def _rows_among(text: str) -> Iterator[Line]:
    """Paragraphs of an office document, each on a line, and rows of tables among them."""
    for block in text.split("\n\n"):
        rows = [row for row in block.split("\n") if row.strip()]
        if len(rows) > 1 and all(CELL in row for row in rows):
            yield from _opened(_named([_cells(row) for row in rows]))
        else:
            full = max(map(len, rows), default=0) + 1
            yield from _opened(_gathered(rows, full))


def _marked_up(text: str, fenced: bool, listed: bool, top: bool) -> Iterator[Line]:
    """Markdown: what its marks say of a line, without the marks."""
    front = FRONT.match(text) if top else None
    if front:
        yield from _code("\n".join(front[0].strip().split("\n")[1:-1]))
        text = text[front.end() :]
    held: list[str] = []
    code: list[str] = []
    for line in [*_with_fences(text.split("\n"), fenced, listed), ""]:
        if FENCE.match(line):
            yield from _paragraph(held)
            fenced = not fenced
            yield from _opened(_code("\n".join(code))) if code else ()
            code.clear()
        elif fenced:
            code.append(line)
        elif HEADING.match(line):
            yield from _paragraph(held)
            yield Line("heading", (_bare(line),), opens=True)
        elif not line.strip():
            yield from _paragraph(held)
        else:
            held.append(QUOTED.sub("", line))
    if any(each.strip() for each in code):
        yield from _opened(_code("\n".join(code).rstrip("\n")))


def _with_fences(lines: Sequence[str], fenced: bool, listed: bool) -> Iterator[str]:
    """The lines, with fences around code that has none but stands in by four blanks.

    Below an item of a list what stands in goes on with the item.
    """
    code: list[str] = []
    free = True  # nothing stands right above
    for line in lines:
        blank = not line.strip()
        if not fenced and not listed and free and INDENTED.match(line):
            code.append(INDENTED.sub("", line))
            continue
        if code and blank:
            code.append("")
            continue
        yield from _between_fences(code)
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced and not blank and (free or ITEM.match(line)) and line[0] not in " \t":
            listed = bool(ITEM.match(line))
        free = blank or bool(HEADING.match(line))
        yield line
    yield from _between_fences(code)


def _between_fences(code: list[str]) -> Iterator[str]:
    if code:
        yield from ("```", *"\n".join(code).rstrip("\n").split("\n"), "```", "")
        code.clear()


def _is_listed(above: str) -> bool:
    """Whether what comes below this may belong to an item of a list."""
    starts = (block for block in reversed(above.split("\n\n")) if block[:1].strip())
    return bool(ITEM.match(next(starts, "")))


def _paragraph(held: list[str]) -> Iterator[Line]:
    """What stood between two blank lines of Markdown: a table, a list or prose."""
    ruled = len(held) > 1 and "|" in held[0] and bool(RULE.fullmatch(held[1]))
    rows = [line for line in held if not RULE.fullmatch(line)]
    held.clear()
    if rows and (ruled or all(map(BARRED.fullmatch, rows))):
        cells = [tuple(map(_bare, _cells(row))) for row in rows]
        head = cells.pop(0) if ruled and len(cells) > 1 else ()
        yield from _opened(Line("row", row, head=head) for row in cells)
    else:
        for line in _opened(_gathered(rows, 0)):
            yield replace(line, cells=(_bare(line.cells[0]),))


def _gathered(rows: Sequence[str], full: float) -> Iterator[Line]:
    """Prose and items; a line that is `full` goes on in the next one, if that is no item."""
    line, last = None, ""
    for row in rows:
        item = ITEM.match(row)
        words = row[item.end() :].strip() if item else row.strip()
        if line and not item and len(last) >= full:
            line = replace(line, cells=(f"{line.cells[0]} {words}",))
        else:
            if line:
                yield line
            line = Line("item", (words,), _sign(item)) if item else Line("prose", (words,))
        last = row
    if line:
        yield line


def _sign(item: re.Match[str]) -> str:
    if item["number"]:
        return item["number"].strip()
    return "•" if item["box"] is None else "☐" if item["box"] == " " else "☑"


def _named(rows: list[tuple[str, ...]]) -> Iterator[Line]:
    """Rows; the first names the columns where it has no number and one below it has."""
    first, *others = (any(map(str.isdigit, "".join(row))) for row in rows)
    head = rows.pop(0) if not first and any(others) else ()
    yield from (Line("row", row, head=head) for row in rows)


def _opened(lines: Iterator[Line]) -> Iterator[Line]:
    for n, line in enumerate(lines):
        yield line if n else replace(line, opens=True)


def _cells(row: str) -> tuple[str, ...]:
    """The cells of a row, in Markdown's way of writing them too."""
    bare = row.strip().removeprefix("|").removesuffix("|")
    return tuple(cell.strip() for cell in bare.split("|"))


def _bare(text: str) -> str:
    """Words without the marks of Markdown; what stood in backticks stands between signs."""
    return plain(text, rf"{CODE}\2{CODE_END}").strip()
