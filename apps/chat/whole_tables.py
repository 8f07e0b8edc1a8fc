"""Answer from a whole table: the result, the rows it stands on, and how many were gone through."""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal

from apps.chat import prompt
from apps.chat.prompt import Language
from apps.chat.steps import AnyStep, Covered, Found, Gave, Searched, Settled, Using
from apps.chat.table_plans import Plan, best
from apps.chat.table_results import Result, compute
from apps.chat.tables import tables
from apps.library.models import Chunk, Document
from apps.web.database import borrowed

FORMATS = ("csv", "xlsx")
MOST_TABLES = 20  # documents looked at where none is named
SHOWN = 30  # rows listed in an answer
CITED = 8  # passages shown as sources
WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "where": " where {filters}",
        "and": " and ",
        "count": "**{value}** {rows}{where}.",
        "row": "row",
        "rows": "rows",
        "distinct": "**{value}** different values of “{column}”{where}.",
        "sum": "The total of “{column}” is **{value}**, over {count} {rows}{where}.",
        "average": "The average of “{column}” is **{value}**, over {count} {rows}{where}.",
        "max": "The highest “{column}” is **{value}**{where}:",
        "min": "The lowest “{column}” is **{value}**{where}:",
        "latest": "The latest “{column}” is **{value}**{where}:",
        "earliest": "The earliest “{column}” is **{value}**{where}:",
        "none": "No row of “{table}” can answer this{where}.",
        "group": "“{column}” by “{group}”{where}:",
        "more": "… and {count} more.",
        "covered": "Gone through: {done} of {total} rows of {table}.",
        "unread": " In {unread} of them the cell is no number.",
    },
    "de": {
        "where": ", wo gilt: {filters}",
        "and": " und ",
        "count": "**{value}** {rows}{where}.",
        "row": "Zeile",
        "rows": "Zeilen",
        "distinct": "**{value}** verschiedene Werte in „{column}“{where}.",
        "sum": "Die Summe von „{column}“ ist **{value}**, über {count} {rows}{where}.",
        "average": "Der Durchschnitt von „{column}“ ist **{value}**, über {count} {rows}{where}.",
        "max": "Der höchste Wert in „{column}“ ist **{value}**{where}:",
        "min": "Der niedrigste Wert in „{column}“ ist **{value}**{where}:",
        "latest": "Der späteste Wert in „{column}“ ist **{value}**{where}:",
        "earliest": "Der früheste Wert in „{column}“ ist **{value}**{where}:",
        "none": "Keine Zeile von „{table}“ beantwortet das{where}.",
        "group": "„{column}“ je „{group}“{where}:",
        "more": "… und {count} weitere.",
        "covered": "Durchgegangen: {done} von {total} Zeilen von {table}.",
        "unread": " In {unread} davon steht keine Zahl.",
    },
}


def planned(question: str, documents: Sequence[tuple[Document, Sequence[str]]]) -> Plan | None:
    """What the question asks of one of these tables, each with the names the question calls it."""
    with borrowed():
        known = [
            (table, names)
            for document, names in documents[:MOST_TABLES]
            if document.format in FORMATS
            for table in tables(document)
        ]
    return best(question, known)


def answer(plan: Plan, language: Language) -> Iterator[AnyStep]:
    """The computed answer with the passages it stands on; no model is asked."""
    conditions = " and ".join(each.words for each in plan.filters) or "all rows"
    yield Using(1, "whole_table", {"document": plan.table.document.name, "rows": conditions})
    result = compute(plan)
    total = len(plan.table.rows)
    yield Covered(total, total, "rows")
    yield Gave(1, f"{plan.operation}: {len(result.rows)} of {total} rows")
    with borrowed():
        sources = list(_sources(plan, result))
    yield from sources
    yield Searched(len(sources))
    numbers = tuple(source.number for source in sources)
    yield Settled(_text(plan, result, numbers, language), numbers)


def _sources(plan: Plan, result: Result) -> Iterator[Found]:
    """The passages that hold the rows, in order, so many as can be shown."""
    chunks = Chunk.objects.filter(
        document=plan.table.document, revision=plan.table.document.revision, kind="sheet"
    ).select_related("document")
    places: dict[int, list[Chunk]] = {}
    for chunk in chunks.order_by("ordinal"):
        places.setdefault(chunk.part_id, []).append(chunk)
    found: dict[int, Chunk] = {}
    for row in result.rows or plan.table.rows:
        for chunk in places.get(row.part, ()):
            if chunk.start <= row.offset < chunk.end:
                found[chunk.pk] = chunk
        if len(found) == CITED:
            break
    for number, chunk in enumerate(found.values(), start=1):
        yield prompt.of_chunk(number, chunk, chunk.text, 1.0)


def _text(plan: Plan, result: Result, numbers: Sequence[int], language: Language) -> str:
    words = WORDS[language]
    filters = words["and"].join(each.words for each in plan.filters)
    where = words["where"].format(filters=filters) if filters else ""
    name = plan.table.document.name + (f", {plan.table.name}" if plan.table.name else "")
    facts = {
        "where": where,
        "table": name,
        "column": plan.table.columns[plan.column].words if plan.column is not None else "",
        "group": plan.table.columns[plan.group].words if plan.group is not None else "",
        "value": told(result.value),
        "count": len(result.rows),
        "rows": words["row" if len(result.rows) == 1 else "rows"],
    }
    cited = " " + "".join(f"[{number}]" for number in numbers) if numbers else ""
    total = len(plan.table.rows)
    covered = words["covered"].format(done=total, total=total, table=name)
    if result.unread:
        covered += words["unread"].format(unread=result.unread)
    if result.groups:
        kind = "group"
        facts["column"] = facts["column"] or words["rows"]
    elif plan.operation == "list":
        kind = "count"
    else:
        kind = plan.operation if result.value is not None else "none"
    first = words[kind].format(**facts) + cited
    return "\n\n".join(filter(None, [first, _rows(plan, result, words), covered]))


def _rows(plan: Plan, result: Result, words: dict[str, str]) -> str:
    """The rows, or groups, as a Markdown table, where the answer is about single ones."""
    if result.groups:
        body = [(name, told(value), str(count)) for name, value, count in result.groups]
        group = plan.table.columns[plan.group or 0].words
        column = plan.table.columns[plan.column].words if plan.column is not None else "="
        return _table([group, column, words["rows"]], body, words)
    if plan.operation in ("list", "max", "min", "latest", "earliest") and result.rows:
        names = [column.words for column in plan.table.columns]
        return _table(names, [row.cells[: len(names)] for row in result.rows], words)
    return ""


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], words: dict[str, str]) -> str:
    lines = [_line(head), "|" + "---|" * len(head), *(_line(row) for row in rows[:SHOWN])]
    more = len(rows) - SHOWN
    return "\n".join(lines) + (f"\n\n{words['more'].format(count=more)}" if more > 0 else "")


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(re.sub(r"([\\\[\]*_|`<])", r"\\\1", cell) for cell in cells) + " |"


def told(value: Decimal | date | int | None) -> str:
    """A result as it is written: groups of three, and no more decimals than it needs."""
    if isinstance(value, Decimal):
        places = max(0, -int(value.as_tuple().exponent))
        return f"{round(value, 2):,.2f}" if places else f"{value:,}"
    return f"{value:,}" if isinstance(value, int) else str(value)
