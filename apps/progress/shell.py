"""What the rail shows of progress: the streak and today's minutes."""

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from apps.progress import dashboard, days, standing
from apps.progress.models import Standing
from apps.web import rail
from apps.web.htmx import HtmxRequest


def context(request: HtmxRequest) -> dict[str, Any]:
    """The figures of whoever is signed in; lazily, for not every page shows them."""
    if not request.user.is_authenticated:
        return {}
    return {"progress_strip": SimpleLazyObject(lambda: dashboard.figures(standing_of(request)))}


def kept(request: HtmxRequest) -> rail.Asked:
    """The person's standing, if there is one; for the question that all rooms share."""
    mine = Standing.objects.filter(person=request.user)
    return mine.values("zone", "zone_chosen", "tally", "stale")


def standing_of(request: HtmxRequest) -> Standing:
    """The person's, as the rail has it already; also at hand as `request.user.standing` then."""
    for row in rail.rows(request, "standing"):
        if not row["stale"]:
            return Standing(person=request.user, **row)
    return standing.fresh(request.user)


def notice_zone(request: HttpRequest, kept: Standing) -> None:
    """Take over the browser's time zone, as long as the person has not chosen one."""
    told = request.COOKIES.get("zone", "").replace("%2F", "/")
    if not kept.zone_chosen and told != kept.zone and days.is_zone(told):
        kept.zone = told
        kept.save(update_fields=["zone"])
