"""Mindmaps: list, make, look at, change, take away."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.library.models import Chunk
from apps.study import (
    listing,
    mindmap_export,
    mindmap_tree,
    starting,
    watching,
)
from apps.study.forms import MindmapForm
from apps.study.mindmap_layout import layout
from apps.study.models import Job, Mindmap
from apps.study.views import works
from apps.web.htmx import HtmxRequest, part, wants_part

PAGE = "study/mindmap.html"


@login_required
@require_safe
def mindmap_list(request: HtmxRequest) -> HttpResponse:
    return works.listed(request, "study/mindmaps.html", listing.mindmaps)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def mindmap_new(request: HtmxRequest) -> HttpResponse:
    return works.begun(
        request,
        MindmapForm,
        Job.Kind.MINDMAP,
        lambda job, form: starting.work_of(Mindmap, job),
    )


@login_required
@require_safe
def mindmap(request: HtmxRequest, mindmap_id: int) -> HttpResponse:
    return _shown(request, works.own(request, Mindmap, mindmap_id))


@login_required
@require_safe
def node(request: HtmxRequest, mindmap_id: int, path: str) -> HttpResponse:
    """A node with its passage: for htmx what goes beside the map, else the page with it."""
    mine = works.own(request, Mindmap, mindmap_id)
    shown = _node(mine, path)
    context = {
        "mindmap": mine,
        "path": path,
        "node": shown,
        "source": Chunk.objects.owned_by(request.user).filter(pk=shown.get("chunk") or 0).first(),
        "question": urlencode({"question": mindmap_tree.question(shown["label"], mine.language)}),
    }
    if wants_part(request):
        return render(request, "study/_node.html", context)
    return _shown(request, mine, context)


@login_required
@require_POST
def node_rename(request: HtmxRequest, mindmap_id: int, path: str) -> HttpResponse:
    try:
        with transaction.atomic():
            mine = _held(request, mindmap_id)
            _node(mine, path)
            mindmap_tree.rename(mine.tree, path, request.POST.get("label", ""))
            mine.save(update_fields=["tree"])
    except ValueError as reason:
        messages.error(request, str(reason))
    return redirect("study:node", mindmap_id, path)


@login_required
@require_POST
def node_delete(request: HtmxRequest, mindmap_id: int, path: str) -> HttpResponse:
    """Take the node out, if it is still the one that was looked at."""
    with transaction.atomic():
        mine = _held(request, mindmap_id)
        if _node(mine, path)["label"] != request.POST.get("label"):
            messages.error(request, _("The map has changed meanwhile. Look again."))
            return redirect(mine)
        try:
            gone = mindmap_tree.take_out(mine.tree, path)
        except ValueError as reason:
            messages.error(request, str(reason))
            return redirect(mine)
        mine.save(update_fields=["tree"])
    messages.success(request, _("Took out “%(label)s”.") % {"label": gone["label"]})
    return redirect(mine)


@login_required
@require_safe
def mindmap_export_as(request: HtmxRequest, mindmap_id: int, suffix: str) -> HttpResponse:
    """The map as a file; only what is really sent is counted."""
    mine = works.own(request, Mindmap, mindmap_id)
    if suffix not in mindmap_export.FORMATS or not mine.tree:
        raise Http404
    name = mindmap_export.file_name(mine, suffix, timezone.localdate())
    answer = HttpResponse(
        mindmap_export.export(mine, suffix),
        content_type=mindmap_export.FORMATS[suffix],
        headers={
            "Content-Disposition": f'attachment; filename="{name}"',
            "Cache-Control": "no-store",
        },
    )
    if request.method == "GET":
        mindmap_export.note(mine, suffix)
    return answer


@login_required
@require_POST
def mindmap_rename(request: HtmxRequest, mindmap_id: int) -> HttpResponse:
    return works.renamed(request, works.own(request, Mindmap, mindmap_id))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def mindmap_delete(request: HtmxRequest, mindmap_id: int) -> HttpResponse:
    return works.deleted(request, works.own(request, Mindmap, mindmap_id), "mindmap")


def _shown(request: HtmxRequest, mine: Mindmap, more: dict[str, Any] | None = None) -> HttpResponse:
    context: dict[str, Any] = {
        "mindmap": mine,
        "watch": watching.watch(mine.job) if mine.job else None,
        "by_rule": sum("by_rule" in each for each in mine.tree.get("children", [])),
        "as_list": request.GET.get("view") == "list",
        "formats": list(mindmap_export.FORMATS),
    }
    if mine.tree:
        context |= {"placed": layout(mine.tree), "root": mindmap_tree.nested(mine.tree)}
    return render(request, part(request, PAGE, "map"), context | (more or {}))


def _held(request: HtmxRequest, mindmap_id: int) -> Mindmap:
    """The map's row, held to the end of the transaction: a worker may be adding a branch."""
    mine: Mindmap = get_object_or_404(
        Mindmap.objects.owned_by(request.user).select_for_update(), pk=mindmap_id
    )
    return mine


def _node(mine: Mindmap, path: str) -> dict[str, Any]:
    try:
        return mindmap_tree.find(mine.tree, path)
    except LookupError:
        raise Http404(f"There is no node {path}.") from None
