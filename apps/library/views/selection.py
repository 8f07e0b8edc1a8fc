"""Acts on the documents ticked in the list."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Sum
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from apps.library import ingestion, workspaces
from apps.library.forms import SelectionForm
from apps.library.measuring import counted
from apps.web.htmx import HtmxRequest

NAMED = 20  # documents the question before a deletion names


@login_required
@require_POST
def selection_move(request: HtmxRequest) -> HttpResponse:
    form = _ticked(request)
    if form.is_valid():
        category = form.cleaned_data["category"]
        moved = form.cleaned_data["document"].update(category=category)
        if category:
            said = ngettext(
                "Moved %(documents)s to %(category)s.",
                "Moved %(documents)s to %(category)s.",
                moved,
            )
        else:
            said = ngettext(
                "%(documents)s is in no category now.",
                "%(documents)s are in no category now.",
                moved,
            )
        named = {"documents": counted(moved, "document"), "category": category}
        messages.success(request, said % named)
    return _back(request, form)


@login_required
@require_POST
def selection_retry(request: HtmxRequest) -> HttpResponse:
    form = _ticked(request)
    if form.is_valid():
        number = ingestion.read_all_again(form.cleaned_data["document"])
        messages.success(
            request,
            _("Reading %(documents)s again.") % {"documents": counted(number, "document")},
        )
    return _back(request, form)


@login_required
@require_POST
def selection_delete(request: HtmxRequest) -> HttpResponse:
    """Asks first, then deletes: a few at once, many in the background."""
    form = _ticked(request)
    if not form.is_valid():
        return _back(request, form)
    documents = form.cleaned_data["document"]
    number = documents.count()
    if not form.cleaned_data["confirmed"]:
        every = form.cleaned_data["every"]
        shown = {
            "number": number,
            "size": documents.aggregate(size=Sum("size"))["size"],
            "documents": documents.order_by("name")[:NAMED],
            "more": max(number - NAMED, 0),
            "every": every,
            "ids": [] if every else list(documents.values_list("pk", flat=True)),
        }
        return render(request, "library/selection_delete.html", shown)
    if left := ingestion.discard_soon(documents):
        said = _("Deleting %(documents)s. The list counts down.")
        messages.success(request, said % {"documents": counted(left, "document")})
    else:
        said = _("Deleted %(documents)s and everything read from them.")
        messages.success(request, said % {"documents": counted(number, "document")})
    return redirect("library:document_list")


def _ticked(request: HtmxRequest) -> SelectionForm:
    return SelectionForm(workspaces.current(request), request.POST)


def _back(request: HtmxRequest, form: SelectionForm) -> HttpResponse:
    if not form.is_valid():
        messages.error(request, _("Tick documents first. Those you ticked may be gone by now."))
    return redirect("library:document_list")
