"""What the hub shows of each mode."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Count, Window

from apps.library.models import Workspace
from apps.study.models import Deck, Mindmap, Quiz, Work, Workshop
from apps.web import rail


@dataclass(frozen=True, slots=True)
class Door:
    """One of the four modes, and the newest thing made in it."""

    name: str
    list_url: str  # names of addresses
    new_url: str
    icon: str
    words: str
    count: int
    newest: Work | None


KINDS: tuple[tuple[type[Work], str, str, str, str], ...] = (
    (Quiz, "Quizzes", "quiz", "lightbulb", "Questions with the passage that proves each answer."),
    (Workshop, "Workshops", "workshop", "book-open", "Lessons that lead through a topic."),
    (Deck, "Flashcards", "deck", "wallet-cards", "Cards that come back when you would forget."),
    (Mindmap, "Mindmaps", "mindmap", "network", "A topic at a glance, as a map."),
)


def doors(person: User, workspace: Workspace) -> list[Door]:
    """The four modes in their order, as this person left them; none without a document to read."""
    asked: dict[str, rail.Asked] = {"documents": workspace.documents.searchable().values("id")[:1]}
    for model, _, noun, *_ in KINDS:
        mine = model.objects.owned_by(person).filter(workspace=workspace)
        asked[noun] = mine.annotate(count=Window(Count("*"))).values("id", "title", "count")[:1]
    found = rail.together(asked)
    if not found["documents"]:
        return []
    shown = []
    for model, name, noun, icon, words in KINDS:
        rows, urls = found[noun], (f"study:{noun}_list", f"study:{noun}_new")
        count = rows[0].pop("count") if rows else 0
        newest = model(**rows[0]) if rows else None
        shown.append(Door(name, *urls, icon, words, count, newest))
    return shown
