"""DOCX: sections under their headings, tables in place, then headers, footers and notes.

Read from the XML itself: text boxes, equations and tracked changes are text too.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from apps.library.parsing import Opened, ReadPart, Refusal, Skipped, Source, pictures, tidying
from apps.library.parsing.packages import Package, attribute, local
from apps.library.parsing.tidying import row, squeeze
from apps.library.parsing.words import _

Relations = dict[str, tuple[str, str]]
DOCUMENT = "word/document.xml"
INLINE_ROWS = 20  # a longer table is a part of its own, so that each piece has its header
SECTION = 50_000  # characters of a part, about
BREADCRUMB = 400
HEADING_STYLE = re.compile(
    r"^(?:heading|überschrift|titre|kop|título|titolo)\s*([1-9])$", re.IGNORECASE
)
TEMPLATE = "python-docx"  # in the description of what it makes, which is of 2013 for ever
# Drawn twice for old readers; deleted text; instructions of fields.
NOT_TEXT = {"Fallback", "del", "moveFrom", "instrText", "delText", "rPr", "pPr", "sectPr", "tblPr"}
BESIDE = [("header", "header"), ("footer", "footer"), ("footnotes", "footnotes"),
          ("endnotes", "endnotes"), ("comments", "comments")]  # fmt: skip


@dataclass
class Section:
    """What is being gathered: blocks of text under a path of headings."""

    path: list[tuple[int, str]] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)
    size: int = 0
    bare: bool = True  # nothing but headings so far

    @property
    def label(self) -> str:
        names = [name for _, name in self.path if name]
        return (" › ".join(names) or "Beginning")[-BREADCRUMB:]

    def add(self, block: str) -> None:
        self.blocks.append(block)
        self.size += len(block)


def read(source: Source) -> Iterator[Opened | ReadPart | Skipped]:
    package = Package(source.path)
    if DOCUMENT not in package:
        raise Refusal(_("The DOCX is damaged: it has no document inside. Export it again."))
    root = package.xml(DOCUMENT)
    title, changed = core(package)
    yield Opened("docx", title, None, _language(package), changed)
    number = 0
    shown: dict[str, str] = {}
    body = _body(root, _heading_levels(package), package.relations(DOCUMENT), shown)
    for part in chain(body, _beside(package), _pictures(package, shown, source)):
        number += 1
        yield replace(part, number=number)
    if embedded := package.names("word/embeddings/"):
        yield Skipped(
            "embedded files",
            _("Embedded documents are not read: %(number)s.") % {"number": len(embedded)},
        )
    if not number:
        media = package.names("word/media/")
        yield Skipped(
            "whole file",
            _("No text was found, nor in its pictures (%(number)s).") % {"number": len(media)},
        )


def _pictures(package: Package, shown: dict[str, str], source: Source) -> Iterator[ReadPart]:
    """What the pictures say, each under the headings it stands below."""
    reader = pictures.Reader(package, source.languages)
    for member, place in shown.items():
        text, sure = reader.text(member)
        if text:
            label = f"{place} › picture"[-BREADCRUMB:]
            yield ReadPart("section", 0, label, text, ocr=True, confidence=sure)


def core(package: Package) -> tuple[str, str]:
    """What an Office document of any kind calls itself, and when it says it was changed."""
    if "docProps/core.xml" not in package:
        return "", ""
    told: dict[str, str] = {}
    for element in package.xml("docProps/core.xml").iter():
        told.setdefault(local(element), element.text or "")
    # What a program made of a template may still have the template's date.
    dated = TEMPLATE not in told.get("description", "")
    changed = told.get("modified") or told.get("created") or ""
    return tidying.title(told.get("title", "")), changed.strip() if dated else ""


def _language(package: Package) -> str:
    if "word/styles.xml" not in package:
        return ""
    for element in package.xml("word/styles.xml").iter():
        if local(element) == "lang":
            return attribute(element, "val")[:2].lower()
    return ""


def _heading_levels(package: Package) -> dict[str, int]:
    """Style id → level of heading; a style may inherit it from the one it is based on."""
    if "word/styles.xml" not in package:
        return {}
    levels: dict[str, int] = {}
    based: dict[str, str] = {}
    for style in package.xml("word/styles.xml"):
        if local(style) != "style":
            continue
        name = attribute(style, "styleId")
        for child in style.iter():
            match local(child):
                case "name" if found := HEADING_STYLE.match(attribute(child, "val")):
                    levels[name] = int(found[1])
                case "name" if attribute(child, "val").lower() == "title":
                    levels[name] = 1
                case "basedOn":
                    based[name] = attribute(child, "val")
                case "outlineLvl" if attribute(child, "val").isdigit():
                    levels.setdefault(name, int(attribute(child, "val")) + 1)
    for name, parent in based.items():
        if name not in levels and parent in levels:
            levels[name] = levels[parent]
    return {name: level for name, level in levels.items() if level <= 9}


def _body(
    root: Any, levels: dict[str, int], relations: Relations, shown: dict[str, str]
) -> Iterator[ReadPart]:
    """Sections and long tables; the pictures met are noted in `shown` with where they stand.

    A paragraph that says what an earlier heading says is one too: copied chapters lose styles.
    """
    section, known = Section(), dict[str, int]()
    for block in _blocks(root):
        for member in pictures.shown(block, relations):
            shown.setdefault(member, section.label)
        if local(block) == "tbl":
            rows = table_rows(block)
            if len(rows) > INLINE_ROWS:
                yield from _finished(section)
                yield ReadPart("section", 0, section.label, "\n".join(rows[1:]), rows[0], 2)
                section = Section(section.path)
            elif rows:
                section.add("\n".join(rows))
                section.bare = False
            continue
        text = squeeze(paragraph_text(block))
        if not text:
            continue
        name = " ".join(text.split())[:200]
        level = _level(block, levels) or known.get(name, 0)
        if level or section.size > SECTION:
            if not section.bare or (level and section.path and level <= section.path[-1][0]):
                yield from _finished(section)
                section = Section(section.path)
            if level:
                above = [(depth, name) for depth, name in section.path if depth < level]
                section.path = [*above, (level, name)]
                known[name] = level
        section.add(text)
        section.bare = section.bare and bool(level)
    yield from _finished(section)


def _finished(section: Section) -> Iterator[ReadPart]:
    if section.blocks:
        yield ReadPart("section", 0, section.label, "\n\n".join(section.blocks))


def _blocks(root: Any) -> Iterator[Any]:
    """Paragraphs and tables in reading order, through content controls and the like."""
    stack = list(reversed(root))
    while stack:
        element = stack.pop()
        name = local(element)
        if name in {"p", "tbl"}:
            yield element
        elif name and name not in NOT_TEXT:
            stack.extend(reversed(element))


def paragraph_text(paragraph: Any) -> str:
    """The paragraph's letters; a text box anchored in it follows on lines of its own."""
    out: list[str] = []
    stack: list[Any] = list(reversed(paragraph))
    while stack:
        element = stack.pop()
        if isinstance(element, str):
            out.append(element)
            continue
        match local(element):
            case "t":
                out.append(element.text or "")
            case "tab" | "ptab":
                out.append("\t")
            case "br" | "cr":
                out.append("\n")
            case "noBreakHyphen":
                out.append("-")
            case name if name in NOT_TEXT or not name:
                continue
            case "txbxContent" | "p":
                stack.append("\n")
                stack.extend(reversed(element))
                out.append("\n")
            case _:
                stack.extend(reversed(element))
    return "".join(out)


