"""When a document was last changed: its file's own time, or what is written inside it.

Each document has the time of its own file, whatever others have the same bytes; where the same
file comes again unchanged, the earliest time it came with, and what is written inside is believed
where it is earlier: copying and downloading give a file a later time. What cannot be true is not
known.
"""

import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from django.utils import timezone

FIRST = datetime(1980, 1, 2, tzinfo=UTC)  # before, a clock was not set
STAMPED = timedelta(hours=1)  # a page changed since then was made for whoever asked for it
SLACK = timedelta(days=1)  # that another machine's clock may be ahead, or its time zone untold
NAMED = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)"
    r"(?:(?P<sign>[-_.]?)(?P<month>0[1-9]|1[0-2])(?:(?P=sign)(?P<day>0[1-9]|[12]\d|3[01]))?)?(?!\d)"
    r"|(?<!\d)(?P<day_first>0?[1-9]|[12]\d|3[01])[._-](?P<month_next>0?[1-9]|1[0-2])[._-]"
    r"(?P<year_last>(?:19|20)\d\d)(?!\d)"
)

Named = tuple[int, int, int]  # year, month and day; 0 for what is not said


def credible(moment: datetime | None) -> datetime | None:
    """The moment, never in the future; None where it cannot be true."""
    if moment is None:
        return None
    try:
        if timezone.is_naive(moment):
            moment = timezone.make_aware(moment)
        now = timezone.now()
        return min(moment, now) if FIRST <= moment <= now + SLACK else None
    except (OverflowError, ValueError):
        return None


def stamped(seconds: float) -> datetime | None:
    """The time that a file system keeps, in seconds since 1970."""
    try:
        return credible(datetime.fromtimestamp(seconds, UTC))
    except (OverflowError, ValueError, OSError):
        return None


def told_by_browser(milliseconds: str) -> datetime | None:
    """What a browser says of a file, in milliseconds since 1970; None where it says nothing."""
    told = milliseconds.strip()
    return stamped(int(told) / 1000) if told.isascii() and told.isdigit() else None


def written(text: str) -> datetime | None:
    """What stands in a document, as ISO 8601."""
    try:
        return credible(datetime.fromisoformat(text.strip()))
    except ValueError:
        return None


def sent(header: str) -> datetime | None:
    """What a web server says in Last-Modified; None where that is when it was asked."""
    try:
        moment = credible(parsedate_to_datetime(header))
    except (ValueError, OverflowError):
        return None
    return moment if moment and moment < timezone.now() - STAMPED else None


def earlier(one: datetime | None, other: datetime | None) -> datetime | None:
    """The earlier of two times, of which either may not be known."""
    return min((moment for moment in (one, other) if moment), default=None)


def named(name: str) -> Named | None:
    """The latest date in a file's name: 2024 of "Lease_2024.md"; None where there is none."""
    found = []
    for match in NAMED.finditer(name):
        year = match["year"] or match["year_last"]
        month, day = match["month"] or match["month_next"], match["day"] or match["day_first"]
        found.append((int(year), int(month or 0), int(day or 0)))
    return max(found, default=None)
