"""The search page: one field, and the passages that answer."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from django.views.decorators.http import require_GET, require_POST

from apps.library import (
    absence,
    asking,
    copies,
    excerpts,
    judging,
    labels,
    own_rule,
    reembedding,
    rule_learning,
    saving,
    second_opinion,
    wording,
    workspaces,
)
from apps.library.meaning import warm_up
from apps.library.models import Chunk, LearnedRule, SavedSearch, Workspace
from apps.library.narrowing import CAME_IN, SavingForm, SearchForm, kinds_of, places
from apps.library.search import Findings, Hit, search_all
from apps.web import rail
from apps.web.htmx import HtmxRequest, part

PAGE = "library/search.html"
RULE = "library/search_rule.html"
SHOWN = 20  # passages
OPEN = 5  # of them where all are weak; the others are folded away
BANDS = {
    "strong": ("good", pgettext_lazy("band", "strong")),
    "check": ("warn", pgettext_lazy("band", "worth checking")),
    "weak": ("", pgettext_lazy("band", "weak")),
}
FULL = gettext_lazy("A workspace keeps %(most)s searches. Delete one first.")


@dataclass(frozen=True, slots=True)
class Shown:
    """A hit as the page puts it."""

    hit: Hit
    excerpt: SafeString
    tone: str
    band: str
    places: str
    label: str
    brief: str  # the end of a long label
    copies: list[tuple[Chunk, str]]  # other passages that say the same, with their labels
    newer: Chunk | None  # says nearly the same in a newer version of the document


@login_required
@require_GET
def search(request: HtmxRequest) -> HttpResponse:
    """Passages for `q`, narrowed by the filters; works without any model.

    Where the workspace wants a second opinion they come at once all the same, and ask for it by
    themselves, with `now`, once the reader has `entered` the question.
    """
    workspace = workspaces.current(request)
    asked = {
        "kinds": kinds_of(workspace, request.GET),
        "saved": workspace.searches.values("id", "name", "asked"),
        "unread": absence.unread([mine.pk for mine in workspaces.all_of(request)]),
    }
    rows = rail.together(asked)
    form = SearchForm(workspace, request.GET, rows["kinds"])
    context: dict[str, Any] = {
        "form": form,
        "workspace": workspace,
        "asked": form.data.get("q"),
        "quotable": asking.quotable(form.data.get("q", "")),
        "ages": CAME_IN,
        "saved": [SavedSearch(**row) for row in rows["saved"]],
        "writer": second_opinion.writer(),
        "no_writer": second_opinion.NO_WRITER,
    }
    if form.is_valid() and form.cleaned_data["q"]:
        wish = _wish(request) if "now" in request.GET else None
        context |= _answer(form, wish) | {"address": form.address()}
        looked_at = context.get("looked_at", [workspace.pk])
        missing = sum(row["count"] for row in rows["unread"] if row["workspace"] in looked_at)
        context["unread"] = absence.told_unread(missing)
        if context.get("results") == []:
            context["nothing_here"] = not form.everything.exists()
            context["nothing_yet"] = context["unread"] and not form.searchable.exists()
        several = len(context.get("results") or ()) > 1
        wanted = workspace.looks_again and context["writer"] and several and not wish
        context["awaited"] = wanted and (not request.htmx or "entered" in request.GET)
        context["offered"] = wanted and not context["awaited"]
    elif not form.data.get("q"):
        warm_up()
    return render(request, part(request, PAGE, "results"), context)


@login_required
@require_POST
def search_save(request: HtmxRequest) -> HttpResponse:
    """Keep a search under a name, and go back to it."""
    workspace = workspaces.current(request)
    form, naming = SearchForm(workspace, request.POST), SavingForm(request.POST)
    if not form.is_valid() or not naming.is_valid():
        told = [
            str(e) for each in (form, naming) for errors in each.errors.values() for e in errors
        ]
        messages.error(request, " ".join(told))
        return redirect("library:search")
    try:
        kept = saving.keep(workspace, naming.cleaned_data["name"], form.address())
    except saving.TooMany:
        messages.error(request, FULL % {"most": saving.MOST})
        return redirect("library:search")
    messages.success(request, _("Saved the search “%(name)s”.") % {"name": kept})
    return redirect(kept)


@login_required
@require_POST
def search_delete(request: HtmxRequest, search_id: int) -> HttpResponse:
    """Forget a kept search; what it finds stays."""
    kept = get_object_or_404(SavedSearch.objects.owned_by(request.user), pk=search_id)
    kept.delete()
    messages.success(request, _("Deleted the saved search “%(name)s”.") % {"name": kept})
    return redirect("library:search")


@login_required
@require_POST
def search_again(request: HtmxRequest) -> HttpResponse:
    """Let the language model look again at what is found here, or let that be."""
    workspace = workspaces.current(request)
    wanted = not workspace.looks_again
    Workspace.objects.filter(pk=workspace.pk).update(looks_again=wanted)
    form = SearchForm(workspace, request.POST)
    there = reverse("library:search")
    return redirect(f"{there}?{form.address()}" if form.is_valid() else there)


@login_required
@require_GET
def search_rule(request: HtmxRequest) -> HttpResponse:
    """By which rule passages are judged, and what it was worth where it was measured."""
    used = reembedding.in_use()
    model = used.model if used else ""
    rule = own_rule.of(model, request.user.pk)
    learned = LearnedRule.objects.filter(owner=request.user, model=model).first()
    context = {"model": model, "rule": rule, "learned": learned, "writer": second_opinion.writer()}
    if learned and learned.is_learning:
        context |= {"left": rule_learning.left(learned), "waits": rule_learning.waits()}
    context |= judging.told(model, rule)
    return render(request, part(request, RULE, "learning"), context)


@login_required
@require_POST
def rule_learn(request: HtmxRequest) -> HttpResponse:
    """Learn from this person's documents where the line should be; go on where it was stopped."""
    rule_learning.begin(request.user, anew="anew" in request.POST)
    return redirect("library:search_rule")


