"""How far a document has come, in words a person reads."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from django.utils import timezone
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from apps.library.measuring import UNITS
from apps.library.models import Document

State = Document.State
SILENCE = timedelta(minutes=2)  # without a pulse nobody is at work on it
KNOWN_AFTER = timedelta(seconds=5)  # before that any time left is a guess

READING = {
    "page": gettext_lazy("Reading page %(number)s"),
    "slide": gettext_lazy("Reading slide %(number)s"),
    "section": gettext_lazy("Reading section %(number)s"),
    "minute": gettext_lazy("Reading minute %(number)s"),
}
READING_OF = {
    "page": gettext_lazy("Reading page %(number)s of %(total)s"),
    "slide": gettext_lazy("Reading slide %(number)s of %(total)s"),
    "section": gettext_lazy("Reading section %(number)s of %(total)s"),
    "minute": gettext_lazy("Reading minute %(number)s of %(total)s"),
}
# What is read in pieces of no meaning to a reader.
READING_ALL = {
    "text": gettext_lazy("Reading the lines"),
    "code": gettext_lazy("Reading the lines"),
    "csv": gettext_lazy("Reading the rows"),
    "xlsx": gettext_lazy("Reading the sheets"),
}


@dataclass(frozen=True, slots=True)
class Standing:
    """`tone` is good, accent (at work), warn, bad or empty; `share` runs from 0 to 1, if known."""

    tone: str
    words: str
    share: float | None = None
    left: str = ""


def of(document: Document) -> Standing:
    """Where a document stands now."""
    match document.state:
        case State.READY if document.reason:
            return Standing("warn", _because(_("Ready, not fetched again"), document.reason))
        case State.READY:
            return Standing("good", _("Ready"))
        case State.FETCHING:
            return Standing(
                "accent", _("Fetching from %(host)s") % {"host": urlsplit(document.source).hostname}
            )
        case State.REFUSED:
            return Standing("warn", _because(_("Could not read"), document.reason))
        case State.FAILED:
            return Standing("bad", _because(_("Failed"), document.reason))
        case State.CANCELLED:
            return Standing("", _("Cancelled"))
        case State.DELETING:
            return Standing("", _("Being deleted"))
        case State.QUEUED:
            return Standing("", _because(_("Waiting to be read"), document.reason))
    words = _reading(document) if document.state == State.READING else _learning(document)
    if document.pulse and timezone.now() - document.pulse > SILENCE:
        return Standing(
            "", _("%(words)s · paused, goes on by itself") % {"words": words}, _share(document)
        )
    return Standing("accent", words, _share(document), _left(document))


def _because(what: str, reason: str) -> str:
    if not reason:
        return what
    # English goes on small after a colon; a sentence in German does not.
    small = reason[:1].lower() if (get_language() or "en").startswith("en") else reason[:1]
    return f"{what}: {small}{reason[1:]}"


def _reading(document: Document) -> str:
    unit = UNITS.get(document.format)
    if unit is None:
        return str(READING_ALL.get(document.format) or _("Reading"))
    if document.total:
        numbers = {"number": min(document.done + 1, document.total), "total": document.total}
        return READING_OF[unit] % numbers
    return READING[unit] % {"number": document.done + 1}


def _learning(document: Document) -> str:
    share = _share(document)
    words = _("Found by words · learning meaning")
    return f"{words} {round(share * 100)} %" if share is not None else words


def _share(document: Document) -> float | None:
    return min(document.done / document.total, 1.0) if document.total else None


def _left(document: Document) -> str:
    """The time this stage still takes at its speed so far; empty while that is not known."""
    if not (document.stage_began and document.total and document.done):
        return ""
    gone = timezone.now() - document.stage_began
    if gone < KNOWN_AFTER:
        return ""
    return in_words(gone * max(document.total - document.done, 0) / document.done)


def in_words(left: timedelta) -> str:
    """A time left, as rough as it is known."""
    seconds = left.total_seconds()
    if seconds < 10:
        return _("a few seconds left")
    if seconds < 50:
        return _("about %(seconds)s s left") % {"seconds": round(seconds / 10) * 10}
    if seconds < 5400:
        return _("about %(minutes)s min left") % {"minutes": max(round(seconds / 60), 1)}
    return _("about %(hours)s h left") % {"hours": round(seconds / 3600)}


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a document's timeline; `state` is done, now, next or failed."""

    name: str
    state: str
    detail: str = ""
    share: float | None = None


def timeline(document: Document) -> list[Step]:
    """The stages of a document in order, up to where it stands."""
    now = of(document)
    stopped = document.state in Document.RETRIABLE
    reached = _reached(document)
    steps = [_first_step(document, now, stopped)]
    for place, name in enumerate([_("Read"), _("Meaning learned"), _("Ready")], 1):
        if place < reached or document.state == State.READY:
            steps.append(Step(name, "done", _("found by words") if place == 1 else ""))
        elif place == reached:
            steps.append(Step(name, "failed" if stopped else "now", now.words, now.share))
        elif not stopped:  # what will not come is not listed
            steps.append(Step(name, "next"))
    return steps


def _first_step(document: Document, now: Standing, stopped: bool) -> Step:
    if document.never_came:
        return Step(_("Fetched"), "failed" if stopped else "now", now.words)
    return Step(_("Stored"), "done", _clock(document.created_at))


def _reached(document: Document) -> int:
    """The stage a document is in or stopped at: 0 fetching, 1 reading, 2 learning, 3 ready."""
    if document.never_came:
        return 0
    if document.state == State.READY:
        return 3
    if document.state in Document.RETRIABLE and document.total and document.chunk_count:
        return 2 if document.total == document.chunk_count else 1
    return 2 if document.state == State.LEARNING else 1


def _clock(moment: datetime) -> str:
    return f"{timezone.localtime(moment):%H:%M:%S}"
