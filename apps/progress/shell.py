"""What the rail shows of progress: the streak and today's minutes."""

from typing import Any

from django.http import HttpRequest

from apps.progress import dashboard, days, standing
from apps.progress.models import Standing


def context(request: HttpRequest) -> dict[str, Any]:
    """The figures of whoever is signed in; lazily, for not every page shows them."""
    if not request.user.is_authenticated:
        return {}
    person = request.user

    def strip() -> dashboard.Figures:
        return dashboard.figures(standing.fresh(person))

    return {"progress_strip": strip}


def notice_zone(request: HttpRequest, kept: Standing) -> None:
    """Take over the browser's time zone, as long as the person has not chosen one."""
    told = request.COOKIES.get("zone", "").replace("%2F", "/")
    if not kept.zone_chosen and told != kept.zone and days.is_zone(told):
        kept.zone = told
        kept.save(update_fields=["zone"])
