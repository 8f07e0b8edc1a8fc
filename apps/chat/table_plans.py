"""What a question asks of a whole table: how many, how much in all, which, under what conditions.

A question is taken only where every word of it is understood: as what to compute, as a column, as
a value that stands in the table, as a date, or as a comparison. All else is left to the search.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from apps.chat.table_words import (
    COMPARISON,
    DAY,
    DAY_IN_WORDS,
    EXTREMES,
    GROUP,
    MONEY,
    MONTH,
    MONTHS,
    NEGATIONS,
    NO,
    NO_AMOUNT,
    NOT,
    OPERATION,
    SINCE,
    SMALL_WORDS,
    SPENT,
    UNTIL,
    WORD,
    YEAR,
    YES,
)
from apps.chat.tables import Row, Table, day, number

STEM = 5
Span = tuple[date, date, str]  # the first and the last day, and how they were said
LEAST = 2  # points that make a question one to a table that it does not name
FEWEST = 3  # letters of a value that is recognised within a question
DISTINCT = 3000  # values of a column that are looked for


@dataclass(frozen=True, slots=True)
class Filter:
    """Rows whose cell of a column passes; `words` say so for the reader."""

    column: int
    words: str
    passes: Callable[[str], bool]


@dataclass(slots=True)
class Plan:
    """What to compute over a table. A higher score is a better fit."""

    table: Table
    operation: str
    column: int | None = None
    group: int | None = None
    filters: list[Filter] = field(default_factory=list)
    score: int = 0

    def chosen(self) -> list[Row]:
        return [
            row
            for row in self.table.rows
            if all(each.passes(row.cells[each.column]) for each in self.filters)
        ]


class _Left:
    """The words of a question that are not understood yet."""

    def __init__(self, text: str) -> None:
        self.text = f" {text} "

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """The first match, which counts as understood from now on."""
        if found := pattern.search(self.text):
            self.text = self.text[: found.start()] + " · " + self.text[found.end() :]
        return found

    def words(self) -> list[str]:
        return [
            word
            for word in WORD.findall(self.text)
            if (len(word) > 1 or word.isdigit()) and word.casefold() not in SMALL_WORDS
        ]


def plan(question: str, table: Table, names: Sequence[str] = ()) -> Plan | None:
    """What the question asks of the table; None where not every word of it is understood.

    `names` are what the document is called in the question: they say nothing about rows.
    """
    left = _Left(question.strip().rstrip("?!."))
    for name in names:
        left.take(re.compile(re.escape(name), re.I))
    made = Plan(table, _operation(left) or "")
    if not made.operation:
        return None
    _by_group(left, made)
    _by_columns_and_numbers(left, made)
    _by_flags(left, made)
    _by_values(left, made)
    _by_dates(left, made)
    _target(left, made)
    _by_comparison(left, made)
    for word in left.words():
        if word.casefold() in NEGATIONS or not _understood(word, made):
            return None
    if made.operation not in ("count", "list") and made.column is None:
        return None
    return made if names or made.score >= LEAST else None


def _operation(left: _Left) -> str | None:
    """The first that fits; "how many" after another one only says it again."""
    found = next((name for name, words in OPERATION if left.take(words)), None)
    for _, words in OPERATION:
        left.take(words)
    return found


def _named(word: str, table: Table) -> list[int]:
    """The columns whose names have the word, or one with the same beginning."""
    wanted = word.casefold()
    return [
        place
        for place, column in enumerate(table.columns)
        for part in WORD.findall(column.name.casefold())
        if part in (wanted, wanted.removesuffix("s"))
        or (min(len(part), len(wanted)) > 3 and part[:STEM] == wanted[:STEM])
    ]


def _by_group(left: _Left, made: Plan) -> None:
    found = GROUP.search(left.text)
    if found and (places := _named(found[1], made.table)):
        left.take(GROUP)
        made.group, made.score = places[0], made.score + 2


def _by_columns_and_numbers(left: _Left, made: Plan) -> None:
    """“house 8”, “error code E-17”: a column's name and a value of it."""
    for place, column in enumerate(made.table.columns):
        values = {value.casefold(): value for value in made.table.values(place) if value}
        spelled = re.escape(column.name).replace(r"\ ", r"\s+")
        found = re.search(
            rf"{NOT}\b{spelled}s?\s+(?:is\s+|number\s+|nr\.?\s+)?(?P<value>[\w.-]+)",
            left.text,
            re.I,
        )
        if found and (value := values.get(found["value"].casefold())):
            left.take(re.compile(re.escape(found[0]), re.I))
            made.filters.append(_is(place, column.words, value, bool(found["not"])))
            made.score += 2


