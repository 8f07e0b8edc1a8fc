"""Pages that belong to no room: what went wrong, the parts of all pages, light and dark."""

import contextlib
import errno
import sys
from typing import NamedTuple

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.exceptions import RequestDataTooBig, TooManyFilesSent
from django.db import InterfaceError, OperationalError, connection
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as noop
from django.views.decorators.http import require_GET, require_POST

from apps.web import keys as single_keys
from apps.web import language as languages
from apps.web.database import is_busy
from apps.web.htmx import HtmxRequest
from apps.web.shell import SHEETS, SHEETS_OF_ROOM, THEMES, theme_of

NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM}
YEAR = 365 * 24 * 3600


class Trouble(NamedTuple):
    """What a reader is told: what happened, what to do next. In English; `trouble` translates."""

    heading: str
    text: str
    act: str = noop("Go to the start")
    address: str = "/"
    again_after: int = 0  # seconds until the page looks again by itself


TROUBLES = {
    400: Trouble(
        noop("This request could not be understood"),
        noop(
            "The vault does not accept what your browser sent. If you typed the address, check it."
        ),
    ),
    403: Trouble(
        noop("This is not open to you"), noop("Sign in as somebody who may see this page.")
    ),
    404: Trouble(
        noop("There is nothing here"),
        noop("The page does not exist, or it was deleted, or it belongs to somebody else."),
    ),
    405: Trouble(
        noop("This address only takes a form"),
        noop("It was opened as a page, perhaps by reloading. Go back to where the form is."),
    ),
    413: Trouble(
        noop("That is too much at once"),
        noop("The upload is larger than the vault accepts. Send fewer or smaller files."),
    ),
    500: Trouble(
        noop("Something went wrong on our side"),
        noop("Nothing of yours was lost. Try again; if it happens again, the log says why."),
    ),
    507: Trouble(
        noop("The disk of this vault takes nothing more"),
        noop(
            "It is full, or may not be written to. Nothing that was stored is lost. Make room, or"
            " make it writable, then try again; the page Health says where it is."
        ),
        act=noop("Look at Health"),
        address="/health/",
    ),
    503: Trouble(
        noop("The database does not answer"),
        noop("It may be starting. This page looks again by itself every few seconds."),
        act=noop("Look again"),
        address="",
        again_after=5,
    ),
}
BUSY = Trouble(
    noop("The vault is very busy"),
    noop(
        "Everything it can do at once is being done for others. Nothing of yours was lost; this"
        " page tries again by itself in a moment."
    ),
    act=noop("Look again"),
    address="",
    again_after=5,
)
STALE_FORM = Trouble(
    noop("This form had grown old"),
    noop(
        "You signed in or out since the page was loaded. Go back, load it again, then send the"
        " form."
    ),
)


def trouble(request: HttpRequest, status: int, told: Trouble | None = None) -> HttpResponse:
    """Tell a reader what went wrong. Asks neither database nor session: they may be the reason."""
    told = told or TROUBLES[status]
    words = {name: gettext(getattr(told, name)) for name in ("heading", "text", "act")}
    told = Trouble(**{**told._asdict(), **words})
    if getattr(request, "htmx", False):
        # htmx swaps errors like anything else: this one goes to the messages, not into the page.
        part = render_to_string("web/_trouble_part.html", {"trouble": told})
        headers = {"HX-Retarget": "#messages", "HX-Reswap": "innerHTML"}
        return HttpResponse(part, status=status, headers=headers)
    page = {"trouble": told, "status": status, "theme": theme_of(request)}
    response = HttpResponse(render_to_string("trouble.html", page), status=status)
    if told.again_after:
        response["Retry-After"] = str(told.again_after)
    return response


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    too_much = isinstance(exception, RequestDataTooBig | TooManyFilesSent)
    return trouble(request, 413 if too_much else 400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return trouble(request, 403)


def stale_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form whose CSRF token does not fit."""
    return trouble(request, 403, STALE_FORM)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return trouble(request, 404)


def broken(request: HttpRequest) -> HttpResponse:
    """Answer an exception nobody expected; a database that went away is told apart."""
    error = sys.exception()
    if _is_of_the_disk(error):
        return trouble(request, 507)
    if not isinstance(error, OperationalError | InterfaceError):
        return trouble(request, 500)
    connection.close()
    if is_busy(error):
        return trouble(request, 503, BUSY)
    if pool := getattr(connection, "pool", None):
        pool.check()  # a restart kills all connections at once: replace them before they are met
    return trouble(request, 503)


def _is_of_the_disk(error: BaseException | None) -> bool:
    """Whether a file, or a row of the database, found no room or no permission."""
    if isinstance(error, OSError):
        return error.errno in NO_ROOM
    # PostgreSQL's own disk is full (53100), or its server takes no changes (25006).
    return getattr(error.__cause__, "sqlstate", "") in {"53100", "25006"} if error else False


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Remember light, dark or the system's choice in this browser."""
    chosen = request.POST.get("theme", "")
    response = _back(request)
    if chosen in THEMES:
        secure = request.is_secure()
        response.set_cookie("theme", chosen, YEAR, samesite="Lax", secure=secure)
    return response


@require_POST
def language(request: HttpRequest) -> HttpResponse:
    """Speak the chosen language from now on; "" is the one the browser asks for."""
    response = _back(request)
    with contextlib.suppress(LookupError):
        languages.choose(request, response, request.POST.get("language", ""))
    return response


@login_required
@require_POST
def keys(request: HtmxRequest) -> HttpResponse:
    """Switch shortcuts of a single key on or off, for this person."""
    single_keys.choose(request.user, request.POST.get("single") == "on")
    return _back(request)


def _back(request: HttpRequest) -> HttpResponse:
    """To the page a choice was made on."""
    back = request.headers.get("Referer", "")
    safe = url_has_allowed_host_and_scheme(back, {request.get_host()})
    return redirect(back if safe else "/")


@login_required
@require_GET
def shortcuts(request: HttpRequest) -> HttpResponse:
    """The keys of all pages."""
    return render(request, "web/shortcuts.html")


@require_GET
def styleguide(request: HttpRequest) -> HttpResponse:
    """Every part of the pages in every state, for those who work on the look."""
    if not (settings.DEBUG or getattr(request.user, "is_staff", False)):
        raise Http404
    rooms = [sheet for sheets in SHEETS_OF_ROOM.values() for sheet in sheets]
    page = {
        "sheets": (*SHEETS, *dict.fromkeys(rooms)),
        "tones": ["", "good", "warn", "bad"],
        "grades": ["Again", "Hard", "Good", "Easy"],
        "levels": ["read", "cited", "tested", "mastered"],
    }
    return render(request, "web/styleguide.html", page)
