"""The library page's question: which documents, in what order, from where on.

Pages go by key, not by offset, so the hundredth is as fast as the first and an upload in the
meantime neither repeats a row nor hides one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import CharField, Count, Q, QuerySet, Sum
from django.db.models.functions import Lower
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.library import standing
from apps.library.models import Document, Workspace
from apps.library.stages import STAGES, InStages

PAGE = 50  # rows
AT_ONCE = 500  # rows, at most, when a page that has grown is asked for again
SORTS = {
    "name": "name_folded",
    "added": "created_at",
    "pages": "part_count",
    "passages": "chunk_count",
    "size": "size",
}
NEWEST = "-added"
State = Document.State
STATUSES = {
    "ready": (gettext_lazy("Ready"), (State.READY,)),
    "working": (gettext_lazy("Not ready yet"), Document.UNFINISHED),
    "trouble": (gettext_lazy("Not read"), (State.REFUSED, State.FAILED, State.CANCELLED)),
}
NO_CATEGORY = "none"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the person asked of the list; each field as it stands in the address."""

    q: str = ""
    type: str = ""
    status: str = ""
    category: str = ""
    sort: str = NEWEST

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> "Wanted":
        """What an address asks for; what it says wrong counts as not said."""
        category, status, sort = (query.get(name, "") for name in ("category", "status", "sort"))
        return cls(
            q=query.get("q", "").replace("\0", "").strip()[:200],
            type=query.get("type", "").replace("\0", "")[:20],
            status=status if status in STATUSES else "",
            category=category if category == NO_CATEGORY or _is_id(category) else "",
            sort=sort if sort.removeprefix("-") in SORTS else NEWEST,
        )

    @property
    def narrowed(self) -> bool:
        return bool(self.q or self.type or self.status or self.category)

    def address(self, **more: str) -> str:
        """The query string for this, with changes; what is empty is left out."""
        fields = {name: getattr(self, name) for name in self.__slots__} | more
        if fields["sort"] == NEWEST:
            fields["sort"] = ""
        return "?" + urlencode({name: value for name, value in fields.items() if value})


@dataclass(frozen=True, slots=True)
class Row:
    document: Document
    standing: standing.Standing


@dataclass(frozen=True, slots=True)
class Page:
    """Some rows; `after` leads to the rows behind them, `again` to these same rows."""

    rows: list[Row]
    key: str  # tells this page from the others shown
    after: str
    again: str
    unfinished: bool


def page(workspace: Workspace, wanted: Wanted, after: str = "", until: str = "") -> Page:
    """The rows behind `after`, up to and with `until` where it is given, else a page of them."""
    found = _narrowed(workspace, wanted)
    limit = PAGE
    if after:
        found = found.filter(_beyond(wanted.sort, after))
    if until:
        found, limit = found.exclude(_beyond(wanted.sort, until)), AT_ONCE
    documents = list(_sorted(found, wanted.sort)[: limit + 1])
    more = len(documents) > limit or (bool(until) and bool(documents))
    documents = documents[:limit]
    last = cursor(documents[-1], wanted.sort) if documents else ""
    return Page(
        rows=[Row(document, standing.of(document)) for document in documents],
        key=after.partition("~")[0] or "first",
        after=wanted.address(after=last) if more else "",
        again=wanted.address(after=after, until=last if more else "", rows="1"),
        unfinished=any(document.state in Document.UNFINISHED for document in documents),
    )


def chosen(workspace: Workspace, wanted: Wanted) -> QuerySet[Document]:
    """All documents the list would show, however many."""
    found = workspace.documents.exclude(state=State.DELETING)
    if wanted.q:
        found = found.filter(Q(name__icontains=wanted.q) | Q(title__icontains=wanted.q))
    if wanted.type:
        found = found.filter(format=wanted.type)
    if wanted.status:
        found = found.filter(state__in=STATUSES[wanted.status][1])
    if wanted.category == NO_CATEGORY:
        found = found.filter(category=None)
    elif wanted.category:
        found = found.filter(category=int(wanted.category))
    return found


def _narrowed(workspace: Workspace, wanted: Wanted) -> QuerySet[Document]:
    found = chosen(workspace, wanted).select_related("category").defer("notice", "timings")
    return found.annotate(name_folded=Lower("name"))


def _sorted(found: QuerySet[Document], sort: str) -> QuerySet[Document]:
    sign = "-" if sort.startswith("-") else ""
    return found.order_by(f"{sign}{SORTS[sort.removeprefix('-')]}", f"{sign}pk")


def cursor(document: Document, sort: str) -> str:
    """Where a row stands in the order, as it travels in an address."""
    value = getattr(document, SORTS[sort.removeprefix("-")])
    return f"{document.pk}~{value.isoformat() if isinstance(value, datetime) else value}"


def _beyond(sort: str, place: str) -> Q:
    """What comes behind a place in the order; a place that makes no sense excludes nothing."""
    number, _, text = place.partition("~")
    name, side = SORTS[sort.removeprefix("-")], "lt" if sort.startswith("-") else "gt"
    try:
        value: Any = _field(name).to_python(text.replace("\0", ""))
        pk = int(number)
    except (ValidationError, ValueError):
        return Q()
    if isinstance(value, datetime) and value.tzinfo is None:
        return Q()
    return Q((f"{name}__{side}", value)) | Q((name, value), (f"pk__{side}", pk))


def _field(name: str) -> Any:
    return CharField() if name == "name_folded" else Document._meta.get_field(name)


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 18


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts(InStages):
    """A workspace's documents in figures."""

    total: int
    trouble: int
    deleting: int
    size: int  # bytes
    formats: list[str]


def counts(workspace: Workspace) -> Counts:
    """The figures above the list, in one query."""
    groups = list(
        workspace.documents.order_by()
        .values("state", "format")
        .annotate(number=Count("pk"), bytes=Sum("size"))
    )

    def number(states: tuple[State, ...]) -> int:
        return sum(group["number"] for group in groups if group["state"] in states)

    kept = [group for group in groups if group["state"] != State.DELETING]
    return Counts(
        total=sum(group["number"] for group in kept),
        trouble=number(STATUSES["trouble"][1]),
        deleting=number((State.DELETING,)),
        size=sum(group["bytes"] or 0 for group in kept),
        formats=sorted({group["format"] for group in kept} - {""}),
        **{stage: number(states) for stage, states in STAGES.items()},
    )


@dataclass(frozen=True, slots=True)
class Column:
    """A column head that sorts: its words, where a click leads, and how it is sorted now."""

    words: str
    address: str
    order: str  # ascending, descending or none, as aria-sort has it


def columns(wanted: Wanted) -> dict[str, Column]:
    """The heads of the columns that sort, by name."""
    words = {
        "name": _("Name"),
        "pages": _("Length"),
        "passages": _("Passages"),
        "added": _("Added"),
        "size": _("Size"),
    }
    return {name: _column(wanted, name, text) for name, text in words.items()}


def _column(wanted: Wanted, name: str, words: str) -> Column:
    if wanted.sort.removeprefix("-") != name:
        fresh = name if name == "name" else f"-{name}"
        return Column(words, replace(wanted, sort=fresh).address(), "none")
    down = wanted.sort.startswith("-")
    other = replace(wanted, sort=name if down else f"-{name}")
    return Column(words, other.address(), "descending" if down else "ascending")
