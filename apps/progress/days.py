"""Local days: which day an instant belongs to, and how a span of time falls on days.

Every event carries the time zone its person was in, so a day is a day as it was lived: 23 or 25
hours long where clocks change, and a traveller's own.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

DAY = timedelta(days=1)


@lru_cache(64)
def zone(name: str) -> ZoneInfo:
    """The time zone of that IANA name; UTC for a name nobody knows."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC")


def is_zone(name: str) -> bool:
    """Whether the name is a time zone's."""
    return bool(name) and (name == "UTC" or zone(name).key == name)


def local_day(at: datetime, zone_name: str) -> date:
    """The date on the wall calendar at that instant."""
    return at.astimezone(zone(zone_name)).date()


def midnight_after(at: datetime, zone_name: str) -> datetime:
    """The first instant of the following local day, in UTC.

    Where clocks jump over midnight the day begins at the first minute that exists.
    """
    here = zone(zone_name)
    following = at.astimezone(here).date() + DAY
    return datetime.combine(following, time(), here).astimezone(UTC)


def spread(begin: datetime, end: datetime, zone_name: str) -> Iterator[tuple[date, float]]:
    """The seconds of a span on each local day it touches; their sum is the span's length."""
    while begin < end:
        day = local_day(begin, zone_name)
        until = min(end, midnight_after(begin, zone_name))
        yield day, (until - begin).total_seconds()
        begin = until
