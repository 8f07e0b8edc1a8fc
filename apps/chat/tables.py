"""A table of a document as typed rows: what was read of CSV and XLSX, all of it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal, InvalidOperation

from apps.library.models import Document, LocatorKind, Part

CELLS = " | "
MOSTLY = 0.8  # of a column's cells are numbers or dates: then it is a column of these
SHORT_FORMS = {"eur", "usd", "gbp", "chf", "id", "vat", "iban", "bic", "url", "kwh", "km", "kg"}
SHEET = re.compile(r",? ?rows? \d+(?:–\d+)?$")
NUMBER = re.compile(
    r"^[^\w-]{0,3}(-?)\s*(\d{1,3}(?:[.,' ]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?)"
    r"\s*(?:€|\$|£|%|[a-z]{1,4})?$",
    re.I,
)
ISO = re.compile(r"^(\d{4})-(\d{1,2})-(\d{1,2})")
DOTTED = re.compile(r"^(\d{1,2})[./](\d{1,2})[./](\d{4})")


@dataclass(slots=True)
class Column:
    name: str
    kind: str = "text"  # or number, date

    @property
    def words(self) -> str:
        """Its name as a reader says it: `amount_eur` is amount EUR, `unitPrice` is unit price."""
        if " " in self.name:
            return self.name
        parts = re.sub(r"(?<=[a-zäöü])(?=[A-ZÄÖÜ])", " ", self.name).replace("_", " ").split()
        told = [part.upper() if part.casefold() in SHORT_FORMS else part for part in parts]
        if len(told) > 1:
            told = [part if part.isupper() else part.lower() for part in told]
        return " ".join(told) or self.name


@dataclass(frozen=True, slots=True)
class Row:
    """`number` counts as in the file; `part` and `offset` say where it stands."""

    number: int
    cells: tuple[str, ...]
    part: int
    offset: int


@dataclass(slots=True)
class Table:
    document: Document
    name: str  # of the sheet, "" in a CSV
    columns: list[Column]
    rows: list[Row] = field(default_factory=list)

    def values(self, column: int) -> Iterator[str]:
        return (row.cells[column] for row in self.rows)


def tables(document: Document) -> list[Table]:
    """The tables of a document that have a header, with all their rows."""
    found: dict[tuple[str, str], Table] = {}
    parts = document.parts.filter(kind=LocatorKind.SHEET, revision=document.revision)
    for part in parts.exclude(header="").order_by("ordinal"):
        name = SHEET.sub("", part.label).removeprefix("sheet ")
        names = [cell.strip() for cell in part.header.split("|")]
        table = found.get((name, part.header))
        if table is None:
            table = found[name, part.header] = Table(document, name, [*map(Column, names)])
        table.rows += _rows(part, len(names))
    for table in found.values():
        for place, column in enumerate(table.columns):
            column.kind = _kind([cell for cell in table.values(place) if cell])
    return list(found.values())


def _rows(part: Part, width: int) -> Iterator[Row]:
    offset = 0
    for number, line in enumerate(part.text.split("\n"), start=part.number):
        if line.strip():
            cells = [cell.strip() for cell in line.split(CELLS)]
            cells += [""] * (width - len(cells))
            yield Row(number, tuple(cells), part.pk, offset)
        offset += len(line) + 1


def _kind(cells: Sequence[str]) -> str:
    sample = cells[:500]
    if not sample:
        return "text"
    for kind, read in (("date", day), ("number", number)):
        if sum(read(cell) is not None for cell in sample) >= MOSTLY * len(sample):
            return kind
    return "text"


def number(cell: str) -> Decimal | None:
    """The number a cell shows, written in English or German; None where it is none."""
    found = NUMBER.match(cell.strip())
    if not found:
        return None
    digits = re.sub(r"[' ]", "", found[2])
    marks = re.findall(r"[.,]", digits)
    if len(set(marks)) == 2:  # the last one begins the decimals
        digits = digits.replace(marks[0], "").replace(marks[-1], ".")
    elif len(marks) > 1 or (marks and marks[0] == "," and re.search(r",\d{3}$", digits)):
        digits = re.sub(r"[.,]", "", digits)
    try:
        return Decimal(found[1] + digits.replace(",", "."))
    except InvalidOperation:
        return None


def day(cell: str) -> date | None:
    """The day a cell shows: 2025-04-03 or 3.4.2025; None where it shows none."""
    try:
        if found := ISO.match(cell.strip()):
            return date(*(int(each) for each in found.groups()))
        if found := DOTTED.match(cell.strip()):
            return date(int(found[3]), int(found[2]), int(found[1]))
    except ValueError:
        return None
    return None
