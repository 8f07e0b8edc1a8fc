"""What all answers share: messages ride along, the login is a whole page, the section is kept."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.urls import Resolver404, resolve, reverse
from django_htmx.http import HttpResponseClientRedirect

Answering = Callable[[HttpRequest], HttpResponseBase]

SECTIONS = ("chat", "library", "study", "progress")
NEVER_SWAPPED = (204, 304)
PLACE = "place"  # the cookie's name


def messages_ride_along(get_response: Answering) -> Answering:
    """Add what there is to say to any part that htmx swaps in; pages show it by themselves."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if _is_part(request, response) and (waiting := list(messages.get_messages(request))):
            assert isinstance(response, HttpResponse)
            response.write(render_to_string("web/_messages_part.html", {"messages": waiting}))
        return response

    return middleware


def _is_part(request: HttpRequest, response: HttpResponseBase) -> bool:
    return (
        bool(getattr(request, "htmx", False))
        and isinstance(response, HttpResponse)
        and response.headers.get("Content-Type", "").startswith("text/html")
        and response.status_code not in NEVER_SWAPPED
        and not 300 <= response.status_code < 400
        and not any(name in response.headers for name in ("HX-Redirect", "HX-Refresh"))
        and not response.content.lstrip()[:9].lower().startswith(b"<!doctype")
    )


def login_is_a_page(get_response: Answering) -> Answering:
    """Send a part's reader to the whole login page instead of swapping it into a corner."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        htmx = getattr(request, "htmx", None)
        if htmx and isinstance(response, HttpResponseRedirect):
            login = reverse("vault:login")
            if response.url.partition("?")[0] == login:
                back = htmx.current_url_abs_path or "/"
                return HttpResponseClientRedirect(reverse("vault:login", query={"next": back}))
        return response

    return middleware


def last_place(get_response: Answering) -> Answering:
    """Keep which of the four sections was open last, and in the browser where in it one was."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        section = section_of(request)
        if section in SECTIONS and request.method == "GET" and request.user.is_authenticated:
            if response.status_code == 200 and request.session.get("section") != section:
                request.session["section"] = section
            if response.status_code == 200 and _is_page(request, response):
                secure = request.is_secure()
                response.set_cookie(
                    PLACE, request.path, secure=secure, httponly=True, samesite="Lax"
                )
            elif response.status_code == 404 and request.COOKIES.get(PLACE) == request.path:
                response.delete_cookie(PLACE)  # it is gone: the start must not lead there
        return response

    return middleware


def _is_page(request: HttpRequest, response: HttpResponseBase) -> bool:
    html = response.headers.get("Content-Type", "").startswith("text/html")
    return html and not response.streaming and not getattr(request, "htmx", False)


def place_of(request: HttpRequest) -> str:
    """The page of a section this browser showed last, "" where it is not known."""
    path = request.COOKIES.get(PLACE, "")
    try:
        return path if resolve(path).namespace in SECTIONS else ""
    except Resolver404:
        return ""


def section_of(request: HttpRequest) -> str:
    """Name the room a request is in, "" where the address is nobody's."""
    match = request.resolver_match
    return match.namespace if match else ""
