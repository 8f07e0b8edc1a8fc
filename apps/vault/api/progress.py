"""Progress, to read: figures, days, badges, weak topics, and the whole ledger."""

from datetime import date, datetime, timedelta
from typing import Annotated, Any

from django.http import StreamingHttpResponse
from django.utils import timezone
from ninja import Query, Router, Schema
from pydantic import Field

from apps.progress import dashboard, exporting, standing, trends
from apps.progress.dashboard import EarnedBadge
from apps.progress.models import Day
from apps.vault.api.gate import READ, ApiRequest

router = Router(tags=["Progress"])


class Figures(Schema):
    """Study time in seconds, sessions, and days in a row."""

    seconds: float
    today_seconds: float
    sessions: int
    messages: int
    streak: int
    longest_streak: int
    studied_today: bool
    zone: str


class Studied(Schema):
    """One local day with study; `acts` counts them by kind."""

    day: date
    seconds: float
    sessions: int
    acts: dict[str, int]


class Span(Schema):
    days: Annotated[int, Field(ge=1, le=366, description="How far back, today included.")] = 90


class BadgeTold(Schema):
    code: str
    name: str
    group: str
    how: str
    target: int
    unit: str
    current: float
    percent: int
    earned_at: datetime | None


class WeakTopic(Schema):
    """A section of a document, and how its questions and cards went."""

    document: str
    document_id: int | None
    section: str
    answers: int
    wrong: int


@router.get("/progress", auth=READ, response=Figures)
def get_progress(request: ApiRequest) -> Figures:
    """The figures of the dashboard."""
    kept = standing.fresh(request.user)
    now = dashboard.figures(kept)
    return Figures(
        seconds=now.seconds,
        today_seconds=now.today_seconds,
        sessions=now.sessions,
        messages=now.messages,
        streak=now.streak,
        longest_streak=now.longest,
        studied_today=now.studied_today,
        zone=kept.zone,
    )


@router.get("/progress/days", auth=READ, response=list[Studied])
def list_days(request: ApiRequest, span: Query[Span]) -> list[Studied]:
    """The days with study, the newest first, as this person's calendar counts them."""
    since = dashboard.today_of(standing.fresh(request.user)) - timedelta(days=span.days)
    rows = Day.objects.filter(person=request.user, day__gt=since).order_by("-day")
    return [
        Studied(day=row.day, seconds=row.seconds, sessions=row.sessions, acts=row.kinds)
        for row in rows
    ]


@router.get("/progress/badges", auth=READ, response=list[BadgeTold])
def list_badges(request: ApiRequest) -> list[BadgeTold]:
    """All badges: earned ones first, then how far the others are."""
    tally = standing.tally_of(standing.fresh(request.user))
    return [_badge(entry) for entry in dashboard.badge_grid(request.user, tally)]


@router.get("/progress/weak-topics", auth=READ, response=list[WeakTopic])
def list_weak_topics(request: ApiRequest, span: Query[Span]) -> list[WeakTopic]:
    """The sections with most wrong answers, of those with at least three answers."""
    since = timezone.now() - timedelta(days=span.days)
    return [weak_topic(topic) for topic in trends.weak_topics(request.user, since)]


@router.get("/progress/export", auth=READ, response={200: dict[str, Any]})
def export_progress(request: ApiRequest) -> StreamingHttpResponse:
    """The whole ledger as one JSON document, which the progress page can read back."""
    return StreamingHttpResponse(exporting.as_json(request.user), content_type="application/json")


@router.get(
    "/progress/export.csv", auth=READ, response={200: str}, openapi_extra={"x-media": "text/csv"}
)
def export_progress_table(request: ApiRequest) -> StreamingHttpResponse:
    """The same as a table."""
    lines = exporting.as_csv(request.user)
    return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")


def weak_topic(topic: trends.Topic) -> WeakTopic:
    return WeakTopic(
        document=topic.document_name,
        document_id=int(topic.document) if topic.document.isdecimal() else None,
        section=topic.section,
        answers=topic.answers,
        wrong=topic.wrong,
    )


def _badge(entry: EarnedBadge) -> BadgeTold:
    badge = entry.badge
    return BadgeTold(
        code=badge.code,
        name=badge.name,
        group=badge.group,
        how=badge.how,
        target=badge.target,
        unit=badge.unit,
        current=entry.current,
        percent=entry.percent,
        earned_at=entry.award.at if entry.award else None,
    )
