"""What the study room puts into the rail of every page."""

from typing import Any

from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from apps.library import workspaces
from apps.study import due
from apps.web.htmx import HtmxRequest


def context(request: HtmxRequest) -> dict[str, Any]:
    """How many cards wait in the open workspace; asked for where a page shows it."""
    person = getattr(request, "user", None)  # none where an early middleware failed
    if person is None or not person.is_authenticated:
        return {}

    def waiting() -> int:
        return due.queue(person, workspaces.current(request), timezone.now()).waiting

    return {"shell_due": SimpleLazyObject(waiting)}
