"""The heatmap: weeks as columns, Monday first, each day a level of one to four, or none."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

BOUNDS = (15 * 60, 60 * 60, 3 * 60 * 60)  # seconds: below 15 min, 1 h, 3 h, and from there on
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Cell:
    day: date
    seconds: float
    level: int  # 0 none, 1 < 15 min, 2 < 1 h, 3 < 3 h, 4 from 3 h
    today: bool


@dataclass(frozen=True, slots=True)
class Week:
    monday: date
    month: date | None  # the first day of a month that begins in this week, to label the column
    cells: tuple[Cell | None, ...]  # seven; None outside the period


def level(seconds: float) -> int:
    """The level of a day with that many seconds."""
    if seconds <= 0:
        return 0
    return 1 + sum(seconds >= bound for bound in BOUNDS)


def weeks(seconds: Mapping[date, float], today: date, count: int) -> list[Week]:
    """The weeks that hold the last `count` days, today included."""
    first = today - (count - 1) * DAY
    monday = first - first.weekday() * DAY
    columns = []
    while monday <= today:
        inside = [monday + n * DAY for n in range(7)]
        cells = tuple(
            _cell(day, seconds, today) if first <= day <= today else None for day in inside
        )
        begun = [day for day in inside if day.day == 1 and first <= day <= today]
        columns.append(Week(monday, begun[0] if begun else None, cells))
        monday += 7 * DAY
    return columns


def rows(columns: list[Week]) -> list[tuple[date, list[Cell | None]]]:
    """The same, by weekday: a day with that weekday, and its cells from week to week."""
    return [
        (columns[0].monday + n * DAY, [column.cells[n] for column in columns]) for n in range(7)
    ]


def busiest_weekday(seconds: Mapping[date, float]) -> date | None:
    """A day of the weekday with most study, where at least two weekdays have ten minutes."""
    sums: dict[int, float] = {}
    example: dict[int, date] = {}
    for day, spent in seconds.items():
        sums[day.weekday()] = sums.get(day.weekday(), 0) + spent
        example[day.weekday()] = day
    if sum(spent >= 600 for spent in sums.values()) < 2:
        return None
    return example[max(sums, key=lambda weekday: sums[weekday])]


def _cell(day: date, seconds: Mapping[date, float], today: date) -> Cell:
    spent = seconds.get(day, 0)
    return Cell(day, spent, level(spent), day == today)
