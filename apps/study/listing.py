"""The lists of the four kinds: search, progress, newest first."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, Max, Q
from django.utils import timezone
from django.utils.datastructures import MultiValueDict

from apps.library.models import Workspace
from apps.study.models import Card, Deck, Mindmap, Quiz, Workshop

SHOWN = 200


@dataclass(frozen=True, slots=True)
class Page:
    works: list[Any]
    q: str
    total: int


def quizzes(person: User, workspace: Workspace, q: str) -> Page:
    """The person's quizzes with `question_count`, `attempt_count` and `best` per cent."""
    mine = Quiz.objects.owned_by(person).filter(workspace=workspace)
    found = (
        mine.filter(title__icontains=q)
        .select_related("job")
        .annotate(
            question_count=Count("questions", distinct=True),
            attempt_count=Count(
                "attempts", filter=Q(attempts__finished_at__isnull=False), distinct=True
            ),
            best=Max("attempts__score"),
        )
        .order_by("-pk")
    )
    return Page(list(found[:SHOWN]), q, mine.count())


def decks(person: User, workspace: Workspace, q: str) -> Page:
    """The person's decks with `card_count`, `mastered_count`, `due_count` and `percent`."""
    mine = Deck.objects.owned_by(person).filter(workspace=workspace)
    found = (
        mine.filter(title__icontains=q)
        .select_related("job")
        .annotate(
            card_count=Count("cards"),
            mastered_count=Count("cards", filter=Q(cards__status=Card.Status.MASTERED)),
            due_count=Count("cards", filter=Q(cards__due_at__lte=timezone.now())),
        )
        .order_by("-pk")
    )
    works = list(found[:SHOWN])
    for deck in works:
        deck.percent = 100 * deck.mastered_count // deck.card_count if deck.card_count else 0
    return Page(works, q, mine.count())


def workshops(person: User, workspace: Workspace, q: str) -> Page:
    """The person's workshops with `lesson_count` and `completed_count`."""
    mine = Workshop.objects.owned_by(person).filter(workspace=workspace)
    done = Count("lessons", filter=Q(lessons__completed_at__isnull=False))
    found = (
        mine.filter(title__icontains=q)
        .select_related("job")
        .annotate(lesson_count=Count("lessons"), completed_count=done)
        .order_by("-pk")
    )
    return Page(list(found[:SHOWN]), q, mine.count())


def mindmaps(person: User, workspace: Workspace, q: str) -> Page:
    """The person's maps, each with its tree."""
    mine = Mindmap.objects.owned_by(person).filter(workspace=workspace)
    found = mine.filter(title__icontains=q).select_related("job").order_by("-pk")
    return Page(list(found[:SHOWN]), q, mine.count())


def preselected(query: MultiValueDict[str, str]) -> dict[str, Any]:
    """What a link to a form chose already: `?document=7&untouched=1`."""
    scope = [f"d{pk}" for pk in query.getlist("document") if pk.isdecimal()]
    scope += [f"c{pk}" for pk in query.getlist("category") if pk.isdecimal()]
    chosen = {"scope": scope} if scope else {}  # else the form's own: everything
    return {**chosen, "untouched_only": "untouched" in query}
