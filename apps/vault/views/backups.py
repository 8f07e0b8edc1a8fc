"""The backups: which there are, one more by a button, and how one is restored."""

from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.http import FileResponse, Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from apps.vault import backups as held
from apps.vault import owner
from apps.vault.shell import zone_of
from apps.web.htmx import HtmxRequest, part

TEMPLATE = "vault/backups.html"


@never_cache
@owner.only
@require_GET
def backups(request: HtmxRequest) -> HttpResponse:
    return render(request, part(request, TEMPLATE, "kept"), _page(request))


@owner.only
@require_POST
def backup_make(request: HtmxRequest) -> HttpResponse:
    """Begin one; the page follows it."""
    if held.last().state != "running":
        held.ask()
    if not request.htmx:
        messages.info(request, _("A backup is being made."))
        return redirect("vault:backups")
    return render(request, f"{TEMPLATE}#kept", _page(request))


@never_cache
@owner.only
@require_GET
def backup_download(request: HtmxRequest, name: str) -> HttpResponse:
    try:
        found = held.named(name)
    except LookupError as reason:
        raise Http404(str(reason)) from None
    answer = FileResponse(found.path.open("rb"), as_attachment=True, content_type="application/zip")
    return cast(HttpResponse, answer)


def _page(request: HtmxRequest) -> dict[str, Any]:
    return {
        "kept": held.kept(),
        "last": held.last(),
        "folder": settings.BACKUP_DIR,
        "every": settings.BACKUP_EVERY,
        "most": settings.BACKUP_KEEP,
        "zone": zone_of(request),
    }
