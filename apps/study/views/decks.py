"""Decks of flashcards: list, make, look through."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.library import workspaces
from apps.study import cards, due, generation, listing, starting, watching
from apps.study.forms import CardForm, DeckForm, TitleForm
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
