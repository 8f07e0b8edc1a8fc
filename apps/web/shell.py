"""What the frame of every page shows: the scheme of colours, the section, its sheets, the keys."""

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from apps.web import keys, language
from apps.web.htmx import HtmxRequest
from apps.web.middleware import section_of

THEMES = ("auto", "light", "dark")
# The sheets of every page, then those of its room: the later may refine the earlier. A document
# opens beside conversations, so the chat loads the viewer's as well.
SHEETS = ("css/vault.css", "css/parts.css")
SHEETS_OF_ROOM = {
    "chat": ("css/viewer.css", "css/chat.css"),
    "library": ("css/viewer.css", "css/library.css"),
    "study": ("css/study.css",),
    "progress": ("css/progress.css",),
}


def theme_of(request: HttpRequest) -> str:
    """The scheme this browser asked for: "light", "dark", or "auto" as its system is."""
    asked = request.COOKIES.get("theme", "")
    return asked if asked in THEMES else "auto"


def context(request: HtmxRequest) -> dict[str, Any]:
    section = section_of(request)
    user = getattr(request, "user", None)  # none where an early middleware failed
    known = user is not None and user.is_authenticated
    return {
        "theme": theme_of(request),
        "section": section,
        "sheets": SHEETS + SHEETS_OF_ROOM.get(section, ()),
        "chosen_language": language.chosen_by(request),
        "spoken_languages": language.NAMES,
        "single_keys": SimpleLazyObject(lambda: keys.are_on(request)) if known else True,
    }
