"""What a search has not found, and why: what was left out of it, and what cannot be read yet.

Only where the list is empty, or has nothing good, is it searched again, without the one thing that
may have left it so: words left out by a minus, quotes, or where to look.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.library import asking
from apps.library.models import Document, Workspace
from apps.library.naming import language_name
from apps.library.narrowing import places
from apps.library.ranking import DEPTH
from apps.library.search import EVERYTHING, Findings, Hit, Scope, search_all

MOST = DEPTH  # passages that are counted
WITHOUT, QUOTES, WHERE = "without", "quotes", "where"


@dataclass(frozen=True, slots=True)
class Sought:
    """A search as it was asked: the line of the field, and the filters beside it."""

    workspace: Workspace
    line: str
    scope: Scope | None = EVERYTHING  # None where the filters leave no document
    everywhere: bool = False
    filters: tuple[str, ...] = ()  # that are set, as the reader calls them

    @property
    def where(self) -> list[str]:
        """All that says where to look, as it was written or is called."""
        return [*self.filters, *asking.said_where(self.line)]

    def still_untold(self, absence: "Absence | None") -> str:
        """Where was looked, unless it is told with why nothing is found; "" for everywhere."""
        where = ", ".join(self.where)
        return "" if absence and where in absence.told else where


@dataclass(frozen=True, slots=True)
class Absence:
    """Why something is not in what was found, in words, and what would bring it."""

    told: str
    kind: str = ""  # of what kept it out
    line: str = ""  # for the field, so that it is found; "" where nothing helps

    @property
    def widens(self) -> bool:
        """Whether the filters beside the field are to go, too."""
        return WHERE in self.kind


def of(sought: Sought, found: Findings | None) -> Absence | None:
    """Why nothing was found, or nothing good; None where nothing that narrows kept it out.

    `found` is None where no document was left to look at.
    """
    if found and found.hits and not (found.unheard and found.hopeless):
        return _left_out(sought, found)
    return _why(sought, found)


def _why(sought: Sought, found: Findings | None) -> Absence | None:
    nowhere, fits = "", ", ".join(sought.where)
    if found is None and fits:
        nowhere = _("No document fits %(where)s.") % {"where": fits}
    seen = {hit.chunk.pk for hit in found.hits} if found else set()
    for kinds in _attempts(sought, (WHERE,) if found is None else (WITHOUT, QUOTES, WHERE)):
        hits = [hit for hit in _bearing(_again(sought, kinds)) if hit.chunk.pk not in seen]
        if hits:
            told = _told(sought, kinds, len(hits), nowhere)
            line = asking.loosened(sought.line, kinds)
            told = f"{nowhere} {told} {_dated(sought, kinds)}".strip()
            return Absence(told, "+".join(kinds), line)
    if each := _apart(sought, found):
        return each
    if nowhere:
        told = _("No other passage has these words either.")
        return Absence(f"{nowhere} {told} {_dated(sought, (WHERE,))}".strip())
    return None


def _apart(sought: Sought, found: Findings | None) -> Absence | None:
    """That each of several quotes stands somewhere, but no passage has all of them."""
    asked = asking.read(sought.line)
    if found is None or len(asked.phrases) < 2:
        return None
    there = places(sought.workspace, asked, sought.scope, everywhere=sought.everywhere)
    for phrase in asked.phrases:
        if not search_all(there, phrase, limit=1, phrases=[phrase], without=asked.without).hits:
            return None
    told = _("Each of “%(words)s” is there, but no passage has all of them.")
    line = asking.loosened(sought.line, (QUOTES,))
    return Absence(told % {"words": ", ".join(asked.phrases)}, QUOTES, line)


def _left_out(sought: Sought, found: Findings) -> Absence | None:
    """The good passages kept out by a minus or a filter, where none of those found is good."""
    if any(hit.band != "weak" for hit in found.hits):
        return None
    seen = {hit.chunk.pk for hit in found.hits}
    for kinds in _attempts(sought, (WITHOUT, WHERE)):
        good = [hit for hit in _again(sought, kinds).hits if hit.band != "weak"]
        count = sum(1 for hit in good if hit.chunk.pk not in seen)
        if count:
            told = f"{_told_left_out(sought, kinds, count)} {_dated(sought, kinds)}".strip()
            return Absence(told, "+".join(kinds), asking.loosened(sought.line, kinds))
    return None


def _told_left_out(sought: Sought, kinds: Sequence[str], count: int) -> str:
    if kinds == (WITHOUT,):
        return _told(sought, kinds, count, "")
    if kinds == (WHERE,):
        told = ngettext(
            "A better passage stands outside of %(where)s.",
            "%(count)s better passages stand outside of %(where)s.",
            count,
        )
    else:
        told = ngettext(
            "A better passage is there without all that narrows the search.",
            "%(count)s better passages are there without all that narrows the search.",
            count,
        )
    return told % {"count": _most(count), "where": ", ".join(sought.where)}


def told_tongues(found: Findings) -> str:
    """That documents are in other languages, where no answer was found; "" where in one."""
    if found.answerable or not found.tongues:
        return ""
    return _(
        "Some documents here are in another language (%(languages)s); asked in it, more may be"
        " found."
    ) % {"languages": ", ".join(sorted(map(language_name, found.tongues)))}


def unread(workspaces: Collection[int]) -> QuerySet[Document, Any]:
    """How many documents no word of which can be found yet, as rows `workspace`, `count`."""
    there = Document.objects.filter(workspace__in=workspaces).unread().order_by()
    return there.values("workspace").annotate(count=Count("pk"))


def told_unread(count: int) -> str:
    """That so many documents are not in what was found, "" for none."""
    if not count:
        return ""
    return ngettext(
        "One document is still being read and is not in this.",
        "%(count)s documents are still being read and are not in this.",
        count,
    ) % {"count": count}


def _attempts(sought: Sought, alone: Collection[str]) -> Iterator[tuple[str, ...]]:
    """What may have left something out: each of `alone` by itself, then all of it together."""
    asked = asking.read(sought.line)
    there = {WITHOUT: asked.without, QUOTES: asked.phrases, WHERE: sought.where}
    kinds = [kind for kind, given in there.items() if given]
    yield from ((kind,) for kind in kinds if kind in alone)
    if len(kinds) > 1:
        yield tuple(kinds)


def _again(sought: Sought, kinds: Sequence[str]) -> Findings:
    """What is found without these kinds of narrowing."""
    asked = asking.read(asking.loosened(sought.line, [kind for kind in kinds if kind != QUOTES]))
    scope = EVERYTHING if WHERE in kinds else sought.scope
    there = places(sought.workspace, asked, scope, everywhere=sought.everywhere)
    phrases = asked.phrases
    if QUOTES in kinds:  # all of their words, wherever they stand
        phrases = tuple(word for phrase in phrases for word in phrase.split())
    return search_all(there, asked.text, limit=MOST, phrases=phrases, without=asked.without)


def _bearing(found: Findings) -> list[Hit]:
    """The hits that have most words of the question; without words, those that are good."""
    words = [len({word.casefold() for word in hit.words}) for hit in found.hits]
    most = max(words, default=0)
    if most:
        return [hit for hit, count in zip(found.hits, words, strict=True) if count == most]
    return [hit for hit in found.hits if hit.band != "weak"]


def _told(sought: Sought, kinds: Sequence[str], count: int, nowhere: str) -> str:
    given: dict[str, Any] = {"count": _most(count)}
    asked = asking.read(sought.line)
    if nowhere:
        told = ngettext(
            "One passage elsewhere has these words.",
            "%(count)s passages elsewhere have these words.",
            count,
        )
    elif kinds == (WITHOUT,):
        given["words"] = ", ".join(asked.without)
        told = ngettext(
            "One passage that fits was left out, because it has “%(words)s”.",
            "%(count)s passages that fit were left out, because they have “%(words)s”.",
            count,
        )
    elif kinds == (QUOTES,):
        given["words"] = ", ".join(asked.phrases)
        told = ngettext(
            "One passage has all words of “%(words)s”, but not side by side.",
            "%(count)s passages have all words of “%(words)s”, but not side by side.",
            count,
        )
    elif kinds == (WHERE,):
        given["where"] = ", ".join(sought.where)
        told = ngettext(
            "One passage has these words, but not within %(where)s.",
            "%(count)s passages have these words, but not within %(where)s.",
            count,
        )
    else:
        told = ngettext(
            "One passage has these words without all that narrows the search.",
            "%(count)s passages have these words without all that narrows the search.",
            count,
        )
    return told % given


def _dated(sought: Sought, kinds: Sequence[str]) -> str:
    """Of which date it is, where one keeps something out."""
    asked = asking.read(sought.line)
    if WHERE not in kinds or not (asked.after or asked.before):
        return ""
    return _(
        "What counts is when a file was last changed; where that is not known, when it came in."
    )


def _most(count: int) -> str:
    return str(count) if count < MOST else f"{MOST}+"
