"""What the viewer shows of a document: a page, lines, rows of a table, sections, and the passage.

Only what was read and stored is shown as text, never the file itself; pictures of pages are
drawn by the parser's child process and kept, since they can always be drawn again.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from django.db.models import QuerySet
from django.db.models.functions import Length
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from apps.library import coverage, labels, pointing, rendering
from apps.library.models import Chunk, Document, LocatorKind, Part
from apps.library.pointing import NOWHERE, Span

WINDOW = 300  # lines or rows shown at once
BEFORE = 12  # lines shown above a passage
RUN = 20_000  # characters of sections shown at once
SECTIONS = 60  # sections shown at once
AIR = re.compile(r"\n(?:[ \t]*\n){2,}")  # two blank lines or more, shown as one
PICTURED = {"pdf", "image"}  # formats whose pages are shown as pictures
MARKED_UP = {"markdown", "html"}  # read as Markdown
TYPED = {"docx", "pptx"}  # paragraphs, and rows of tables among them
AROUND = 25  # headings of the outline on either side of the present one
PAGES_AROUND = 8  # thumbnails on either side


@dataclass(frozen=True, slots=True)
class Line:
    number: int
    text: str
    cells: list[str]
    cited: bool
    first: bool  # of those cited
    said: bool  # it holds the cited sentence, or a part of it


@dataclass(frozen=True, slots=True)
class Leaf:
    """One part as it is shown; `shape` is rich, prose, lines or table.

    What is rich is `html` with the passage marked in it. Prose is cut: before the passage, in it
    before the sentence that is cited, that, the rest of the passage, and what comes after it.
    `more` lines follow those that are shown.
    """

    part: Part
    shape: str
    before: str = ""
    cited: str = ""
    sentence: str = ""
    rest: str = ""
    after: str = ""
    html: str = ""
    lines: Sequence[Line] = ()
    header: Sequence[str] = ()
    more: int = 0


@dataclass(frozen=True, slots=True)
class _Cited:
    """A passage, where it stands in the text of its part, and where the cited sentence does."""

    chunk: Chunk
    passage: Span
    sentence: Span = NOWHERE

    @classmethod
    def by(cls, chunk: Chunk, pointer: str) -> "_Cited":
        """A sentence of a neighbour that was read along makes the passage reach to it."""
        start, end = chunk.start, chunk.end
        first, last = pointing.pointed(pointer, chunk.part.text, start, end)
        if last > first:
            start, end = min(start, first), max(end, last)
        return cls(chunk, (start, end), (first, last))

    @property
    def words(self) -> str:
        return self.chunk.part.text[slice(*self.sentence)]


@dataclass(frozen=True, slots=True)
class Sight:
    """What lies open. `page` is 0 unless its picture is shown; addresses may be empty."""

    document: Document
    leaves: list[Leaf]
    label: str = ""
    page: int = 0
    pages: int = 0
    previous: str = ""
    next: str = ""
    chunk: Chunk | None = None
    sentence: str = ""  # that is cited, and was found in the passage
    ordinal: int = 0
    seconds: int = 0  # where a recording begins to play
    around: Sequence[Part] = ()  # without their text, where what is shown begins in the middle

    @property
    def recognised(self) -> bool:
        """Whether the text beside a page's picture is what OCR made of it."""
        return any(leaf.part.ocr for leaf in self.leaves)


def open_at(
    document: Document,
    *,
    chunk: Chunk | None = None,
    page: int | None = None,
    ordinal: int = 0,
    line: int = 0,
    pointer: str = "",
) -> Sight:
    """The document opened at a passage, a page or a part; at its beginning without any.

    In a passage the sentence is marked that the pointer names.
    """
    cited = _Cited.by(chunk, pointer) if chunk else None
    parts = document.parts.filter(revision=chunk.revision if chunk else document.revision)
    if document.format in PICTURED:
        return _page(document, parts, cited, page)
    if chunk:
        ordinal, line = chunk.part.ordinal, _line_of(chunk)
    asked = ordinal
    if document.character_count <= RUN and not line:
        ordinal = 0
    leaves, following = _run(parts, ordinal, line, cited, document.format)
    if not leaves:
        return Sight(document, [], chunk=chunk)
    last = leaves[-1]
    shown = (line if len(leaves) == 1 else 0) + len(last.lines)
    around = _around(parts, ordinal) if ordinal else []
    return Sight(
        document,
        leaves,
        label=chunk.label if chunk else leaves[0].part.label,
        previous=_address(ordinal, max(line - WINDOW, 0)) if line else _previous(around, ordinal),
        next=_address(last.part.ordinal, shown) if last.more else _address(following),
        around=around,
        chunk=chunk,
        sentence=cited.words if cited else "",
        ordinal=chunk.part.ordinal if chunk else ordinal,
        seconds=_seconds(leaves, chunk, asked),
    )


