"""The guide: its pages, a search in them, and asking it."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.views.decorators.http import require_POST, require_safe

from apps.library import ingestion, workspaces
from apps.vault.guide import asking, pages
from apps.web.htmx import HtmxRequest, part

LONGEST = 100  # characters of what is looked for


@login_required
@require_safe
def guide(request: HtmxRequest) -> HttpResponse:
    """The contents, or where the words looked for stand."""
    wanted = request.GET.get("q", "").strip()[:LONGEST]
    language = _language()
    context = {
        "pages": pages.pages(language),
        "wanted": wanted,
        "hits": pages.found(language, wanted),
    }
    return render(request, part(request, "vault/guide.html", "found"), context)


@login_required
@require_safe
def guide_page(request: HtmxRequest, slug: str) -> HttpResponse:
    language = _language()
    try:
        page = pages.page(language, slug)
    except LookupError:
        raise Http404 from None
    every = pages.pages(language)
    at = every.index(page)
    context = {
        "page": page,
        "pages": every,
        "previous": every[at - 1] if at else None,
        "next": every[at + 1] if at + 1 < len(every) else None,
    }
    return render(request, "vault/guide_page.html", context)


@login_required
@require_POST
def guide_ask(request: HtmxRequest) -> HttpResponse:
    """Open the chat in the workspace that holds the guide."""
    try:
        workspace = asking.workspace_for(request.user, _language())
    except ingestion.NotAccepted as reason:
        messages.error(request, str(reason))
        return redirect("vault:guide")
    workspaces.switch(request, workspace)
    return redirect("chat:conversation_list")


def _language() -> str:
    spoken = (get_language() or pages.FALLBACK).partition("-")[0]
    return spoken if (pages.FOLDER / spoken).is_dir() else pages.FALLBACK
