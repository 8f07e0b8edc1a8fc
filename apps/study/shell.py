"""What the study room puts into the rail of every page."""

from typing import Any

from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from apps.library import workspaces
from apps.study import due
from apps.web.htmx import HtmxRequest


def context(request: HtmxRequest) -> dict[str, Any]:
    """How many learned cards are due in the open workspace; one question, where a page shows it."""
    person = getattr(request, "user", None)  # none where an early middleware failed
    if person is None or not person.is_authenticated:
        return {}

    def waiting() -> int:
        return due.overdue(person, workspaces.current(request), timezone.now())

    return {"shell_due": SimpleLazyObject(waiting)}
