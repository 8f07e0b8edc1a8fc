"""One card: add, change, mark, turn over, delete."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from apps.study import cards, scheduling
from apps.study.forms import CardForm
from apps.study.models import Card, Deck
from apps.study.views import works
from apps.study.views.decks import shown
from apps.web.htmx import HtmxRequest


@login_required
@require_POST
def card_create(request: HtmxRequest, deck_id: int) -> HttpResponse:
    mine = works.own(request, Deck, deck_id)
    form = CardForm(request.POST)
    if not form.is_valid():
        context = shown(request, mine) | {"form": form}
        return render(request, "study/deck.html", context, status=422)
    cards.add(mine, **form.cleaned_data)
    messages.success(request, _("Added a card."))
    return redirect(mine)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def card(request: HtmxRequest, card_id: int) -> HttpResponse:
    mine = own_card(request, card_id)
    form = CardForm(request.POST or None, initial={"front": mine.front, "back": mine.back})
    if request.method == "POST" and form.is_valid():
        mine.front, mine.back = form.cleaned_data["front"], form.cleaned_data["back"]
        mine.save(update_fields=["front", "back"])
        messages.success(request, _("Changed the card."))
        return redirect(mine.deck)
    context = {"card": mine, "form": form, "leech": scheduling.is_leech(mine)}
    return render(request, "study/card.html", context, status=422 if form.is_bound else 200)


@login_required
@require_POST
def card_delete(request: HtmxRequest, card_id: int) -> HttpResponse:
    mine = own_card(request, card_id)
    mine.delete()
    messages.success(request, _("Deleted the card."))
    return redirect(mine.deck)


@login_required
@require_POST
def card_mark(request: HtmxRequest, card_id: int) -> HttpResponse:
    """Mark it by hand; marking it the same again takes the mark away."""
    mine = own_card(request, card_id)
    status = request.POST.get("status", "")
    if status in Card.Status.values:
        scheduling.mark(mine, Card.Status.UNMARKED if status == mine.status else status)
    if not request.htmx:
        return redirect(mine.deck)
    return render(request, "study/deck.html#state", shown(request, mine.deck))


@login_required
@require_POST
def card_flip(request: HtmxRequest, card_id: int) -> HttpResponse:
    """It was turned: to its back counts, to its front does not."""
    mine = own_card(request, card_id)
    if "back" in request.POST:
        cards.turn(mine)
    return HttpResponse(status=204) if request.htmx else redirect(mine.deck)


def own_card(request: HtmxRequest, card_id: int) -> Card:
    """The person's card, or 404."""
    mine = Card.objects.filter(deck__owner=request.user).select_related("deck__job")
    return get_object_or_404(mine, pk=card_id)
