"""Decks of flashcards: list, make, look through."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.library import workspaces
from apps.study import anki, cards, due, generation, importing, listing, starting, watching
from apps.study.forms import CardForm, DeckForm, ImportForm, TitleForm
from apps.study.models import Card, Deck, Job
from apps.web.htmx import HtmxRequest, part

PAGE = 60  # cards


@login_required
@require_safe
def deck_list(request: HtmxRequest) -> HttpResponse:
    workspace = workspaces.current(request)
    page = listing.decks(request.user, workspace, request.GET.get("q", ""), timezone.now())
    return render(request, part(request, "study/decks.html", "works"), {"page": page})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def deck_new(request: HtmxRequest) -> HttpResponse:
    workspace = workspaces.current(request)
    if request.method != "POST":
        form = DeckForm(workspace, initial=listing.preselected(request.GET))
        return render(request, "study/deck_new.html", {"form": form})
    form = DeckForm(workspace, request.POST)
    if not form.is_valid():
        return render(request, "study/deck_new.html", {"form": form}, status=422)
    job = starting.job_of(request.user, Job.Kind.DECK, form)
    deck = Deck.objects.create(
        owner=request.user,
        workspace=workspace,
        job=job,
        title=starting.scope_label(job)[:200],
        scope_label=starting.scope_label(job),
        difficulty=job.difficulty,
    )
    generation.start(job)
    return redirect(deck)


@login_required
@require_safe
def deck(request: HtmxRequest, deck_id: int) -> HttpResponse:
    mine = own_deck(request, deck_id)
    return render(request, part(request, "study/deck.html", "state"), shown(request, mine))


@login_required
@require_POST
def deck_rename(request: HtmxRequest, deck_id: int) -> HttpResponse:
    mine = own_deck(request, deck_id)
    form = TitleForm(request.POST)
    if form.is_valid():
        mine.title = form.cleaned_data["title"]
        mine.save(update_fields=["title"])
        messages.success(request, f"It is called “{mine}” now.")
    return redirect(mine)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def deck_delete(request: HtmxRequest, deck_id: int) -> HttpResponse:
    mine = own_deck(request, deck_id)
    if request.method != "POST":
        return render(request, "study/delete.html", {"work": mine, "noun": "deck"})
    if mine.job:
        generation.cancel(mine.job)
    mine.delete()
    messages.success(request, f"Deleted “{mine}”. What you earned with it stays.")
    return redirect("study:deck_list")


@login_required
@require_safe
def deck_export(request: HtmxRequest, deck_id: int, kind: str) -> HttpResponse:
    """The deck as a file: "apkg" for Anki, "csv" for a spreadsheet."""
    mine = own_deck(request, deck_id)

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


def own_deck(request: HtmxRequest, deck_id: int) -> Deck:
    """The person's deck, or 404."""
    mine: Deck = get_object_or_404(Deck.objects.owned_by(request.user), pk=deck_id)
    return mine


def shown(request: HtmxRequest, mine: Deck) -> dict[str, Any]:
    """A deck as its page shows it: the cards of one status, a page at a time."""
    status = request.GET.get("status", "")
    found = mine.cards.all()
    if status in Card.Status.values:
        found = found.filter(status=status)
    return {
        "deck": mine,
        "watch": watching.watch(mine.job) if mine.job else None,
        "by_rule": bool(mine.job and mine.job.options.get("by_rule")),
        "counts": cards.counts(mine),
        "status": status if status in Card.Status.values else "",
        "statuses": [("", "All", "all"), *((s, s.capitalize(), s) for s in Card.Status.values)],
        "page": Paginator(found, PAGE).get_page(request.GET.get("page")),
        "queue": due.queue(request.user, mine.workspace, timezone.now(), mine),
        "form": CardForm(),
    }