def _seconds(leaves: list[Leaf], chunk: Chunk | None, ordinal: int) -> int:
    """Where in a recording what was asked for is said."""
    if chunk:
        return chunk.number if chunk.kind == LocatorKind.TIME else 0
    asked = (leaf.part for leaf in leaves if leaf.part.ordinal == ordinal)
    return next((part.number for part in asked if part.kind == LocatorKind.TIME), 0)


def _page(
    document: Document, parts: QuerySet[Part], cited: _Cited | None, page: int | None
) -> Sight:
    chunk = cited.chunk if cited else None
    reading = document.total or 0 if document.state == Document.State.READING else 0
    pages = max(document.part_count, reading, chunk.number if chunk else 0)
    number = chunk.number if chunk else min(max(page or 1, 1), max(pages, 1))
    part = parts.filter(kind=LocatorKind.PAGE, number=number).first()
    return Sight(
        document,
        [_leaf(part, 0, cited)] if part else [],
        label=part.label if part else f"page {number}",
        page=number if pages else 0,
        pages=pages,
        previous=page_address(number - 1) if number > 1 else "",
        next=page_address(number + 1) if number < pages else "",
        chunk=chunk,
        sentence=cited.words if cited else "",
        ordinal=number - 1,
    )


def page_address(number: int) -> str:
    return f"?{urlencode({'page': number})}"


def _address(ordinal: int | None, line: int = 0) -> str:
    if ordinal is None:
        return ""
    return "?" + urlencode({"part": ordinal} | ({"line": line} if line else {}))


def _around(parts: QuerySet[Part], ordinal: int) -> list[Part]:
    """The parts before and after one, each with the `length` of its text in place of it."""
    near = parts.filter(ordinal__range=(ordinal - SECTIONS, ordinal + AROUND))
    return list(_bare(near).annotate(length=Length("text")))


def _bare(parts: QuerySet[Part]) -> QuerySet[Part]:
    """What the outline needs of them, with the key of the document: Django asks each for it."""
    return parts.only("ordinal", "label", "ocr", "document")


def _previous(around: Sequence[Part], ordinal: int) -> str:
    """Where to begin so that what ends before `ordinal` fills a view."""
    size, begin = 0, None
    for part in reversed([part for part in around if part.ordinal < ordinal]):
        size += vars(part)["length"]
        if begin is not None and size > RUN:
            break
        begin = part.ordinal
    return _address(begin)


def _run(
    parts: QuerySet[Part], ordinal: int, line: int, cited: _Cited | None, format: str
) -> tuple[list[Leaf], int | None]:
    """Parts from one on, as many as fill a view, and the next one; one cut short ends it."""
    leaves: list[Leaf] = []
    size = 0
    for part in parts.filter(ordinal__gte=ordinal)[: SECTIONS + 1]:
        size += len(part.text)
        if leaves and (size > RUN or len(leaves) == SECTIONS):
            return leaves, part.ordinal
        leaves.append(_leaf(part, 0 if leaves else line, cited, format))
        if leaves[-1].more:
            break
    return leaves, None


def _leaf(part: Part, line: int, cited: _Cited | None, format: str = "") -> Leaf:
    passage, said = NOWHERE, NOWHERE
    if cited and cited.chunk.part_id == part.pk:
        passage, said = cited.passage, cited.sentence
    if part.kind == LocatorKind.LINES or part.header or part.kind == LocatorKind.SHEET:
        return _lines(part, line, passage, said)
    text = part.text
    if format in MARKED_UP:
        return Leaf(part, "rich", html=rendering.rendered(text, *passage, said))
    if format in TYPED:
        return Leaf(part, "rich", html=rendering.typed(text, *passage, said))
    start, end = passage
    first, last = said if said != NOWHERE else (end, end)
    places = (0, start, first, last, end, len(text))
    before, marked, sentence, rest, after = (_airy(text[a:b]) for a, b in pairwise(places))
    return Leaf(part, "prose", before, marked, sentence, rest, after)


