"""What the study room puts into the rail of every page."""

from typing import Any

from django.db.models import Count
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from apps.library import workspaces
from apps.study import due
from apps.web import rail
from apps.web.htmx import HtmxRequest


def context(request: HtmxRequest) -> dict[str, Any]:
    """How many learned cards are due in the open workspace, where a page shows it."""
    person = getattr(request, "user", None)  # none where an early middleware failed
    if person is None or not person.is_authenticated:
        return {}

    def waiting() -> int:
        return sum(row["count"] for row in rail.rows(request, "due"))

    return {"shell_due": SimpleLazyObject(waiting)}


def overdue(request: HtmxRequest) -> rail.Asked:
    """At most one row, with the `count`; for the question that all rooms share."""
    waiting = due.overdue(request.user, workspaces.current(request), timezone.now())
    return waiting.order_by().values("deck__owner").annotate(count=Count("pk")).values("count")
