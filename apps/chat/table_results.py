"""Compute over every row of a table, in exact decimals."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from apps.chat.table_plans import Plan
from apps.chat.table_words import EXTREMES
from apps.chat.tables import Row, day, number


@dataclass(frozen=True, slots=True)
class Result:
    """What came out: rows it stands on, and rows whose cell could not be computed with."""

    value: Decimal | date | int | None
    rows: list[Row]
    unread: int = 0
    groups: tuple[tuple[str, Decimal | int, int], ...] = ()  # name, value, rows


def compute(made: Plan) -> Result:
    """The result over every row of the table."""
    rows = made.chosen()
    if made.group is not None and made.operation in ("sum", "count", "average"):
        return _grouped(made, rows)
    if made.operation in ("count", "list"):
        return Result(len(rows), rows)
    assert made.column is not None
    place = made.column
    if made.operation == "distinct":
        values = {row.cells[place].casefold() for row in rows if row.cells[place]}
        return Result(len(values), rows)
    read = day if made.table.columns[place].kind == "date" else number
    known = [(value, row) for row in rows if (value := read(row.cells[place])) is not None]
    unread = len(rows) - len(known)
    if not known:
        return Result(None, [], unread)
    if made.operation in EXTREMES:
        extreme = max if made.operation in ("max", "latest") else min
        value = extreme(known, key=lambda each: each[0])[0]
        return Result(value, [row for each, row in known if each == value], unread)
    total = sum((Decimal(value) for value, _ in known if isinstance(value, Decimal)), Decimal(0))
    if made.operation == "average":
        total /= len(known)
    return Result(total, [row for _, row in known], unread)


def _grouped(made: Plan, rows: list[Row]) -> Result:
    assert made.group is not None
    by: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by[row.cells[made.group]].append(row)
    groups, unread = list[tuple[str, Decimal | int, int]](), 0
    for name, members in by.items():
        values = (
            [number(row.cells[made.column]) for row in members] if made.column is not None else []
        )
        known = [value for value in values if value is not None]
        unread += len(values) - len(known)
        value: Decimal | int = len(members)
        if made.operation != "count":
            value = sum(known, Decimal(0))
            if made.operation == "average" and known:
                value /= len(known)
        groups.append((name, value, len(members)))
    groups.sort(key=lambda each: (-each[1], each[0]))
    return Result(None, rows, unread, tuple(groups))
