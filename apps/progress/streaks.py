"""Streaks: how many days in a row."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class ActiveDay:
    """A local day with study, and the instants of its first and last act."""

    day: date
    first_at: datetime
    last_at: datetime


def follows(earlier: ActiveDay, later: ActiveDay) -> bool:
    """Whether two active days are in a row.

    Adjacent dates are. So are dates with a hole between them if less than a day really passed:
    a traveller who crosses the date line skips a date that was never lived.
    """
    return later.day - earlier.day == DAY or later.first_at - earlier.last_at < DAY


def current(run: int, last: ActiveDay | None, today: date, now: datetime) -> int:
    """The streak in days as it stands at `now`, from the run that ended with the last active day.

    A today not yet studied does not break it.
    """
    alive = last and (today - last.day <= DAY or now - last.last_at < DAY)
    return run if alive else 0
