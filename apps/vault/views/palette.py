"""Go anywhere: the list behind Ctrl K, and the same as a page."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from apps.library import workspaces
from apps.vault import palette as going
from apps.web.htmx import HtmxRequest, part


@login_required
@require_GET
def palette(request: HtmxRequest) -> HttpResponse:
    """The places whose name has what is typed."""
    wanted = request.GET.get("q", "").strip()
    found = going.places(request.user, workspaces.current(request), wanted)
    context = {"places": found, "wanted": wanted}
    return render(request, part(request, "vault/palette.html", "options"), context)