def _by_flags(left: _Left, made: Plan) -> None:
    """Columns of yes and no, asked for by their name: “paid”, “not paid”."""
    if made.operation == "distinct":
        return
    for place, column in enumerate(made.table.columns):
        values = {value.casefold() for value in made.table.values(place)}
        if not (values & YES and values <= YES | NO) or made.group == place:
            continue
        spelled = re.escape(column.words).replace(r"\ ", r"\s+")
        if any(each.column == place for each in made.filters):
            continue
        if found := left.take(re.compile(rf"{NOT}\b{spelled}\b", re.I)):
            wanted = NO if found["not"] else YES
            words = f"{column.words} is “{'no' if found['not'] else 'yes'}”"
            made.filters.append(Filter(place, words, _among(wanted)))
            made.score += 2


def _among(wanted: set[str]) -> Callable[[str], bool]:
    return lambda cell: cell.casefold() in wanted


def _by_values(left: _Left, made: Plan) -> None:
    """Values of text columns that stand in the question, the longest first."""
    known: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for place, column in enumerate(made.table.columns):
        if column.kind != "text" or any(each.column == place for each in made.filters):
            continue
        distinct = {value for value in made.table.values(place) if len(value) >= FEWEST}
        if len(distinct) <= DISTINCT:
            for value in distinct:
                known[value.casefold()].append((place, value))
    for value in sorted(known, key=len, reverse=True):
        if value not in left.text.casefold():
            continue
        pattern = re.compile(rf"{NOT}\b{re.escape(value)}(?:s|es|n|en)?\b", re.I)
        if found := left.take(pattern):
            place, spelled = known[value][0]
            name = made.table.columns[place].words
            made.filters.append(_is(place, name, spelled, bool(found["not"])))
            made.score += 2


def _is(place: int, name: str, value: str, turned: bool = False) -> Filter:
    """The cells that are of this value; `turned` round, all others."""
    wanted, words = value.casefold(), "is not" if turned else "is"
    return Filter(
        place, f"{name} {words} “{value}”", lambda cell: (cell.casefold() == wanted) != turned
    )


def _by_dates(left: _Left, made: Plan) -> None:
    place = next((n for n, each in enumerate(made.table.columns) if each.kind == "date"), None)
    if place is None:
        return
    name = made.table.columns[place].words
    for pattern, first_and_last in (
        (DAY, _of_day),
        (DAY_IN_WORDS, _of_named_day),
        (MONTH, _of_month),
        (YEAR, _of_year),
    ):
        while found := pattern.search(left.text):
            before = left.text[: found.start()]
            span = first_and_last(found, made.table, place)
            if span is None:
                break  # it stays a word that is not understood
            left.take(pattern)
            since, until = SINCE.search(before), UNTIL.search(before)
            first, last, words = span
            made.filters.append(_within(place, name, first, last, words, since, until))
            made.score += 1


def _of_day(found: re.Match[str], table: Table, place: int) -> Span | None:
    on = day(found[1])
    return (on, on, found[1]) if on else None


def _of_named_day(found: re.Match[str], table: Table, place: int) -> Span | None:
    month = MONTHS[(found["month"] or found["named"]).casefold()]
    year = int(found["year"] or _latest_year(table, place))
    try:
        on = date(year, month, int(found["day"] or found["after"]))
    except ValueError:  # 31 June; year 0 where the table has no days
        return None
    return on, on, str(on)


def _latest_year(table: Table, place: int) -> int:
    """The year that is meant where none is said; 0 where the table has no days."""
    days = [each for each in map(day, table.values(place)) if each]
    return max(days).year if days else 0


