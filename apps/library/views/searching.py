"""The search page: one field, and the passages that answer."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString
from django.views.decorators.http import require_GET

from apps.library import asking, workspaces
from apps.library.marking import marked
from apps.library.models import Workspace
from apps.library.narrowing import SearchForm, narrowed
from apps.library.search import Findings, Hit, Scope, warm_up
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
        context |= _answer(workspace, form.cleaned_data["q"], form.scope())
    elif not form.data.get("q"):
        warm_up()
    return render(request, part(request, PAGE, "results"), context)


def _answer(workspace: Workspace, line: str, scope: Scope | None) -> dict[str, Any]:
    try:
        asked = asking.read(line)
        scope = narrowed(workspace, asked, scope) if scope else None
    except LookupError as wrong:
        return {"wrong": str(wrong)}
    if not scope:
        return {"results": []}
    if not asked.text:
        return {}
    found = find(
        workspace,
        asked.text,
        scope=scope,
        limit=20,
        phrases=asked.phrases,
        without=asked.without,
    )
    return _results(found)


def _results(found: Findings) -> dict[str, Any]:
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
