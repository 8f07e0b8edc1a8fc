"""What the figures say over time: weeks, modes, and topics that go badly."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.utils import formats

from apps.progress.kinds import Kind
from apps.progress.rounding import half_up

WEEK = timedelta(weeks=1)
# A card graded 1 (again) or a wrong answer speaks against a topic, anything else for it.
TOPICS = """
SELECT facts->>'document', max(facts->>'document_name'), coalesce(facts->>'section', ''),
       count(*),
       count(*) FILTER (WHERE facts->>'correct' = 'false' OR facts->>'grade' = '1')
FROM progress_event
WHERE person_id = %(person)s AND kind = ANY(%(kinds)s) AND at >= %(since)s
      AND facts ? 'document'
GROUP BY 1, 3
HAVING count(*) >= %(least)s
   AND count(*) FILTER (WHERE facts->>'correct' = 'false' OR facts->>'grade' = '1') > 0
ORDER BY 5::float8 / count(*) DESC, 4 DESC, 1, 3
LIMIT %(limit)s
"""
RETENTION = """
SELECT count(*), count(*) FILTER (WHERE facts->>'grade' <> '1')
FROM progress_event
WHERE person_id = %(person)s AND kind = %(kind)s AND at >= %(since)s
      AND facts->>'state' = 'review'
"""


@dataclass(frozen=True, slots=True)
class WeekBar:
    monday: date
    seconds: float
    share: float  # of the longest week, 0 to 1
    current: bool

    @property
    def words(self) -> str:
        """Short enough to stand above a thin bar: 45 min, 7.5 h."""
        minutes = half_up(self.seconds / 60)
        if minutes < 60:
            return f"{minutes} min"
        return f"{formats.number_format(Decimal(half_up(minutes / 6)).scaleb(-1).normalize())} h"

    @property
    def height(self) -> int:
        """Of 100; a week with any study shows at least a line."""
        return max(half_up(100 * self.share), 2 if self.seconds else 0)

    @property
    def top(self) -> int:
        return 100 - self.height


@dataclass(frozen=True, slots=True)
class Topic:
    """A section of a document and how its questions went."""

    document: str  # id
    document_name: str
    section: str
    answers: int
    wrong: int

    @property
    def percent_right(self) -> int:
        return half_up(100 * (self.answers - self.wrong) / self.answers)


def week_bars(seconds: Mapping[date, float], today: date, count: int = 12) -> list[WeekBar]:
    """The last `count` weeks, Monday to Sunday, the current one last."""
    this_monday = today - timedelta(days=today.weekday())
    mondays = [this_monday - n * WEEK for n in reversed(range(count))]
    sums = dict.fromkeys(mondays, 0.0)
    for day, spent in seconds.items():
        monday = day - timedelta(days=day.weekday())
        if monday in sums:
            sums[monday] += spent
    most = max(sums.values()) or 1
    return [WeekBar(m, sums[m], sums[m] / most, m == this_monday) for m in mondays]


def weak_topics(person: User, since: date, *, least: int = 3, limit: int = 5) -> list[Topic]:
    """The sections with most wrong answers, of those with at least `least` answers."""
    kinds = [Kind.QUIZ_ANSWERED.value, Kind.CARD_GRADED.value]
    asked: dict[str, Any] = {
        "person": person.pk,
        "kinds": kinds,
        "since": since,
        "least": least,
        "limit": limit,
    }
    with connection.cursor() as cursor:
        cursor.execute(TOPICS, asked)
        return [Topic(*row) for row in cursor.fetchall()]


def retention(person: User, since: date) -> int | None:
    """Per cent of reviewed cards that were remembered; None without reviews."""
    with connection.cursor() as cursor:
        asked: dict[str, Any] = {"person": person.pk, "kind": Kind.CARD_GRADED, "since": since}
        cursor.execute(RETENTION, asked)
        reviews, remembered = cursor.fetchone()
    return half_up(100 * remembered / reviews) if reviews else None
