"""Decks of flashcards: list, make, look through."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.library import workspaces
from apps.study import anki, cards, due, importing, listing, starting, watching
from apps.study.forms import CardForm, DeckForm, ImportForm
from apps.study.models import Card, Deck, Job
from apps.study.views import works
from apps.web.htmx import HtmxRequest, part

PAGE = 60  # cards


@login_required
@require_safe
def deck_list(request: HtmxRequest) -> HttpResponse:
    return works.listed(request, "study/decks.html", listing.decks)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def deck_new(request: HtmxRequest) -> HttpResponse:
    return works.begun(
        request,
        DeckForm,
        Job.Kind.DECK,
        lambda job, form: starting.work_of(Deck, job),
    )


@login_required
@require_safe
def deck(request: HtmxRequest, deck_id: int) -> HttpResponse:
    mine = works.own(request, Deck, deck_id)
    return render(request, part(request, "study/deck.html", "state"), shown(request, mine))


@login_required
@require_POST
def deck_rename(request: HtmxRequest, deck_id: int) -> HttpResponse:
    return works.renamed(request, works.own(request, Deck, deck_id))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def deck_delete(request: HtmxRequest, deck_id: int) -> HttpResponse:
    return works.deleted(request, works.own(request, Deck, deck_id), "deck")


@login_required
@require_safe
def deck_export(request: HtmxRequest, deck_id: int, kind: str) -> HttpResponse:
    """The deck as a file: "apkg" for Anki, "csv" for a spreadsheet."""
    mine = works.own(request, Deck, deck_id)

    def address(card: Card) -> str:
        if not card.chunk_id:
            return ""
        return request.build_absolute_uri(reverse("library:passage", args=[card.chunk_id]))

    if kind == "apkg":
        content: bytes | Iterator[str] = anki.package(mine, address)
    else:
        content = anki.table(mine, address)
    kinds = {"apkg": "application/octet-stream", "csv": "text/csv; charset=utf-8"}
    response = HttpResponse(content, content_type=kinds[kind])
    name = f"{mine.title[:80]}.{kind}"
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    return response


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def deck_import(request: HtmxRequest) -> HttpResponse:
    form = ImportForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        file = form.cleaned_data["file"]
        path = Path(file.temporary_file_path())
        try:
            workspace = workspaces.current(request)
            taken = importing.take_in(request.user, workspace, path, file.name)
        except importing.Refusal as reason:
            form.add_error("file", str(reason))
        else:
            messages.success(request, str(taken))
            only = taken.decks[0] if len(taken.decks) == 1 else "study:deck_list"
            return redirect(only)
    bad = request.method == "POST"
    return render(request, "study/deck_import.html", {"form": form}, status=422 if bad else 200)


def shown(request: HtmxRequest, mine: Deck) -> dict[str, Any]:
    """A deck as its page shows it: the cards of one status, a page at a time."""
    status = request.GET.get("status", "")
    status = status if status in Card.Status.values else ""
    counts = cards.counts(mine)
    pages = Paginator(mine.cards.filter(status=status) if status else mine.cards.all(), PAGE)
    pages.count = counts[status or "all"]  # no need to ask again
    return {
        "deck": mine,
        "watch": watching.watch(mine.job) if mine.job else None,
        "extractive": bool(mine.job and mine.job.options.get("extractive")),
        "counts": counts,
        "status": status,
        "statuses": [
            ("", _("All"), "all"),
            *((code, name, code) for code, name in Card.Status.choices),
        ],
        "page": pages.get_page(request.GET.get("page")),
        "queue": due.queue(request.user, mine.workspace, timezone.now(), mine),
        "form": CardForm(),
    }
