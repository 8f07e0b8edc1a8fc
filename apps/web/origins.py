"""Whence a request may come: from the vault's own pages, from the address bar, from a link.

Pages of strangers run in the same browser as the vault. They may send a reader here by a link, and
nothing else: no form, no picture, no frame, no script of theirs reaches it. This stands before
CSRF tokens and cookies' SameSite, and holds for addresses that need neither.
"""

from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext_noop as noop

from apps.web.views import Trouble, trouble

SAFE = {"GET", "HEAD", "OPTIONS", "QUERY"}
STRANGERS = {"cross-site", "same-site"}  # another port of this machine is "same-site"
FOREIGN = Trouble(
    noop("This came from another site"),
    noop(
        "A page of somebody else’s asked for it in your name, so nothing was done. If it was you, "
        "open the vault by its own address and try again."
    ),
)


def own_pages_only(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Refuse what a stranger's page asks for; raises DisallowedHost for a name that is not ours."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        host = request.get_host()  # before anything is done: a stranger's name may lead here
        if _is_foreign(request, host):
            return trouble(request, 403, FOREIGN)
        return get_response(request)

    return middleware


def _is_foreign(request: HttpRequest, host: str) -> bool:
    # Browsers send Sec-Fetch-Site over HTTPS and to this machine, Origin with all that changes
    # something. Programs send neither, and have no cookies that a page could misuse.
    if request.headers.get("Sec-Fetch-Site") in STRANGERS and not _is_link(request):
        return True
    origin = request.headers.get("Origin")
    return request.method not in SAFE and origin is not None and not _is_ours(origin, request, host)


def _is_link(request: HttpRequest) -> bool:
    """Whether a reader goes to a page, in a window of its own."""
    return (
        request.method in SAFE
        and request.headers.get("Sec-Fetch-Mode") == "navigate"
        and request.headers.get("Sec-Fetch-Dest") == "document"
    )


def _is_ours(origin: str, request: HttpRequest, host: str) -> bool:
    if origin in settings.CSRF_TRUSTED_ORIGINS:
        return True
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return (parts.scheme, parts.netloc) == (request.scheme, host)