@login_required
@require_POST
def rule_stop(request: HtmxRequest) -> HttpResponse:
    """Stop learning, or give up what was learned."""
    rule_learning.stop(request.user)
    return redirect("library:search_rule")


def _wish(request: HtmxRequest) -> second_opinion.Wish | None:
    """What the model is asked for; it is left alone once the reader has gone on."""
    gone = request.META.get("waitress.client_disconnected", lambda: False)
    return second_opinion.wish(gone)


def _answer(form: SearchForm, wish: second_opinion.Wish | None) -> dict[str, Any]:
    chosen = form.cleaned_data
    scope, everywhere = form.scope(), chosen["everywhere"]
    try:
        asked = asking.read(chosen["q"])
        there = places(form.workspace, asked, scope, everywhere=everywhere)
    except asking.Unfinished as half:  # perhaps it is just being typed: no reason for alarm
        return {"wants": str(half)}
    except LookupError as wrong:
        return {"wrong": str(wrong)}
    if asked.wants:
        return {"wants": asked.wants}
    sought = absence.Sought(form.workspace, chosen["q"], scope, everywhere, form.chosen)
    if not there:
        why = absence.of(sought, None)
        return {"results": [], "absence": why, "within": sought.still_untold(why)}
    asked_for: dict[str, Any] = {"limit": SHOWN, "phrases": asked.phrases, "without": asked.without}
    opinion = None
    if wish:
        found, opinion = second_opinion.search_again(there, asked.text, wish, **asked_for)
    else:
        found = search_all(there, asked.text, **asked_for)
    several = len(there) > 1 or there[0].workspace != form.workspace
    unheard = found.unheard and found.hopeless and not opinion
    told: dict[str, Any] = {
        "several": several,
        "opinion": opinion,
        "unheard": unheard,
        "turned": asked.turned,
        "tongues": absence.told_tongues(found),
    }
    why = absence.of(sought, found)
    told |= {"absence": why, "within": sought.still_untold(why)}
    told |= {"looked_at": [one.workspace.pk for one in there]}
    return _results(found) | told


def _results(found: Findings) -> dict[str, Any]:
    """The hits as the page shows them: `foremost` at once, those below folded as `weaker`."""
    took = round(found.embed_ms + found.search_ms)
    results = [_shown(told) for told in copies.folded(found.hits)]
    good = [n for n, shown in enumerate(results, start=1) if shown.hit.band != "weak"]
    at = good[-1] if good else OPEN
    foremost, weaker = results[:at], results[at:]
    return {
        "found": found,
        "results": results,
        "foremost": foremost,
        "weaker": weaker,
        "took": took,
    }


def _shown(told: copies.Told) -> Shown:
    hit = told.hit
    tone, band = BANDS[hit.band]
    place = wording.label(hit)
    also = [(chunk, labels.brief(labels.said(chunk.label))) for chunk in told.same]
    return Shown(
        hit,
        excerpts.of(hit),
        tone,
        str(band),
        wording.places(hit),
        place,
        labels.brief(place),
        also,
        told.newer,
    )
