"""A document that was deleted while its page lay open: the page says so."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render

from apps.web.htmx import HtmxRequest

PARTS = ("#receipt", "#reading")  # of a document's own page


def told_when_gone(view: Callable[..., Any]) -> Callable[..., Any]:
    """The view, but of a document that is gone its own page is told so; others get their 404."""

    @wraps(view)
    def answer(request: HtmxRequest, document_id: int) -> Any:
        try:
            return view(request, document_id)
        except Http404:
            if not request.htmx or not (request.htmx.target or "").endswith(PARTS):
                raise
            return _gone(request)

    return answer


def _gone(request: HtmxRequest) -> HttpResponse:
    page = render(request, "library/_gone.html", status=404)
    page["HX-Retarget"], page["HX-Reswap"] = "#main", "innerHTML"
    return page
