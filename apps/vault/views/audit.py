"""The audit panel: what left the vault, live, and the self-test."""

from dataclasses import asdict
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from apps.library import workspaces
from apps.vault import audit as panel
from apps.vault import owner, self_test
from apps.vault.shell import zone_of
from apps.web.htmx import HtmxRequest, wants_part

TEMPLATE = "vault/audit.html"


@never_cache
@login_required
@require_GET
def audit(request: HtmxRequest) -> HttpResponse:
    context = _live(request)
    if wants_part(request):
        return render(request, f"{TEMPLATE}#live", context)
    if request.user.is_superuser:
        context |= panel.kept() | {"tested": request.session.get("self_test")}
    return render(request, TEMPLATE, context)


@owner.only
@require_POST
def audit_test(request: HtmxRequest) -> HttpResponse:
    """Run the self-test, which takes seconds."""
    found = self_test.run(workspaces.current(request))
    tested = {"at": timezone.now().isoformat(), "findings": [asdict(each) for each in found]}
    request.session["self_test"] = tested
    if not wants_part(request):
        return redirect("vault:audit")
    return render(request, f"{TEMPLATE}#tested", _live(request) | {"tested": tested})


def _live(request: HtmxRequest) -> dict[str, Any]:
    owner = request.user.is_superuser
    shown = panel.live() if owner else panel.counts()
    return shown | {"owner": owner, "zone": zone_of(request)}
