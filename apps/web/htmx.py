"""What the views need to know about htmx, in one place."""

from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django_htmx.http import trigger_client_event
from django_htmx.middleware import HtmxDetails


class HtmxRequest(HttpRequest):
    """A request from a signed-in reader, after HtmxMiddleware has seen it."""

    user: User
    htmx: HtmxDetails


def wants_part(request: HttpRequest) -> bool:
    """Whether htmx will swap the answer into a page that is already there."""
    htmx: HtmxDetails = request.htmx  # type: ignore[attr-defined]
    return bool(htmx) and not htmx.boosted and not htmx.history_restore_request


def part(request: HttpRequest, template: str, name: str) -> str:
    """Name the partial for htmx, the whole page for everyone else."""
    return f"{template}#{name}" if wants_part(request) else template


def trigger(response: HttpResponse, event: str, **detail: Any) -> HttpResponse:
    """Let the answer announce an event ("room:what-happened") to the rest of the page.

    A browser that follows a redirect drops it: announce on the answer that is rendered.
    """
    return trigger_client_event(response, event, detail)
