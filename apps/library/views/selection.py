"""Acts on the documents ticked in the list."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from apps.library import workspaces
from apps.library.discarding import discard_all
from apps.library.forms import SelectionForm
from apps.library.views.documents import again
from apps.web.htmx import HtmxRequest


@login_required
@require_POST
def selection_move(request: HtmxRequest) -> HttpResponse:
    form = _ticked(request)
    if form.is_valid():
        category = form.cleaned_data["category"]
        moved = form.cleaned_data["document"].update(category=category)
        messages.success(request, f"Moved {_number(moved)} to {category or 'no category'}.")
    return _back(request, form)


@login_required
@require_POST
def selection_retry(request: HtmxRequest) -> HttpResponse:
    form = _ticked(request)
    if form.is_valid():
        documents = list(form.cleaned_data["document"])
        for document in documents:
            again(document)
        messages.success(request, f"Reading {_number(len(documents))} again.")
    return _back(request, form)


@login_required
@require_POST
def selection_delete(request: HtmxRequest) -> HttpResponse:
    """Asks first, then deletes."""
    form = _ticked(request)
    if not form.is_valid():
        return _back(request, form)
    documents = list(form.cleaned_data["document"])
    if not form.cleaned_data["confirmed"]:
        return render(request, "library/selection_delete.html", {"documents": documents})
    discard_all(documents)
    messages.success(request, f"Deleted {_number(len(documents))} and everything read from them.")
    return redirect("library:document_list")


def _ticked(request: HtmxRequest) -> SelectionForm:
    return SelectionForm(workspaces.current(request), request.POST)


def _back(request: HtmxRequest, form: SelectionForm) -> HttpResponse:
    if not form.is_valid():
        messages.error(request, "Tick documents first. Those you ticked may be gone by now.")
    return redirect("library:document_list")


def _number(documents: int) -> str:
    return f"{documents} document{'' if documents == 1 else 's'}"
