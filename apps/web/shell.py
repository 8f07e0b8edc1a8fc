"""What the frame of every page shows: the scheme of colours and the section."""

from typing import Any

from django.http import HttpRequest

from apps.web.middleware import section_of

THEMES = ("auto", "light", "dark")


def theme_of(request: HttpRequest) -> str:
    """The scheme this browser asked for: "light", "dark", or "auto" as its system is."""
    asked = request.COOKIES.get("theme", "")
    return asked if asked in THEMES else "auto"


def context(request: HttpRequest) -> dict[str, Any]:
    return {"theme": theme_of(request), "section": section_of(request)}
