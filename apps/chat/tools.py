"""The six tools of an answer, bound to its workspace and scope in this one place."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated

from django.contrib.auth.models import User
from django.db.models import QuerySet
from pydantic import Field

from apps.chat import prompt
from apps.chat.calculator import LONGEST, CannotCompute, compute
from apps.chat.steps import Found
from apps.library import search
from apps.library.models import Document, Workspace
from apps.library.search import EVERYTHING, Hit, Scope
from apps.llm.tools import Tool, ToolError
from apps.progress import days
from apps.progress.models import Standing
from apps.web.database import borrowed

LISTED = 50  # documents
OUTLINED = 30  # sections of a document
AT_ONCE = 5  # passages of one search
OF_EACH = 3  # passages of each document compared
MOST = 99  # passages an answer may number

Words = Annotated[str, Field(max_length=1000, description="what to look for, in words")]
Name = Annotated[str, Field(max_length=300, description="the document's name, as listed")]
Expression = Annotated[
    str, Field(max_length=LONGEST, description="numbers and + - * / % ** ( ), such as 12 * (3 + 4)")
]


@dataclass
class Toolbox:
    """What a model may do for one answer, and the passages it has come upon."""

    workspace: Workspace
    scope: Scope = EVERYTHING
    characters: int = 2000  # of each passage
    sources: list[Found] = field(default_factory=list)

    def tools(self) -> list[Tool]:
        functions: tuple[Callable[..., str], ...] = (
            self.search_knowledge_base,
            self.list_documents,
            self.analyze_document,
            self.compare_documents,
            self.calculator,
            self.current_time,
        )
        return [Tool.of(function) for function in functions]

    # --- the tools --------------------------------------------------------------------------------
    def search_knowledge_base(self, query: Words) -> str:
        """Find passages in the reader's documents. Cite them by their number, like [3]."""
        with borrowed():
            findings = search.search(self.workspace, query, scope=self.scope, limit=AT_ONCE)
        if not findings.hits or (findings.sure and not findings.answerable):
            return "Nothing was found. Try other words, or list_documents."
        return self._numbered(findings.hits)

    def list_documents(self, containing: Annotated[str, Field(max_length=300)] = "") -> str:
        """List the reader's documents with format and size; `containing` narrows by name."""
        with borrowed():
            mine = self.documents()
            if containing:
                mine = mine.filter(name__icontains=containing)
            count = mine.count()
            rows = [described(each) for each in mine.select_related("category")[:LISTED]]
        if not rows:
            return "There are no documents here" + (f" with “{containing}”." if containing else ".")
        more = [f"… and {count - LISTED} more."] if count > LISTED else []
        return "\n".join([f"{count} documents:" if count != 1 else "1 document:", *rows, *more])

    def analyze_document(self, name: Name, question: Words = "") -> str:
        """What one document is and holds: its sections, and the passages on a question in it."""
        with borrowed():
            document = self.named(name)
            outline = _outline(document)
        asked = question or f"{document.title or document.name} overview"
        parts = [described(document), *outline, "", self._of(document, asked, AT_ONCE)]
        return "\n".join(parts)

    def compare_documents(self, first: Name, second: Name, question: Words) -> str:
        """Passages of two documents on one question, side by side, to compare them."""
        with borrowed():
            both = [self.named(first), self.named(second)]
        if both[0] == both[1]:
            raise ToolError("These are the same document. Name two different ones.")
        return "\n\n".join(
            f"{described(each)}\n{self._of(each, question, OF_EACH)}" for each in both
        )

    def calculator(self, expression: Expression) -> str:
        """Compute an expression exactly. Use it for all arithmetic."""
        try:
            return f"{expression} = {compute(expression)}"
        except CannotCompute as error:
            raise ToolError(str(error)) from None

    def current_time(self) -> str:
        """The date and time now, where the reader is."""
        with borrowed():
            now, zone = local_time(self.workspace.owner)
        return f"{now:%A, %d %B %Y, %H:%M} ({zone})"

    # --- what they stand on -----------------------------------------------------------------------
    def documents(self) -> QuerySet[Document]:
        """The documents that can be asked, within the scope."""
        return search.in_scope(self.workspace, self.scope).searchable().order_by("name", "pk")

    def named(self, name: str) -> Document:
        """The one document in scope that is called so, or nearly so. Raises ToolError."""
        found = matching(self.documents(), name)
        if len(found) == 1:
            return found[0]
        names = ", ".join(each.name for each in (found or self.documents()[:10]))
        what = "Several documents are" if found else "No document in scope is"
        raise ToolError(f"{what} called “{name}”. There are: {names or 'none'}.")

    def _of(self, document: Document, question: str, limit: int) -> str:
        with borrowed():
            only = Scope(documents=(document.pk,))
            hits = search.search(self.workspace, question, scope=only, limit=limit).hits
        return self._numbered(hits) if hits else "No passage of it fits these words."

    def _numbered(self, hits: Iterable[Hit]) -> str:
        """The passages with their numbers; one that was found before keeps its own."""
        known = {source.chunk: source for source in self.sources}
        told = []
        for hit in hits:
            source = known.get(hit.chunk.pk)
            if source is None and len(self.sources) < MOST:
                source = prompt.source(len(self.sources) + 1, hit, self.characters)
                self.sources.append(source)
            if source:
                told.append(prompt.passage(source))
        return "\n".join(told)


def matching(documents: QuerySet[Document], name: str) -> list[Document]:
    """Those of exactly that name, else of that name without its ending, else with it in theirs."""
    wanted = folded(name)
    if not wanted:
        return []
    rows = list(documents.defer("timings", "notice"))
    called = name.strip().casefold()
    for found in (
        [each for each in rows if each.name.casefold() == called],
        [each for each in rows if wanted in (folded(each.name), folded(each.title))],
        [each for each in rows if wanted in f"{folded(each.name)} / {folded(each.title)}"],
    ):
        if found:
            return found[:LISTED]
    return []


def folded(name: str) -> str:
    """A name as it is recognised: without its ending, its case and what stands between words."""
    stem = re.sub(r"\.[A-Za-z0-9]{1,5}$", "", name.strip())
    return " ".join(re.findall(r"\w+", stem.casefold().replace("_", " ")))


def described(document: Document) -> str:
    """A document in one line."""
    facts = [document.format.upper(), _parts(document)]
    if document.category:
        facts.append(f"in {document.category.name}")
    title = f" “{document.title}”" if document.title and document.title != document.name else ""
    return f"- {document.name}{title} ({', '.join(filter(None, facts))})"


def _parts(document: Document) -> str:
    count = document.part_count or document.chunk_count
    return f"{count} part{'' if count == 1 else 's'}"


def _outline(document: Document) -> list[str]:
    headings = document.chunks.exclude(heading="").values_list("heading", flat=True)
    names = list(dict.fromkeys(headings.order_by("ordinal")[: OUTLINED * 20]))
    shown = [f"  {name}" for name in names[:OUTLINED]]
    return ["Sections:", *shown] if len(names) > 1 else []


def local_time(person: User) -> tuple[datetime, str]:
    """Now, where the person is, and that time zone's name."""
    standing = Standing.objects.filter(person=person).first()
    zone = days.zone(standing.zone if standing else "UTC")
    return datetime.now(zone), zone.key
