"""What a person did in the last days, counted day by day."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby

from django.contrib.auth.models import User
from django.db.models import Count
from django.db.models.functions import TruncDate
from django.utils import timezone

from apps.progress.kinds import Kind
from apps.progress.models import Event


@dataclass(frozen=True, slots=True)
class Day:
    """One day and how often each kind of thing was done on it, the most frequent first."""

    date: date
    counts: tuple[tuple[str, int], ...]

    @property
    def total(self) -> int:
        return sum(number for _, number in self.counts)


def days(person: User, last: int = 14) -> list[Day]:
    """The days of the last two weeks on which something was done, the newest first."""
    since = timezone.localdate() - timedelta(days=last - 1)
    rows = (
        Event.objects.owned_by(person)
        .filter(at__date__gte=since)
        .annotate(day=TruncDate("at"))
        .values_list("day", "kind")
        .annotate(number=Count("pk"))
        .order_by("-day", "-number", "kind")
    )
    return list(_by_day(rows.iterator()))


def _by_day(rows: Iterator[tuple[date, str, int]]) -> Iterator[Day]:
    for day, acts in groupby(rows, key=lambda row: row[0]):
        yield Day(day, tuple((Kind(kind).label, number) for _, kind, number in acts))
