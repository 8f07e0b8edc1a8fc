"""What pages show of the vault: the privacy light, and questions to the guide."""

from datetime import datetime
from typing import Any

from django.db import DatabaseError
from django.db.models import Count
from django.http import HttpRequest
from django.utils import formats, timezone
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _

from apps.library import workspaces
from apps.outbound import ledger
from apps.progress import days
from apps.vault.guide import asking
from apps.web import rail
from apps.web.htmx import HtmxRequest


def context(request: HtmxRequest) -> dict[str, Any]:
    """Each of them asked for only where a page shows it."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    return {
        "privacy_light": SimpleLazyObject(lambda: _light(request)),
        "guide_questions": SimpleLazyObject(lambda: _guide_questions(request)),
    }


def _guide_questions(request: HtmxRequest) -> list[str]:
    """Questions to the guide, where the open workspace holds it."""
    return asking.starters() if asking.is_guide(workspaces.current(request)) else []


def zone_of(request: HttpRequest) -> str:
    """The time zone the browser has told, "UTC" where it has not."""
    told = request.COOKIES.get("zone", "").replace("%2F", "/")
    return told if days.is_zone(told) else "UTC"


def outbound(request: HtmxRequest) -> rail.Asked:
    """At most one row, with the `count` of what left; for the question that all rooms share."""
    left = ledger.left_since_start().order_by().values("allowed")
    return left.annotate(count=Count("pk")).values("count")


def _light(request: HtmxRequest) -> str:
    """In words: "0 outbound since the start, 09:14"; "" where the database does not answer."""
    try:
        left = sum(row["count"] for row in rail.rows(request, "outbound"))
    except DatabaseError:
        return ""
    return _("%(n)s outbound since the start, %(since)s") % {
        "n": left,
        "since": _moment(ledger.began(), zone_of(request)),
    }


def _moment(at: datetime, zone: str) -> str:
    """The time of a moment of today, the day of an earlier one."""
    here = at.astimezone(days.zone(zone))
    today = timezone.now().astimezone(days.zone(zone)).date()
    return formats.date_format(here, "H:i" if here.date() == today else _("j M"))
