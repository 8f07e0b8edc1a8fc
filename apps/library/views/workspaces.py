"""Workspaces: make, open, rename and delete them."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count, Q, Sum
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.library import ingestion, workspaces
from apps.library.forms import NameForm
from apps.library.models import Document, Workspace
from apps.web.htmx import HtmxRequest

LIST = "library/workspaces.html"


@login_required
@require_safe
def workspace_list(request: HtmxRequest) -> HttpResponse:
    return _list(request)


@login_required
@require_POST
def workspace_create(request: HtmxRequest) -> HttpResponse:
    mine = Workspace.objects.owned_by(request.user)
    form = NameForm(mine, request.POST)
    if not form.is_valid():
        return _list(request, form)
    workspace, _made = mine.get_or_create(owner=request.user, name=form.cleaned_data["name"])
    workspaces.switch(request, workspace)
    messages.success(
        request, _("Made the workspace “%(name)s” and opened it.") % {"name": workspace}
    )
    return redirect("library:document_list")


@login_required
@require_POST
def workspace_switch(request: HtmxRequest, workspace_id: int) -> HttpResponse:
    workspaces.switch(request, _mine(request, workspace_id))
    return redirect("library:document_list")


@login_required
@require_POST
def workspace_rename(request: HtmxRequest, workspace_id: int) -> HttpResponse:
    workspace = _mine(request, workspace_id)
    form = NameForm(Workspace.objects.owned_by(request.user).exclude(pk=workspace.pk), request.POST)
    if not form.is_valid():
        return _list(request, form)
    workspace.name = form.cleaned_data["name"]
    workspace.save(update_fields=["name"])
    messages.success(request, _("It is called “%(name)s” now.") % {"name": workspace})
    return redirect("library:workspace_list")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def workspace_delete(request: HtmxRequest, workspace_id: int) -> HttpResponse:
    workspace = _mine(request, workspace_id)
    if request.method != "POST":
        kept = workspace.documents.exclude(state=Document.State.DELETING)
        figures = kept.aggregate(number=Count("pk"), size=Sum("size"))
        shown = {"doomed": workspace, "figures": figures}
        return render(request, "library/workspace_delete.html", shown)
    ingestion.discard_workspace_soon(workspace)
    said = _("Deleted the workspace “%(name)s” and all that was in it.")
    messages.success(request, said % {"name": workspace.name})
    return redirect("library:workspace_list")


def _mine(request: HtmxRequest, workspace_id: int) -> Workspace:
    return get_object_or_404(Workspace.objects.owned_by(request.user), pk=workspace_id)


def _list(request: HtmxRequest, refused: NameForm | None = None) -> HttpResponse:
    workspaces.current(request)  # there is always one to show
    mine = Workspace.objects.owned_by(request.user)
    kept = ~Q(documents__state=Document.State.DELETING)
    counted = mine.annotate(
        filled=Count("documents", filter=kept), size=Sum("documents__size", filter=kept)
    )
    shown = {"counted": list(counted), "refused": refused}
    return render(request, LIST, shown, status=422 if refused else 200)
