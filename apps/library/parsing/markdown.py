"""Markdown: one part a section, labelled with the headings above it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from apps.library.parsing import Opened, ReadPart, Source
from apps.library.parsing.encodings import decode
from apps.library.parsing.text import lines_of

HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
TITLE = re.compile(r"""^title:\s*["']?(.*?)["']?\s*$""", re.MULTILINE)
MARKS = re.compile(r"[*_`]{1,3}|!?\[([^\]]*)\]\([^)]*\)")
BREADCRUMB = 400  # characters at most
SECTION = 100_000  # characters of a part at most
TABLE_ROWS = 20  # a longer table is a part of its own, so that each piece has its header


@dataclass
class Section:
    path: list[str]
    first: int
    lines: list[str] = field(default_factory=list)
    depth: int = 0


def read(source: Source) -> Iterator[Opened | ReadPart]:
    text, _encoding = decode(source.path.read_bytes())
    lines = lines_of(text)
    title = TITLE.search(text[:2000]) if text.startswith("---") else None
    yield Opened("markdown", title[1] if title else first_heading(lines), None, "")
    yield from parts(lines)


def first_heading(lines: list[str]) -> str:
    found = next((s for s in sections(lines) if s.path), None)
    return found.path[0] if found else ""


def parts(lines: list[str]) -> Iterator[ReadPart]:
    """One part a section; a heading with nothing under it goes into the section below it."""
    held: list[str] = []
    number = 0
    everything = list(sections(lines))
    for section, below in zip(everything, [*everything[1:], None], strict=True):
        body = section.lines[1:] if section.depth else section.lines
        first = section.first - len(held)
        whole = held + section.lines
        bare = not any(line.strip() for line in body)
        if bare and below is not None and (below.depth > section.depth or not section.depth):
            held = whole
            continue
        held = []
        for part in _cut(whole, first, (" › ".join(section.path) or "Beginning")[-BREADCRUMB:]):
            number += 1
            yield ReadPart("section", number, part.label, part.text, part.header, part.first_line)


def sections(lines: list[str]) -> Iterator[Section]:
    """From heading to heading; what stands before the first one is a section without a path."""
    path: list[tuple[int, str]] = []
    section = Section([], 1)
    fence = ""
    for index, line in enumerate(lines):
        if mark := FENCE.match(line):
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence) and not line.strip(" `~"):
                fence = ""
        depth, title = (0, "") if fence else _heading(lines, index)
        if depth:
            yield section
            path = [(level, name) for level, name in path if level < depth] + [(depth, title)]
            section = Section([name for _, name in path if name], index + 1, depth=depth)
        section.lines.append(line)
    yield section


def _heading(lines: list[str], index: int) -> tuple[int, str]:
    line = lines[index]
    if found := HEADING.match(line):
        return len(found[1]), plain(found[2] or "")
    below = lines[index + 1] if index + 1 < len(lines) else ""
    before = lines[index - 1] if index else ""
    underlined = UNDERLINE.match(below) and line.strip() and not before.strip()
    if (
        underlined
        and not UNDERLINE.match(line)
        and line.lstrip()[:1] not in "|>-*+"
        and "|" not in line
    ):
        return (1 if "=" in below else 2), plain(line)
    return 0, ""


def plain(heading: str) -> str:
    """A heading's words without the marks of emphasis and links."""
    return " ".join(MARKS.sub(lambda found: found[1] or "", heading).split())[:200]


def _cut(lines: list[str], first: int, label: str) -> Iterator[ReadPart]:
    """The section, with its long tables as parts of their own."""
    start = index = 0
    while index < len(lines):
        length = _table(lines, index)
        if length > TABLE_ROWS + 2:
            yield from _prose(lines[start:index], first + start, label)
            rows = "\n".join(lines[index + 2 : index + length])
            header = lines[index]
            yield ReadPart("section", 0, label, rows, header, first + index + 2)
            start = index = index + length
        else:
            index += max(length, 1)
    yield from _prose(lines[start:], first + start, label)


def _table(lines: list[str], index: int) -> int:
    """How many lines a table has that begins here: header, rule and rows; 0 for none."""
    rule = lines[index + 1].strip() if index + 1 < len(lines) else ""
    if "|" not in lines[index] or "-" not in rule or rule.strip("|-: \t"):
        return 0
    end = index + 2
    while end < len(lines) and "|" in lines[end]:
        end += 1
    return end - index


def _prose(lines: list[str], first: int, label: str) -> Iterator[ReadPart]:
    text = "\n".join(lines)
    for begin in range(0, len(text), SECTION):
        piece = text[begin : begin + SECTION]
        if piece.strip():
            yield ReadPart(
                "section", 0, label, piece, first_line=first + text.count("\n", 0, begin)
            )
