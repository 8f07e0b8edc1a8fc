"""What the hub shows of each mode."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Count, Window

from apps.library.models import Workspace
from apps.study.models import Deck, Mindmap, Quiz, Work, Workshop


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
    """The four modes in their order, as this person left them."""
    shown = []
    for model, name, noun, icon, words in KINDS:
        mine = model.objects.owned_by(person).filter(workspace=workspace)
        newest = mine.annotate(count=Window(Count("*"))).first()
        urls = (f"study:{noun}_list", f"study:{noun}_new")
        shown.append(Door(name, *urls, icon, words, newest.count if newest else 0, newest))
    return shown
