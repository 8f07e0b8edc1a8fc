"""Icons, and numbers as people say them. Built in: no page needs to load them."""

import re
from datetime import datetime
from functools import cache
from typing import Any

from django import template
from django.conf import settings
from django.templatetags.static import static
from django.utils import formats, timezone, translation
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import npgettext_lazy

register = template.Library()
# Not Django's own: after "vor" German has another case than "seit" has.
SPANS: dict[str, Any] = {
    "year": npgettext_lazy("ago", "%(num)d year", "%(num)d years", "num"),
    "month": npgettext_lazy("ago", "%(num)d month", "%(num)d months", "num"),
    "week": npgettext_lazy("ago", "%(num)d week", "%(num)d weeks", "num"),
    "day": npgettext_lazy("ago", "%(num)d day", "%(num)d days", "num"),
    "hour": npgettext_lazy("ago", "%(num)d hour", "%(num)d hours", "num"),
    "minute": npgettext_lazy("ago", "%(num)d minute", "%(num)d minutes", "num"),
}


@cache
def icon_names() -> frozenset[str]:
    """The icons the sprite has."""
    sprite = settings.BASE_DIR / "static" / "icons" / "sprite.svg"
    return frozenset(re.findall(r'<symbol id="([^"]+)"', sprite.read_text()))


@register.simple_tag
def icon(name: str, label: str = "", size: str = "") -> SafeString:
    """Draw an icon. Without a label it is decoration, and a word must stand beside it."""
    if name not in icon_names():
        raise LookupError(f"No icon {name!r}: add it to static/icons/sprite.svg or use another.")
    told = format_html('role="img" aria-label="{}"', label) if label else 'aria-hidden="true"'
    return format_html(
        '<svg class="icon{}" {}><use href="{}#{}"></use></svg>',
        f" {size}" if size else "",
        SafeString(told),
        static("icons/sprite.svg"),
        name,
    )


@register.filter("bytes")
def file_size(size: int | None) -> str:
    """Say a number of bytes: 0 B, 14.2 kB, 3.1 GB (steps of 1000)."""
    amount = float(size or 0)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 999.95 or unit == "GB":
            break
        amount /= 1000
    places = 0 if unit == "B" or amount >= 99.95 else 1
    return f"{formats.number_format(amount, places)} {unit}"


@register.filter
def duration(seconds: float | None) -> str:
    """Say a number of seconds: 0.4 s, 38 s, 4 min 10 s, 2 h 5 min; whole ones stay whole."""
    if seconds is None:
        return ""
    if seconds < 9.95 and not isinstance(seconds, int):
        return f"{formats.number_format(seconds, 1)} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


@register.filter
def ago(moment: datetime | None) -> str:
    """Say how long ago something was: just now, 3 minutes ago, 2 weeks ago."""
    if moment is None:
        return _("never")
    if abs((timezone.now() - moment).total_seconds()) < 60:
        return _("just now")
    return _("%(time)s ago") % {"time": timesince(moment, time_strings=SPANS, depth=1)}


@register.filter
def ordinal(place: int | None) -> str:
    """Say a place: 1st, 2nd, 11th."""
    if place is None:
        return ""
    if translation.get_language() == "de":
        return f"{place}."
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10)
    return f"{place}{ending or 'th'}"


@register.filter
def grouped(number: int | None) -> str:
    """Write a number with its thousands apart: 5,000, in German 5.000."""
    return str(formats.number_format(number or 0, force_grouping=True))


@register.filter
def percent(part: float | None) -> str:
    """Say a share from 0 to 1: 40 %."""
    return f"{round((part or 0) * 100)} %"
