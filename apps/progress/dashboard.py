"""Everything the dashboard shows, gathered in few queries."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from apps.progress import badges, days, heatmap, standing, streaks, trends
from apps.progress.kinds import Kind
from apps.progress.models import Award, Day, Standing
from apps.progress.rounding import half_up
from apps.progress.tally import Tally
from apps.progress.trends import Topic, WeekBar

YEAR = 365
TOPIC_DAYS = 90


@dataclass(frozen=True, slots=True)
class Figures:
    """The strip and the hero figures."""

    seconds: float  # of all time
    today_seconds: float
    sessions: int
    messages: int
    streak: int
    longest: int
    studied_today: bool

    @property
    def today_minutes(self) -> int:
        """Whole minutes, and at least one of a day with any study."""
        return max(half_up(self.today_seconds / 60), 1 if self.today_seconds else 0)


@dataclass(frozen=True, slots=True)
class EarnedBadge:
    """A badge as the grid shows it; `award` is None while it is locked."""

    badge: badges.Badge
    award: Award | None
    current: float  # capped at the target
    percent: int


@dataclass(frozen=True, slots=True)
class Dashboard:
    figures: Figures
    weeks: list[heatmap.Week]
    busiest: date | None
    bars: list[WeekBar]
    counts: dict[str, int]
    quizzes: tuple[int, int, int]  # how many, mean and best per cent
    topics: list[Topic]
    retention: int | None
    badges: list[EarnedBadge]
    almost: list[EarnedBadge]
    earned: int
    today: date


def today_of(kept: Standing, now: datetime | None = None) -> date:
    """The person's own date."""
    return days.local_day(now or timezone.now(), kept.zone)


def figures(kept: Standing, now: datetime | None = None) -> Figures:
    """The figures of a standing that is not stale; it asks the database nothing."""
    now = now or timezone.now()
    tally = standing.tally_of(kept)
    today = today_of(kept, now)
    studied = tally.latest is not None and tally.latest.day == today
    return Figures(
        seconds=tally.seconds,
        today_seconds=tally.latest.seconds if studied and tally.latest else 0,
        sessions=tally.counts["sessions"],
        messages=tally.counts["messages"],
        streak=_streak(tally, today, now),
        longest=int(tally.best.get("streak", 0)),
        studied_today=studied,
    )


def gather(kept: Standing, count: int = 90, now: datetime | None = None) -> Dashboard:
    """The dashboard with a heatmap of `count` days, of a standing that is not stale."""
    now = now or timezone.now()
    person = kept.person
    tally = standing.tally_of(kept)
    today = today_of(kept, now)
    since = today - timedelta(days=max(count, YEAR))
    rows = Day.objects.filter(person=person, day__gt=since).values_list("day", "seconds")
    seconds = dict(rows)
    grid = badge_grid(person, tally)
    almost = {b.code for b in badges.almost_there(tally.measures(), _codes(grid))}
    recent = now - timedelta(days=TOPIC_DAYS)
    return Dashboard(
        figures=figures(kept, now),
        weeks=heatmap.weeks(seconds, today, count),
        busiest=heatmap.busiest_weekday(seconds),
        bars=trends.week_bars(seconds, today),
        counts=dict(tally.counts),
        quizzes=_quizzes(tally),
        topics=trends.weak_topics(person, recent),
        retention=trends.retention(person, recent),
        badges=grid,
        almost=sorted((e for e in grid if e.badge.code in almost), key=lambda e: -e.percent),
        earned=len(_codes(grid)),
        today=today,
    )


def badge_grid(person: User, tally: Tally) -> list[EarnedBadge]:
    """All badges: earned ones first, the newest of them before the others."""
    awards = {award.badge: award for award in Award.objects.filter(person=person)}
    measures = tally.measures()
    grid = []
    for badge in badges.BADGES:
        award = awards.get(badge.code)
        share = 1.0 if award else min(badge.progress(measures), 0.99)
        current = min(measures.get(badge.measure, 0), badge.target)
        grid.append(EarnedBadge(badge, award, current, half_up(100 * share)))
    return sorted(grid, key=lambda e: -e.award.at.timestamp() if e.award else 0)


def day_detail(person: User, day: date) -> tuple[Day | None, list[Award], list[tuple[str, int]]]:
    """A day's sums, the badges earned on it, and how often each kind of act was done."""
    row = Day.objects.filter(person=person, day=day).first()
    awards = list(Award.objects.filter(person=person, day=day))
    kinds = [(str(Kind(kind).label), count) for kind, count in row.kinds.items()] if row else []
    return row, awards, sorted(kinds, key=lambda kind: -kind[1])


def _quizzes(tally: Tally) -> tuple[int, int, int]:
    count = tally.counts["quizzes"]
    mean = half_up(tally.counts["score_sum"] / count) if count else 0
    return count, mean, half_up(tally.best.get("best_score", 0))


def _streak(tally: Tally, today: date, now: datetime) -> int:
    last = tally.latest
    active = streaks.ActiveDay(last.day, last.first_at, last.last_at) if last else None
    return streaks.current(tally.run, active, today, now)


def _codes(grid: list[EarnedBadge]) -> set[str]:
    return {entry.badge.code for entry in grid if entry.award}
