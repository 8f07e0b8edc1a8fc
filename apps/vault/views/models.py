"""The models page: what is installed, what is on its way, what could be pulled."""

from collections.abc import Collection
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from apps.library import reembedding
from apps.library.models import EmbeddingSet
from apps.llm import catalogue, downloads, speech, speech_weights
from apps.llm.catalogue import Model
from apps.llm.client import ModelError, embedder, host
from apps.vault import owner
from apps.vault.forms import PullForm
from apps.web.htmx import HtmxRequest, part, wants_part

TEMPLATE = "vault/models.html"


@login_required
@require_GET
def models(request: HtmxRequest) -> HttpResponse:
    return render(request, part(request, TEMPLATE, "models"), _page(request))


@login_required
@require_GET
def models_strip(request: HtmxRequest) -> HttpResponse:
    """The downloads for the frame of any page, which asks again while one is running."""
    return render(request, "vault/_models_strip.html", {"polled": True})


@owner.only
@require_POST
def model_pull(request: HtmxRequest) -> HttpResponse:
    form = PullForm(request.POST)
    if not form.is_valid():
        return render(request, TEMPLATE, _page(request) | {"form": form}, status=422)
    try:
        downloads.start(form.cleaned_data["name"])
    except ModelError as error:
        messages.error(request, str(error))
    return _answer(request)


@owner.only
@require_POST
def model_cancel(request: HtmxRequest) -> HttpResponse:
    """Stop a download, or forget one that has failed."""
    form = PullForm(request.POST)
    if form.is_valid():
        downloads.cancel(form.cleaned_data["name"])
        downloads.dismiss(form.cleaned_data["name"])
    return _answer(request)


@owner.only
@require_POST
def model_delete(request: HtmxRequest) -> HttpResponse:
    form = PullForm(request.POST)
    if form.is_valid():
        try:
            catalogue.delete(form.cleaned_data["name"])
            messages.success(
                request, _("%(name)s is deleted.") % {"name": form.cleaned_data["name"]}
            )
        except ModelError as error:
            messages.error(request, str(error))
    return _answer(request)


@owner.only
@require_POST
def embedding_choose(request: HtmxRequest) -> HttpResponse:
    """Learn everything with another model, or go back to one of before."""
    form = PullForm(request.POST)
    if form.is_valid():
        try:
            chosen = reembedding.begin(form.cleaned_data["name"])
            messages.success(request, _begun(chosen))
        except ModelError as error:
            messages.error(request, str(error))
    return _answer(request)


@owner.only
@require_POST
def embedding_discard(request: HtmxRequest) -> HttpResponse:
    form = PullForm(request.POST)
    if form.is_valid():
        try:
            for each in EmbeddingSet.objects.filter(model=form.cleaned_data["name"]).exclude(
                state=EmbeddingSet.State.ACTIVE
            ):
                reembedding.discard(each)
                messages.success(
                    request,
                    _("The vectors of %(model)s are being deleted.") % {"model": each.model},
                )
        except reembedding.NotPossible as reason:
            messages.error(request, str(reason))
    return _answer(request)


def _begun(chosen: EmbeddingSet) -> str:
    if chosen.state == EmbeddingSet.State.ACTIVE:
        return _("Search uses %(model)s now.") % {"model": chosen.model}
    return _(
        "Learning everything with %(model)s. Search goes on with the old vectors meanwhile."
    ) % {"model": chosen.model}


def _meaning(models: Collection[Model]) -> dict[str, Any]:
    """The sets of vectors, and the models that could make another one."""
    standings = reembedding.standings()
    states = EmbeddingSet.State
    active = next(
        (s.embedding_set.model for s in standings if s.embedding_set.state == states.ACTIVE), ""
    )
    known = {standing.embedding_set.model for standing in standings}
    return {
        "meanings": standings,
        "learning": any(s.embedding_set.state in (states.BUILDING, states.GONE) for s in standings),
        "other_embedders": [
            model for model in models if "embedding" in model.abilities and model.name not in known
        ]
        if active
        else [],
        "active_embedder": active,
    }


def _answer(request: HtmxRequest) -> HttpResponse:
    if not wants_part(request):
        return redirect("vault:models")
    return render(request, f"{TEMPLATE}#models", _page(request))


def _page(request: HtmxRequest) -> dict[str, Any]:
    page: dict[str, Any] = {
        "owner": request.user.is_superuser,
        "form": PullForm(),
        "pulls": downloads.pulls(),
        "speech": speech_weights.OFFER,
        "speech_state": speech.state(),
    }
    page["pulling"] = any(progress.state == "running" for progress in page["pulls"])
    try:
        page |= {"host": host(), "bundled": catalogue.is_bundled()}
        page["models"] = catalogue.installed()
        busy = {progress.name for progress in page["pulls"]}
        page["suggestions"] = [s for s in catalogue.suggestions() if s.name not in busy]
        page["writer"] = catalogue.chat_model().name
        page["embedder"] = embedder()[0]
    except ModelError as error:
        page["trouble"] = str(error)
    page |= _meaning(page.get("models", ()))
    page["embedder"] = page["active_embedder"] or page.get("embedder", "")
    return page
