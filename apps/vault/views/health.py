"""How the vault is doing: one page for people, one address for machines."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.vault import health as checks
from apps.web.health import Part


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """The states alone: anybody may ask, so nothing of the vault is told."""
    found = checks.parts_together()
    status = checks.status(found)
    states = {part.name: part.state for part in found}
    return JsonResponse(
        {"status": status, "parts": states}, status=503 if status == "down" else 200
    )


@login_required
@require_safe
def health(request: HttpRequest) -> HttpResponse:
    """Every part; what it is exactly, and where it lies, is for owners."""
    found = checks.parts()
    if not request.user.is_superuser:
        found = [Part(part.name, part.state) for part in found]
    absent = any(part.state == "absent" for part in found)
    context = {"status": checks.status(found), "parts": found, "absent": absent}
    return render(request, "vault/health.html", context)
