"""XLSX: the rows of each sheet as their cells are shown, dates as dates, empty space skipped."""

import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

from lxml import etree

from apps.library.parsing import Opened, ReadPart, Refusal, Skipped, Source, cellformats
from apps.library.parsing.csv import table_parts
from apps.library.parsing.docx import core
from apps.library.parsing.packages import Package, attribute, local
from apps.library.parsing.pptx import attribute_of_relation
from apps.library.parsing.tidying import row, squeeze
from apps.library.parsing.words import _

WORKBOOK = "xl/workbook.xml"
REFERENCE = re.compile(r"([A-Z]{1,3})(\d{1,7})$")
GAP = 50  # empty rows after which what follows is a table of its own
COLUMNS = 500  # of a row that are read
ROWS = 200_000  # of a sheet that are read


def read(source: Source) -> Iterator[Opened | ReadPart | Skipped]:
    package = Package(source.path)
    if WORKBOOK not in package:
        raise Refusal(_("The XLSX is damaged: it has no workbook inside. Export it again."))
    workbook, relations = package.xml(WORKBOOK), package.relations(WORKBOOK)
    title, changed = core(package)
    yield Opened("xlsx", title, None, "", changed)
    cells = Cells(package, workbook)
    empty = True
    for sheet in (e for e in workbook.iter() if local(e) == "sheet"):
        member = relations.get(attribute_of_relation(sheet), ("", ""))[1]
        if member not in package:
            continue
        for part in _sheet(package, member, squeeze(sheet.get("name", ""))[:100], cells):
            yield part
            empty = False
    if empty:
        yield Skipped("whole file", _("The workbook is empty: no cell has a value."))


class Cells:
    """How a cell's value is shown: shared strings, and the formats of its numbers."""

    def __init__(self, package: Package, workbook: Any) -> None:
        self.strings = list(_shared_strings(package))
        self.codes = _style_codes(package)
        self.from_1904 = any(attribute(e, "date1904") in {"1", "true"} for e in workbook.iter())

    def shown(self, cell: Any) -> str:
        kind, value = cell.get("t", "n"), ""
        for child in cell:
            if local(child) == "v":
                value = child.text or ""
            elif local(child) == "is":
                return "".join(e.text or "" for e in child.iter() if local(e) == "t")
        if kind == "s":
            known = value.isdigit() and int(value) < len(self.strings)
            return self.strings[int(value)] if known else ""
        if kind == "b":
            return {"1": "TRUE", "0": "FALSE"}.get(value, value)
        if kind == "n" and value:
            style = int(cell.get("s") or 0)
            code = self.codes[style] if style < len(self.codes) else ""
            return cellformats.shown(value, code, from_1904=self.from_1904)
        return value


def _shared_strings(package: Package) -> Iterator[str]:
    if "xl/sharedStrings.xml" not in package:
        return
    for item in package.xml("xl/sharedStrings.xml"):
        if local(item) == "si":
            # Phonetic hints of Japanese are not part of what the cell says.
            runs = (e for e in item.iter() if local(e) == "t" and local(e.getparent()) != "rPh")
            yield "".join(run.text or "" for run in runs)


def _style_codes(package: Package) -> list[str]:
    """How each cell style shows a number, by the style's index; "" as it is."""
    if "xl/styles.xml" not in package:
        return []
    root = package.xml("xl/styles.xml")
    codes = cellformats.BUILT_IN | dict.fromkeys(cellformats.DATES, "yyyy-mm-dd")
    for each in (e for e in root.iter() if local(e) == "numFmt"):
        if each.get("numFmtId", "").isdigit():
            codes[int(each.get("numFmtId"))] = each.get("formatCode", "")
    styles = next((e for e in root if local(e) == "cellXfs"), ())
    return [codes.get(int(style.get("numFmtId") or 0), "") for style in styles]


def _sheet(package: Package, member: str, name: str, cells: Cells) -> Iterator[ReadPart]:
    """Parts of the sheet; a table begins anew after a large gap, with a header of its own."""
    rows = _rows(package, member, cells)
    first = next(rows, None)
    while first is not None:
        start = first[0]
        table = _Table(chain([first], rows), start)
        yield from table_parts(iter(table), name, first=start)
        first = table.after


class _Table:
    """Rows as lines without gaps in their numbers, up to a large gap."""

    def __init__(self, rows: Iterator[tuple[int, str]], start: int) -> None:
        self.rows, self.number = rows, start
        self.after: tuple[int, str] | None = None

    def __iter__(self) -> Iterator[str]:
        for number, line in self.rows:
            if number - self.number > GAP:
                self.after = (number, line)
                return
            while self.number < number:
                yield ""
                self.number += 1
            yield line
            self.number += 1


def _rows(package: Package, member: str, cells: Cells) -> Iterator[tuple[int, str]]:
    """Number and line of each row that says something, whatever size the sheet claims."""
    number = found = 0
    with package.stream(member) as stream:
        for _event, element in etree.iterparse(
            stream, tag="{*}row", resolve_entities=False, no_network=True
        ):
            said = element.get("r", "")
            number = int(said) if said.isdigit() and int(said) > number else number + 1
            if line := row(_values(element, cells)):
                yield number, line
                found += 1
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
            if found >= ROWS:
                return


def _values(line: Any, cells: Cells) -> list[str]:
    values: list[str] = []
    for cell in line:
        place = REFERENCE.match(cell.get("r") or "")
        column = _column(place[1]) if place else len(values)
        if column >= COLUMNS:
            break
        values += [""] * (column - len(values))
        values.append(cells.shown(cell))
    return values


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1
