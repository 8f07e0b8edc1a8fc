"""Folders of the machine that are watched. The machine is its owner's, and so are these doors."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.library import accounting, watching, workspaces
from apps.library.forms import CategoryDeletionForm, FolderForm, FolderRulesForm
from apps.library.models import WatchedFolder
from apps.web.htmx import HtmxRequest, part

LIST, PAGE = "library/folders.html", "library/folder.html"
CHANGE = "library/folder_change.html"
SHOWN = 100  # files of a folder on one page

View = TypeVar("View", bound=Callable[..., HttpResponseBase])


def for_owners(view: View) -> View:
    """To others than owners of the vault there is no such page."""

    @login_required
    @wraps(view)
    def door(request: HtmxRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_superuser:
            raise Http404
        return view(request, *args, **kwargs)

    return door  # type: ignore[return-value]


@require_safe
@for_owners
def folder_list(request: HtmxRequest) -> HttpResponse:
    initial = {"by_subfolder": True, "follow_deletions": True}
    return _list(request, FolderForm(initial=initial))


@require_POST
@for_owners
def folder_create(request: HtmxRequest) -> HttpResponse:
    form = FolderForm(request.POST)
    if form.is_valid():
        choices = dict(form.cleaned_data)
        try:
            folder = watching.begin(workspaces.current(request), choices.pop("path"), **choices)
        except watching.NotAllowed as refused:
            form.add_error("path", str(refused))
        else:
            messages.success(
                request, _("Watching %(path)s. Its files are being read.") % {"path": folder}
            )
            return redirect(folder)
    return _list(request, form, status=422)


@require_safe
@for_owners
def folder(request: HtmxRequest, folder_id: int) -> HttpResponse:
    folder = _mine(request, folder_id)
    became = request.GET.get("became", "")
    found = accounting.entries(folder, became)
    page = Paginator(found, SHOWN).get_page(request.GET.get("page"))
    shown = {
        "folder": folder,
        "counts": accounting.of(folder),
        "lines": list(accounting.lines(page.object_list)),  # type: ignore[arg-type]
        "page": page,
        "became": became,
        "choices": accounting.WORDS,
        "waits": accounting.waits(folder),
    }
    return render(request, part(request, PAGE, "standing"), shown)


@require_POST
@for_owners
def folder_look(request: HtmxRequest, folder_id: int) -> HttpResponse:
    folder = _mine(request, folder_id)
    watching.look_again(folder)
    messages.success(request, _("Looking through the folder again."))
    return redirect(folder)


@require_http_methods(["GET", "HEAD", "POST"])
@for_owners
def folder_change(request: HtmxRequest, folder_id: int) -> HttpResponse:
    folder = _mine(request, folder_id)
    form = FolderRulesForm(request.POST if request.method == "POST" else None, initial=vars(folder))
    if form.is_valid():
        watching.change(folder, **form.cleaned_data)
        messages.success(request, _("Looking through the folder again."))
        return redirect(folder)
    status = 422 if form.is_bound else 200
    return render(request, CHANGE, {"folder": folder, "form": form}, status=status)


@require_POST
@for_owners
def folder_pause(request: HtmxRequest, folder_id: int) -> HttpResponse:
    folder = _mine(request, folder_id)
    watching.pause(folder, not folder.paused)
    said = _("Watched again.") if folder.paused else _("Paused: nothing is changed.")
    messages.success(request, said)
    return redirect(folder)


@require_safe
@for_owners
def folder_receipt(request: HtmxRequest, folder_id: int) -> StreamingHttpResponse:
    folder = _mine(request, folder_id)
    answer = StreamingHttpResponse(
        accounting.as_csv(folder), content_type="text/csv; charset=utf-8"
    )
    answer["Content-Disposition"] = 'attachment; filename="receipt.csv"'
    return answer


@require_http_methods(["GET", "HEAD", "POST"])
@for_owners
def folder_remove(request: HtmxRequest, folder_id: int) -> HttpResponse:
    folder = _mine(request, folder_id)
    if request.method != "POST":
        shown = {"folder": folder, "number": folder.entries.exclude(document=None).count()}
        return render(request, "library/folder_remove.html", shown)
    form = CategoryDeletionForm(request.POST)
    discard = form.is_valid() and form.cleaned_data["documents"] == CategoryDeletionForm.DELETE
    watching.end(folder, discard=discard)
    if discard:
        said = _("No longer watching %(path)s, and deleted its documents.")
    else:
        said = _("No longer watching %(path)s, and kept its documents.")
    messages.success(request, said % {"path": folder})
    return redirect("library:folder_list")


def _mine(request: HtmxRequest, folder_id: int) -> WatchedFolder:
    folders = WatchedFolder.objects.owned_by(request.user).select_related("workspace")
    return get_object_or_404(folders, pk=folder_id)


def _list(request: HtmxRequest, form: FolderForm, status: int = 200) -> HttpResponse:
    folders = WatchedFolder.objects.owned_by(request.user).select_related("workspace")
    figures = accounting.counts(folders)
    rows = [
        (folder, figures.get(folder.pk, accounting.Counts()), accounting.waits(folder))
        for folder in folders
    ]
    shown = {"rows": rows, "form": form, "roots": watching.allowed_roots()}
    return render(request, LIST, shown, status=status)
