"""The lists of the four kinds: search, progress, newest first."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, Max, Q
from django.utils.datastructures import MultiValueDict

from apps.library.models import Workspace
from apps.study.models import Quiz

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


def preselected(query: MultiValueDict[str, str]) -> dict[str, Any]:
    """What a link to a form chose already: `?document=7&untouched=1`."""
    scope = [f"d{pk}" for pk in query.getlist("document") if pk.isdigit()]
    scope += [f"c{pk}" for pk in query.getlist("category") if pk.isdigit()]
    return {"scope": scope, "untouched_only": "untouched" in query}
