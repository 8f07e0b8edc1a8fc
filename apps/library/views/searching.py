"""The search page: one field, and the passages that answer."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString
from django.views.decorators.http import require_GET

from apps.library import workspaces
from apps.library.marking import marked
from apps.library.narrowing import SearchForm
from apps.library.search import Findings, Hit
from apps.library.search import search as find
from apps.web.htmx import HtmxRequest, part

PAGE = "library/search.html"
BANDS = {
    "strong": ("good", "strong"),
    "check": ("warn", "worth checking"),
    "weak": ("", "weak"),
}


@dataclass(frozen=True, slots=True)
class Shown:
    """A hit as the page puts it."""

    hit: Hit
    excerpt: SafeString
    tone: str
    band: str
    places: str


@login_required
@require_GET
def search(request: HtmxRequest) -> HttpResponse:
    """Passages for `q`, narrowed by category, type and document; works without any model."""
    workspace = workspaces.current(request)
    form = SearchForm(workspace, request.GET)
    context: dict[str, Any] = {"form": form, "workspace": workspace, "asked": form.data.get("q")}
    if form.is_valid() and form.cleaned_data["q"]:
        scope = form.scope()
        found = find(workspace, form.cleaned_data["q"], scope=scope, limit=20) if scope else None
        context |= _results(found)
    return render(request, part(request, PAGE, "results"), context)


def _results(found: Findings | None) -> dict[str, Any]:
    if not found:
        return {"results": []}
    took = round(found.embed_ms + found.search_ms)
    return {"found": found, "results": [_shown(hit) for hit in found.hits], "took": took}


def _shown(hit: Hit) -> Shown:
    tone, band = BANDS[hit.band]
    legs = {"words": hit.place_by_words, "meaning": hit.place_by_meaning}
    places = " · ".join(f"{leg} {_ordinal(place)}" for leg, place in legs.items() if place)
    return Shown(hit, marked(hit.chunk.text, hit.words), tone, band, places)


def _ordinal(place: int) -> str:
    ending = "th" if 10 < place % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending}"
