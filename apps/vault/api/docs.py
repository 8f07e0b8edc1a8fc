"""How the API describes itself: OpenAPI for programs, a page for people."""

from functools import cache
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from apps.vault.api import describing
from apps.vault.api.site import api
from apps.web.htmx import HtmxRequest


@require_safe
def openapi(request: HttpRequest) -> JsonResponse:
    """The description, open to all: it says what the program can do, and nothing of anybody's."""
    return JsonResponse(description())


@login_required
@require_safe
def docs(request: HtmxRequest) -> HttpResponse:
    """The same to read: each operation, what it takes and gives, and how to call it."""
    address = request.build_absolute_uri("/").rstrip("/")
    told = {"groups": describing.groups(description(), address), "address": address}
    return render(request, "vault/api.html", told)


@cache
def description() -> dict[str, Any]:
    return describing.whole(api)