def table_rows(table: Any) -> list[str]:
    """Rows as lines; a table in a cell is part of the cell."""
    rows = []
    for line in table:
        lines = [line] if local(line) == "tr" else [e for e in line.iter() if local(e) == "tr"]
        for each in lines:
            cells = [cell for cell in each.iter() if local(cell) == "tc" and _row_of(cell) is each]
            if text := row([paragraph_text(cell) for cell in cells]):
                rows.append(text)
    return rows


def _row_of(cell: Any) -> Any:
    parent = cell.getparent()
    while parent is not None and local(parent) != "tr":
        parent = parent.getparent()
    return parent


def _level(paragraph: Any, levels: dict[str, int]) -> int:
    properties = next((child for child in paragraph if local(child) == "pPr"), None)
    if properties is None:
        return 0
    for child in properties:
        if local(child) == "pStyle" and (level := levels.get(attribute(child, "val"))):
            return level
        if local(child) == "outlineLvl" and (outline := attribute(child, "val")) in set(
            "012345678"
        ):
            return int(outline) + 1
    return 0


def _beside(package: Package) -> Iterator[ReadPart]:
    """Headers, footers, notes and comments: each text once, though every section repeats it."""
    for kind, label in BESIDE:
        texts: dict[str, None] = {}
        for name in sorted(package.names(f"word/{kind}")):
            if name.endswith(".xml"):
                blocks = _blocks(package.xml(name))
                for block in blocks:
                    lines = table_rows(block) if local(block) == "tbl" else [paragraph_text(block)]
                    texts.update(dict.fromkeys(filter(None, map(squeeze, lines))))
        if texts:
            yield ReadPart("section", 0, label, "\n\n".join(texts))
