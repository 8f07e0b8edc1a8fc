"""Server-sent events: the wire format, and nothing about who speaks."""

from collections.abc import Iterable

from django.http import HttpRequest, StreamingHttpResponse

BEAT = ": beat\n\n"  # a comment: every client skips it, and writing it finds out who has left


def message(html: str, number: int) -> str:
    """One message, numbered for going on later; each line of the html is a `data:` line."""
    lines = "".join(f"data: {line}\n" for line in html.strip().split("\n"))
    return f"id: {number}\n{lines}\n"


def resume_point(request: HttpRequest) -> int:
    """The number of the last message the browser has, 0 where it has none.

    A browser that reconnects repeats its first address, so its header knows better than the query.
    """
    for known in (request.headers.get("Last-Event-ID", ""), request.GET.get("after", "")):
        if known.isascii() and known.isdigit():
            return int(known[:9])
    return 0


def stream(messages: Iterable[str]) -> StreamingHttpResponse:
    """A response of messages, passed on as they come by every server in between."""
    response = StreamingHttpResponse(messages, content_type="text/event-stream")
    response["Cache-Control"] = "no-cache"
    response["X-Accel-Buffering"] = "no"  # nginx would hold the words back
    return response
