"""Tables in text: CSV and TSV, whatever their separator and encoding."""

import csv
import io
import re
from collections.abc import Iterator
from itertools import chain, islice

from apps.library.parsing import Opened, ReadPart, Refusal, Source
from apps.library.parsing.encodings import decode
from apps.library.parsing.tidying import row
from apps.library.parsing.words import _

ROWS = 500  # of a part, at most
PART = 50_000  # characters of a part, about
LONGEST_HEADER = 400  # characters; a longer one is a row like others, it is not repeated
SEPARATORS = ",;\t|"
AHEAD = 6  # lines that are looked at to find the header
NUMBER = re.compile(r"[-+]?[$€£]?\d[\d.,]*\s?[%€$£]?")


def read(source: Source) -> Iterator[Opened | ReadPart]:
    """Parts of up to 500 rows; row 1 is the header where it looks like one."""
    text, _encoding = decode(source.path.read_bytes())
    text = text.replace("\x00", "")
    if not text.strip():
        raise Refusal(_("The table is empty: the file has no text."))
    csv.field_size_limit(max(len(text), 1))  # of this process: it may have read a smaller file
    separator = _separator(text, "\t" if source.name.lower().endswith((".tsv", ".tab")) else ",")
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    yield Opened("csv", "", None, "")
    yield from table_parts((row(cells) for cells in rows), "")


def table_parts(lines: Iterator[str], sheet: str, first: int = 1) -> Iterator[ReadPart]:
    """Rows as lines, in parts; the first row, number `first`, is the header if it looks like one.

    Every row keeps its number: an empty one is an empty line.
    """
    ahead = list(islice(lines, AHEAD))
    lines = chain(ahead, lines)
    if above := _above(ahead):
        yield _part(list(islice(lines, above)), first, sheet, "")
        first, ahead = first + above, ahead[above:]
    top, held, size, empty = next(lines, ""), list[str](), 0, not above
    header, first = (top, first + 1) if _is_header(top) else ("", first)
    if not header:
        held, size = [top], len(top)
    elif groups := _groups(ahead):
        next(lines)
        yield _part([top], first - 1, sheet, "")
        header, first, empty = groups, first + 1, False
    for line in lines:
        if held and (len(held) >= ROWS or size + len(line) > PART):
            if any(held):
                yield _part(held, first, sheet, header)
                empty = False
            first, held, size = first + len(held), [], 0
        held.append(line)
        size += len(line)
    if any(held):
        yield _part(held, first, sheet, header)
    elif empty and header:
        yield _part([header], first - 1, sheet, "")


def _part(lines: list[str], first: int, sheet: str, header: str) -> ReadPart:
    last = first + len(lines) - 1
    rows = f"rows {first}–{last}" if last > first else f"row {first}"
    label = f"sheet {sheet}, {rows}" if sheet else rows
    return ReadPart("sheet", first, label, "\n".join(lines), header=header, first_line=first)


def _above(ahead: list[str]) -> int:
    """How many lines above a table are no row of it: a title, a date, blank lines."""
    filled = [sum(bool(cell.strip()) for cell in line.split("|")) for line in ahead]
    lone = next((place for place, number in enumerate(filled) if number > 1), 0)
    return lone if lone and any(filled[:lone]) and lone + 1 < len(ahead) else 0


def _groups(ahead: list[str]) -> str:
    """One header of two rows: names of groups, some cells wide, and the columns below them."""
    if len(ahead) < 3 or not (_is_header(ahead[1]) and not _has_number(ahead[1])):
        return ""
    above, below = (line.split("|") for line in ahead[:2])
    gaps = sum(not cell.strip() for cell in above)
    repeated = len({cell.strip() for cell in below}) < len(below)
    if not (gaps and repeated and len(below) > len(above) - gaps and _has_number(ahead[2])):
        return ""
    names, group = [], ""
    for place, name in enumerate(below):
        group = (above[place].strip() if place < len(above) else "") or group
        names.append(f"{group} {name.strip()}".strip())
    return " | ".join(names)


def _has_number(line: str) -> bool:
    return any(NUMBER.fullmatch(cell.strip()) for cell in line.split("|"))


def _is_header(line: str) -> bool:
    """Names of columns: short, and no cell that is only a number."""
    cells = [cell.strip() for cell in line.split("|")]
    numbers = sum(cell.replace(".", "").replace(",", "").lstrip("-").isdigit() for cell in cells)
    return 0 < len(line) <= LONGEST_HEADER and numbers * 2 <= len(cells)


def _separator(text: str, usual: str) -> str:
    """The separator that cuts the first lines into the most even rows of more than one cell."""
    sample = text[:20_000].splitlines()[:50]
    best, most = usual, 0.0
    for separator in dict.fromkeys(usual + SEPARATORS):
        widths = [len(cells) for cells in csv.reader(sample, delimiter=separator) if cells]
        if not widths:
            continue
        common = max(set(widths), key=widths.count)
        evenness = (
            widths.count(common) / len(widths) * min(common - 1, 20) ** 0.5 if common > 1 else 0
        )
        if evenness > most * 1.1:
            best, most = separator, evenness
    return best
