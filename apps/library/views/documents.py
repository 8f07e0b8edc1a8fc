"""The list of documents, and the acts on one of them."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Avg
from django.http import FileResponse, Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.library import (
    coverage,
    ingestion,
    likeness,
    listing,
    measuring,
    shell,
    standing,
    workspaces,
)
from apps.library.forms import DocumentNameForm, MoveForm
from apps.library.models import Document, Workspace
from apps.library.views.gone import told_when_gone
from apps.web.htmx import HtmxRequest, part, trigger

LIST = "library/documents.html"
RECEIPT = "library/_receipt.html"
INERT = "default-src 'none'; sandbox"  # should a browser show a download, it runs nothing


@login_required
@require_safe
def document_list(request: HtmxRequest) -> HttpResponse:
    workspace = workspaces.current(request)
    wanted = listing.Wanted.from_query(request.GET)
    shown: dict[str, Any] = {
        "workspace": workspace,
        "wanted": wanted,
        "counts": listing.counts(workspace),
        "page": listing.page(
            workspace, wanted, request.GET.get("after", ""), request.GET.get("until", "")
        ),
    }
    if request.htmx and "rows" in request.GET:
        name = "further" if request.GET["rows"] == "more" else "rows"
        return render(request, f"{LIST}#{name}", shown)
    shown |= {
        "columns": listing.columns(wanted),
        "statuses": listing.STATUSES,
        "matching": _matching(workspace, wanted, shown["counts"]),
        "categories": shell.categories(request),
    }
    return render(request, part(request, LIST, "documents"), shown)


@login_required
@require_safe
@told_when_gone
def document_receipt(request: HtmxRequest, document_id: int) -> HttpResponse:
    """The right column of a document, which asks again while the document is being read."""
    document = _mine(request, document_id)
    if not request.htmx:
        return redirect(document)
    answer = _receipt(request, document)
    if document.state in Document.UNFINISHED:
        return answer
    return trigger(answer, "library:read", document=document.pk)


@login_required
@require_POST
def document_rename(request: HtmxRequest, document_id: int) -> HttpResponse:
    document = _mine(request, document_id)
    form = DocumentNameForm(request.POST)
    if form.is_valid():
        document.name = form.cleaned_data["name"]
        document.save(update_fields=["name"])
        messages.success(request, _("It is called “%(name)s” now.") % {"name": document})
    else:
        messages.error(
            request,
            _("Not renamed: %(reason)s") % {"reason": " ".join(map(str, form.errors["name"]))},
        )
    return _done(request, document)


@login_required
@require_POST
@told_when_gone
def document_move(request: HtmxRequest, document_id: int) -> HttpResponse:
    document = _mine(request, document_id)
    form = MoveForm(document.workspace, request.POST)
    if not form.is_valid():
        raise Http404
    document.category = form.cleaned_data["category"]
    document.save(update_fields=["category"])
    if document.category:
        said = _("Moved “%(name)s” to %(category)s.")
    else:
        said = _("“%(name)s” is in no category now.")
    messages.success(request, said % {"name": document, "category": document.category})
    return _done(request, document)


@login_required
@require_POST
@told_when_gone
def document_retry(request: HtmxRequest, document_id: int) -> HttpResponse:
    document = _mine(request, document_id)
    again(document)
    messages.success(request, _("“%(name)s” is being read again.") % {"name": document})
    return _done(request, document)


@login_required
@require_POST
@told_when_gone
def document_cancel(request: HtmxRequest, document_id: int) -> HttpResponse:
    document = _mine(request, document_id)
    ingestion.cancel(document)
    messages.success(request, _("Stopped reading “%(name)s”.") % {"name": document})
    return _done(request, document)


@login_required
@require_safe
def document_download(request: HtmxRequest, document_id: int) -> FileResponse:
    document = _mine(request, document_id)
    try:
        stored = document.file.open("rb")
    except (FileNotFoundError, ValueError) as missing:  # or none yet: a page that is fetched
        raise Http404(_("The stored file is gone. Upload it again.")) from missing
    answer = FileResponse(
        stored,
        as_attachment=True,
        filename=document.name,
        content_type="application/octet-stream",
    )
    answer["Content-Security-Policy"] = INERT
    answer["Cache-Control"] = "private, no-cache"
    return answer


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def document_delete(request: HtmxRequest, document_id: int) -> HttpResponse:
    document = _mine(request, document_id)
    if request.method != "POST":
        return render(request, "library/document_delete.html", {"document": document})
    ingestion.discard(document)
    said = _("Deleted “%(name)s” and everything read from it.")
    messages.success(request, said % {"name": document.name})
    return redirect("library:document_list")


def _matching(workspace: Workspace, wanted: listing.Wanted, counts: listing.Counts) -> int:
    """How many documents the list has in all its pages."""
    return listing.chosen(workspace, wanted).count() if wanted.narrowed else counts.total


def again(document: Document) -> None:
    """Read a document once more: from where it stopped, or anew where it was read."""
    if document.state in Document.UNFINISHED:
        return
    (ingestion.retry if document.state in Document.RETRIABLE else ingestion.read_again)(document)


def _mine(request: HtmxRequest, document_id: int) -> Document:
    documents = Document.objects.owned_by(request.user)
    return get_object_or_404(documents.select_related("workspace", "category"), pk=document_id)


def _done(request: HtmxRequest, document: Document) -> HttpResponse:
    if not request.htmx:
        return redirect(document)
    document.refresh_from_db()
    return _receipt(request, document)


def _receipt(request: HtmxRequest, document: Document) -> HttpResponse:
    return render(request, RECEIPT, receipt(request, document))


def _confidence(document: Document) -> float | None:
    """The mean confidence of the pages read by OCR, 0 to 1; None where there are none."""
    if not document.ocr_count:
        return None
    mean: float | None = document.parts.filter(ocr=True).aggregate(mean=Avg("confidence"))["mean"]
    return mean


def _move_form(request: HtmxRequest, document: Document) -> MoveForm:
    """The form that moves a document; the categories of the open workspace are in the rail too."""
    form = MoveForm(document.workspace, initial={"category": document.category_id})
    if not request.htmx and document.workspace == workspaces.current(request):
        form.offer(shell.in_rail(request))
    return form


def receipt(request: HtmxRequest, document: Document) -> dict[str, object]:
    """What the right column shows of a document."""
    strip = coverage.strip(document) if document.chunk_count else []
    return {
        "strip": strip,
        "touched": coverage.touched(strip),
        "untouched": any(segment.untouched for segment in strip),
        "document": document,
        "alike": likeness.of(document),
        "standing": standing.of(document),
        "timeline": standing.timeline(document),
        "unit": measuring.UNITS.get(document.format, "part"),
        "confidence": _confidence(document),
        "stages": list(document.timings.items()),
        "unfinished": document.state in Document.UNFINISHED,
        "move_form": _move_form(request, document),
    }
