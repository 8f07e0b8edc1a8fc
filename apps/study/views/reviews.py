"""Review what is due: front, back, grade."""

import math
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from apps.library import workspaces
from apps.study import cards, due, scheduling
from apps.study.models import Card, Deck
from apps.study.views import works
from apps.study.views.cards import own_card
from apps.web.htmx import HtmxRequest, part


@login_required
@require_safe
def review(request: HtmxRequest) -> HttpResponse:
    """The card that is due, or the one asked for on the side asked for."""
    asked = _number(request.GET.get("card"))
    card = own_card(request, asked) if asked is not None else None
    back = card is not None and request.GET.get("side") == "back"
    context = _player(request, card, back=back)
    return render(request, part(request, "study/review.html", "player"), context)


@login_required
@require_POST
def card_show(request: HtmxRequest, card_id: int) -> HttpResponse:
    card = own_card(request, card_id)
    cards.turn(card)
    if not request.htmx:
        return redirect(_address(request, card=card.pk, side="back"))
    return render(request, "study/review.html#player", _player(request, card, back=True))


@login_required
@require_POST
def card_grade(request: HtmxRequest, card_id: int) -> HttpResponse:
    card = own_card(request, card_id)
    now = timezone.now()
    given, seen, begun = (_number(request.POST.get(name)) for name in ("grade", "seen", "shown"))
    seconds = None if begun is None else now.timestamp() - begun
    try:
        scheduling.grade(card, given or 0, now, seconds=seconds, seen=seen)
    except ValueError as reason:
        messages.warning(request, str(reason))
    if not request.htmx:
        return redirect(_address(request))
    return render(request, "study/review.html#player", _player(request))


@login_required
@require_POST
def review_undo(request: HtmxRequest) -> HttpResponse:
    card = scheduling.last_graded(request.user)
    if card is None or not scheduling.undo(request.user, card):
        messages.warning(request, _("There is no grade to take back."))
        card = None
    if card:
        card.refresh_from_db()
    if not request.htmx:
        return redirect(_address(request, card=card.pk) if card else _address(request))
    return render(request, "study/review.html#player", _player(request, card))


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) < 16 else None


def _deck(request: HtmxRequest) -> Deck | None:
    """The deck the review is about, where it is about one."""
    asked = _number(request.GET.get("deck"))
    if asked is None:
        return None
    return works.own(request, Deck, asked)


def _address(request: HtmxRequest, **more: str | int) -> str:
    query = urlencode({**more, **_kept(request, _deck(request))})
    return f"{reverse('study:review')}?{query}" if query else reverse("study:review")


def _kept(request: HtmxRequest, deck: Deck | None) -> dict[str, str | int]:
    """What the review is about and how it goes, from address to address."""
    ahead: dict[str, str | int] = {"ahead": 1} if request.GET.get("ahead") else {}
    return {"deck": deck.pk, **ahead} if deck else ahead


def _player(
    request: HtmxRequest, card: Card | None = None, *, back: bool = False
) -> dict[str, Any]:
    now, deck = timezone.now(), _deck(request)
    workspace = deck.workspace if deck else workspaces.current(request)
    ahead = bool(request.GET.get("ahead"))
    card = card or due.upcoming(request.user, workspace, now, deck, ahead=ahead)
    queue = due.queue(request.user, workspace, now, deck)
    context: dict[str, Any] = {"card": card, "back": back, "deck": deck, "queue": queue}
    kept = _kept(request, deck)
    context["query"] = f"?{urlencode(kept)}" if kept else ""
    context["on"] = f"{reverse('study:review')}?{urlencode(kept | {'ahead': 1})}"
    context["undo"] = scheduling.last_graded(request.user) is not None
    context["total"] = queue.done + queue.due + queue.new
    if card:
        zone = scheduling.zone_of(request.user)
        context["choices"] = scheduling.choices(card, now, zone)
        context["early"] = ahead and card.due_at is not None and card.due_at > now
        context["leech"] = scheduling.is_leech(card)
        context["seen"] = card.reviews.count()
        context["shown"] = request.POST.get("shown") or int(now.timestamp())
    elif queue.first:
        context["minutes"] = math.ceil((queue.first - now).total_seconds() / 60)
    else:
        coming = due.forecast(request.user, workspace, now)
        context["next"] = next((bar for bar in coming if bar.count and not bar.today), None)
    return context