def _of_month(found: re.Match[str], table: Table, place: int) -> Span | None:
    month, year = MONTHS[found[1].casefold()], int(found[2] or _latest_year(table, place))
    if not year:
        return None
    after = date(year + month // 12, month % 12 + 1, 1)
    return date(year, month, 1), date.fromordinal(after.toordinal() - 1), f"{year}-{month:02}"


def _of_year(found: re.Match[str], table: Table, place: int) -> Span | None:
    year = int(found[1])
    return date(year, 1, 1), date(year, 12, 31), found[1]


def _within(
    place: int,
    name: str,
    first: date,
    last: date,
    words: str,
    since: re.Match[str] | None,
    until: re.Match[str] | None,
) -> Filter:
    if until:
        inclusive = "bis" in until[0].casefold() or "til" in until[0].casefold()
        end = last if inclusive else date.fromordinal(first.toordinal() - 1)
        return Filter(
            place, f"{name} up to {end}", lambda cell: bool((d := day(cell)) and d <= end)
        )
    if since:
        after = since[0].split()[0].casefold() in ("after", "nach")
        begin = date.fromordinal(last.toordinal() + 1) if after else first
        return Filter(place, f"{name} from {begin}", lambda c: bool((d := day(c)) and d >= begin))
    return Filter(place, f"{name} in {words}", lambda c: bool((d := day(c)) and first <= d <= last))


def _target(left: _Left, made: Plan) -> None:
    """The column that is computed with: named, or the one that holds money."""
    columns = made.table.columns
    kind = EXTREMES.get(made.operation, "number")
    wanted = ("text", "number", "date") if made.operation == "distinct" else (kind,)
    if made.operation in ("count", "list"):
        _mentioned(left, made)
        return
    for word in left.words():
        places = [n for n in _named(word, made.table) if columns[n].kind in wanted]
        if places:
            made.column, made.score = places[0], made.score + 2
            left.take(re.compile(rf"\b{re.escape(word)}\b", re.I))
            break
    numbers = [n for n, each in enumerate(columns) if each.kind == kind]
    amounts = [n for n in numbers if not NO_AMOUNT.search(columns[n].name)]
    if made.column is None and made.operation != "distinct":
        money = [n for n in amounts if MONEY.search(columns[n].name)]
        said = bool(SPENT.search(left.text)) or made.operation == "sum"
        if money and said:
            made.column, made.score = money[0], made.score + 1
        elif len(amounts) == 1:
            made.column = amounts[0]
    while left.take(SPENT):
        pass
    _mentioned(left, made)


def _mentioned(left: _Left, made: Plan) -> None:
    """Names of columns that are only mentioned."""
    for word in left.words():
        if _named(word, made.table):
            left.take(re.compile(rf"\b{re.escape(word)}\b", re.I))
            made.score += 1


def _by_comparison(left: _Left, made: Plan) -> None:
    while found := COMPARISON.search(left.text):
        limit = number(found["number"].rstrip(".,"))
        place = made.column
        columns = made.table.columns
        if place is None or columns[place].kind != "number":
            numbers = [n for n, c in enumerate(columns) if c.kind == "number"]
            amounts = [n for n in numbers if not NO_AMOUNT.search(columns[n].name)]
            place = amounts[0] if amounts else None
        if limit is None or place is None:
            break
        left.take(COMPARISON)
        sign, holds = next((sign, holds) for name, (sign, holds) in COMPARED.items() if found[name])
        name = columns[place].words
        words = f"{name} {sign} {limit}"
        made.filters.append(Filter(place, words, _compared(holds, limit)))
        made.score += 2


COMPARED: dict[str, tuple[str, Callable[[Decimal, Decimal], bool]]] = {
    "more": (">", lambda value, limit: value > limit),
    "least": ("≥", lambda value, limit: value >= limit),
    "less": ("<", lambda value, limit: value < limit),
    "most": ("≤", lambda value, limit: value <= limit),
}


def _compared(holds: Callable[[Decimal, Decimal], bool], limit: Decimal) -> Callable[[str], bool]:
    return lambda cell: (value := number(cell)) is not None and holds(value, limit)


def _understood(word: str, made: Plan) -> bool:
    """Whether a word names a column, or stands in cells of a text column, which makes a filter."""
    if _named(word, made.table):
        return True
    if word.isdigit():  # it may stand in any cell, and mean anything
        return False
    stem = word.casefold()[: max(4, len(word) - (3 if len(word) > 7 else 2))]
    pattern = re.compile(rf"\b{re.escape(stem)}", re.I)
    for place, column in enumerate(made.table.columns):
        if column.kind == "text" and any(pattern.search(cell) for cell in made.table.values(place)):
            words = f"{column.words} has “{word}”"
            made.filters.append(Filter(place, words, lambda c: bool(pattern.search(c))))
            made.score += 1
            return True
    return False


def best(question: str, known: Sequence[tuple[Table, Sequence[str]]]) -> Plan | None:
    """The plan that fits best; None where no table fits, or two fit equally well."""
    plans = [made for table, names in known if (made := plan(question, table, names))]
    plans.sort(key=lambda made: -made.score)
    if len(plans) > 1 and plans[0].score == plans[1].score:
        return None
    return plans[0] if plans else None