def _airy(text: str) -> str:
    return AIR.sub("\n\n", text)


def _lines(part: Part, begin: int, passage: Span, sentence: Span) -> Leaf:
    shape = "lines" if part.kind == LocatorKind.LINES else "table"
    numbered = part.kind in {LocatorKind.LINES, LocatorKind.SHEET}
    first = part.number if numbered else 1
    texts = part.text.split("\n")
    lines, offset, seen = [], sum(len(text) + 1 for text in texts[:begin]), False
    for index, text in enumerate(texts[begin : begin + WINDOW], begin):
        cited, said = (_touches(each, offset, len(text)) for each in (passage, sentence))
        cells = _cells(text) if shape == "table" else []
        lines.append(Line(first + index, text, cells, cited, cited and not seen, said))
        seen, offset = seen or cited, offset + len(text) + 1
    header = _cells(part.header) if part.header else []
    more = max(len(texts) - begin - WINDOW, 0)
    return Leaf(part, shape, lines=lines, header=header, more=more)


def _touches(span: Span, offset: int, length: int) -> bool:
    """Whether a passage shares a character with a line, not just the line's end."""
    return offset < span[1] and offset + length > span[0]


def _cells(row: str) -> list[str]:
    """The cells of a row, in Markdown's way of writing them too."""
    return [cell.strip() for cell in row.strip().removeprefix("|").removesuffix("|").split("|")]


def _line_of(chunk: Chunk) -> int:
    """The line of the part from which to show a passage: a few above it, or all from the start."""
    line = chunk.part.text.count("\n", 0, chunk.start)
    return 0 if line + BEFORE < WINDOW // 2 else line - BEFORE


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the outline; `level` counts from 0, the address is empty for what is shown."""

    words: str
    address: str
    here: bool
    ordinal: int
    level: int = 0
    page: int = 0
    ocr: bool = False


def outline(sight: Sight) -> list[Place]:
    """The places around the present one, at most twice as many as AROUND says, and one."""
    document, around = sight.document, PAGES_AROUND if sight.page else AROUND
    low, high = sight.ordinal - around, sight.ordinal + around
    if sight.page:
        scanned: set[int] = set()
        if document.ocr_count:
            parts = document.parts.filter(ocr=True, number__range=(low + 1, high + 1))
            scanned = set(parts.values_list("number", flat=True))
        numbers = range(max(low + 1, 1), min(high + 1, sight.pages) + 1)
        return [
            Place(
                _("Page %(number)s") % {"number": n},
                page_address(n),
                n == sight.page,
                n - 1,
                page=n,
                ocr=n in scanned,
            )
            for n in numbers
        ]
    if sight.around or not sight.next:
        known = sight.around or [leaf.part for leaf in sight.leaves]  # all of them, from the first
        return _headings([part for part in known if low <= part.ordinal <= high], sight)
    revision = sight.chunk.revision if sight.chunk else document.revision
    near = document.parts.filter(revision=revision, ordinal__range=(low, high))
    return _headings(list(_bare(near)), sight)


def _headings(parts: list[Part], sight: Sight) -> list[Place]:
    """One place a heading: a section that was cut is named once."""
    places: list[Place] = []
    label, shown = None, {leaf.part.ordinal for leaf in sight.leaves}
    for part in parts:
        if part.label == label:
            continue
        label = part.label
        path = part.label.split(" › ")
        places.append(
            Place(
                words=labels.said(path[-1] or "Beginning"),
                address="" if part.ordinal in shown else _address(part.ordinal),
                here=part.ordinal == sight.ordinal,
                ordinal=part.ordinal,
                level=min(len(path) - 1, 3),
                ocr=part.ocr,
            )
        )
    return places


def note_read(sight: Sight) -> None:
    """Note what a person has before the eyes for sure: the passage asked for, those of a page."""
    if sight.page:
        coverage.mark_page(sight.document, sight.page)
    elif sight.chunk:
        coverage.mark([sight.chunk.pk], "read")
