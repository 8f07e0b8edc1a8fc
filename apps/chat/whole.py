"""Questions that a few passages cannot answer: how many, how much in all, list all, summarise."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from apps.chat import table_plans, table_words, whole_tables, whole_texts
from apps.chat.halting import Halt
from apps.chat.prompt import Language
from apps.chat.steps import AnyStep, Queued
from apps.library import search
from apps.library.models import Document, Workspace
from apps.library.search import Scope
from apps.llm.catalogue import Model
from apps.web.database import borrowed

SUMMARY = re.compile(
    r"\b(?:summari[sz]e|summary|overview of|main points|key points|gist|tl;?dr"
    r"|what is .{1,80} about|fasse\b.{1,80}\bzusammen|zusammenfass\w*|überblick über"
    r"|worum geht(?: es|['’]s)"
    r"|wovon handelt|kernaussagen|hauptpunkte|wichtigste[nr]? (?:punkte|aussagen))\b",
    re.I,
)
LIST = re.compile(
    r"\b(?:list|name|give me|extract)\s+(?:me\s+)?(?:all|every|each)\b"
    r"|\b(?:what|which)\s+are\s+all\b|\bhow many\b.{1,60}\b(?:mentioned|listed|named|described)\b"
    r"|\b(?:liste|nenne|zähle|gib)\s+(?:mir\s+)?(?:alle|jede[nrs]?|sämtliche)\b"
    r"|\bwie ?viele\b.{1,60}\b(?:genannt|erwähnt|aufgeführt|aufgelistet|beschrieben)\b",
    re.I,
)
SHORTEST = 4  # letters of a name that is recognised in a question
LARGE = 300_000  # characters; a larger table is read only where it is named
FEW = 10  # tables read where none is named


@dataclass(frozen=True, slots=True)
class Whole:
    """A document that is to be gone through from beginning to end."""

    document: Document | None = None
    items: bool = False
    table: table_plans.Plan | None = None


def wanted(question: str, workspace: Workspace, scope: Scope) -> Whole | None:
    """What has to be gone through for the question; None where passages are enough."""
    summary, items = bool(SUMMARY.search(question)), bool(LIST.search(question))
    computed = any(words.search(question) for _, words in table_words.OPERATION)
    if not (summary or items or computed):
        return None
    with borrowed():
        documents = search.in_scope(workspace, scope).searchable()
        rows = list(documents.defer("timings", "notice", "reason").order_by("-created_at"))
    named = [(each, names) for each in rows if (names := _names_in(question, each))]
    if not named and len(rows) == 1 and scope.documents:
        named = [(rows[0], (rows[0].name,))]
    if computed:
        tables = [
            (each, ())
            for each in rows
            if each.format in whole_tables.FORMATS and each.character_count <= LARGE
        ][:FEW]
        if plan := whole_tables.planned(question, named or tables):
            return Whole(table=plan)
    if (summary or items) and len(named) == 1:
        return Whole(named[0][0], items=items and not summary)
    return None


def answer(
    whole: Whole,
    question: str,
    language: Language,
    model: Model | None,
    halt: Halt,
    queue: Iterable[Queued],
) -> Iterator[AnyStep]:
    """The answer over all of it. A table needs no model."""
    if whole.table:
        yield from whole_tables.answer(whole.table, language)
    elif whole.document and model:
        yield from whole_texts.answer(
            question, whole.document, language, model, halt, queue, items=whole.items
        )


def _names_in(question: str, document: Document) -> tuple[str, ...]:
    """What the question calls the document: its name, its name without the ending, its title."""
    said = question.casefold()
    stem = re.sub(r"\.[A-Za-z0-9]{1,5}$", "", document.name)
    known = (document.name, stem, stem.replace("_", " "), document.title)
    return tuple(
        name
        for name in dict.fromkeys(known)
        if len(name) >= SHORTEST and re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", said)
    )
