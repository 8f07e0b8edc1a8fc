"""What the hub shows of each mode."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Count, Window
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.library.models import Workspace
from apps.study.models import Deck, Job, Mindmap, Quiz, Work, Workshop
from apps.web import rail

Words = str | Promise  # said in the reader's language when they are shown


@dataclass(frozen=True, slots=True)
class Mode:
    """A way to study, and how the hub and its form speak of it."""

    model: type[Work]
    code: str  # as in the names of its addresses
    icon: str
    name: Words
    words: Words
    new: Words
    make: Words


@dataclass(frozen=True, slots=True)
class Door:
    """One of the four modes, and the newest thing made in it."""

    mode: Mode
    list_url: str  # names of addresses
    new_url: str
    count: int
    newest: Work | None


MODES = {
    Job.Kind.QUIZ: Mode(
        Quiz,
        "quiz",
        "lightbulb",
        _("Quizzes"),
        _("Questions with the passage that proves each answer."),
        _("New quiz"),
        _("Make the quiz"),
    ),
    Job.Kind.WORKSHOP: Mode(
        Workshop,
        "workshop",
        "book-open",
        _("Workshops"),
        _("Lessons that lead through a topic."),
        _("New workshop"),
        _("Make the workshop"),
    ),
    Job.Kind.DECK: Mode(
        Deck,
        "deck",
        "wallet-cards",
        _("Flashcards"),
        _("Cards that come back when you would forget."),
        _("New deck"),
        _("Make the cards"),
    ),
    Job.Kind.MINDMAP: Mode(
        Mindmap,
        "mindmap",
        "network",
        _("Mindmaps"),
        _("A topic at a glance, as a map."),
        _("New mindmap"),
        _("Draw the map"),
    ),
}


def doors(person: User, workspace: Workspace) -> list[Door]:
    """The four modes in their order, as this person left them; none without a document to read."""
    asked: dict[str, rail.Asked] = {"documents": workspace.documents.searchable().values("id")[:1]}
    for mode in MODES.values():
        mine = mode.model.objects.owned_by(person).filter(workspace=workspace)
        counted = mine.annotate(count=Window(Count("*")))
        asked[mode.code] = counted.values("id", "title", "count")[:1]
    found = rail.together(asked)
    if not found["documents"]:
        return []
    shown = []
    for mode in MODES.values():
        rows, urls = found[mode.code], (f"study:{mode.code}_list", f"study:{mode.code}_new")
        count = rows[0].pop("count") if rows else 0
        newest = mode.model(**rows[0]) if rows else None
        shown.append(Door(mode, *urls, count, newest))
    return shown
