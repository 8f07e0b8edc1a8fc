"""Which language a person is spoken to in: on pages, and in what workers write down for them."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_vary_headers

from apps.web.middleware import Answering
from apps.web.models import Language

NAMES = {"en": "English", "de": "Deutsch"}  # each in its own language
CHOSEN, HEARD = "language", "language heard"  # in the session
YEAR = 365 * 24 * 3600


def by_browser(get_response: Answering) -> Answering:
    """Speak what this browser's reader chose in it, else what the browser asks for."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        # Never deactivated: a stream is written after this returns. The next request begins here.
        _speak(request, translation.get_language_from_request(request))
        response = get_response(request)
        if response.headers.get("Content-Type", "").startswith(("text/html", "text/event-stream")):
            patch_vary_headers(response, ("Accept-Language", "Cookie"))
            response.headers.setdefault("Content-Language", translation.get_language())
        return response

    return middleware


def by_person(get_response: Answering) -> Answering:
    """Speak what the person chose, in whatever browser; and know what workers are to speak."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if request.user.is_authenticated:
            if chosen := request.session.get(CHOSEN, ""):
                _speak(request, chosen)
            spoken = translation.get_language()
            if request.session.get(HEARD, settings.LANGUAGE_CODE) != spoken:
                _keep(request.user, heard=spoken)
                request.session[HEARD] = spoken
        return get_response(request)

    return middleware


def greet(request: HttpRequest, person: User) -> None:
    """As a person signs in: their session speaks what they chose, and what they last heard."""
    if kept := Language.objects.owned_by(person).first():
        request.session[CHOSEN], request.session[HEARD] = kept.chosen, kept.heard


def choose(request: HttpRequest, response: HttpResponse, chosen: str) -> None:
    """Remember a choice, in this browser and with its person; "" is what the browser asks for.

    Raises LookupError for a language the vault does not speak.
    """
    if chosen and chosen not in NAMES:
        raise LookupError(chosen)
    if chosen:
        secure = request.is_secure()
        name = settings.LANGUAGE_COOKIE_NAME
        response.set_cookie(name, chosen, YEAR, samesite="Lax", secure=secure)
    else:
        response.delete_cookie(settings.LANGUAGE_COOKIE_NAME, samesite="Lax")
    if request.user.is_authenticated:
        _keep(request.user, chosen=chosen)
        request.session[CHOSEN] = chosen


def chosen_by(request: HttpRequest) -> str:
    """What was chosen by the person, or in this browser; "" where the browser decides."""
    if getattr(request, "user", None) and request.user.is_authenticated:
        return str(request.session.get(CHOSEN) or _in_cookie(request))
    return _in_cookie(request)


@contextmanager
def of(person: User) -> Iterator[None]:
    """Speak a person's language while the block runs, where no request of theirs is answered."""
    kept = Language.objects.owned_by(person).first()
    with translation.override(kept.spoken if kept else settings.LANGUAGE_CODE):
        yield


def _speak(request: HttpRequest, code: str) -> None:
    translation.activate(code)
    request.LANGUAGE_CODE = translation.get_language()


def _in_cookie(request: HttpRequest) -> str:
    asked = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "")
    return asked if asked in NAMES else ""


def _keep(person: User, **facts: str) -> None:
    Language.objects.update_or_create(person=person, defaults=facts)
