"""Web pages come in by their address, and again when a person wants to know what has changed."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from apps.library import ingestion, pages, workspaces
from apps.library.forms import PageForm, UploadForm
from apps.library.models import Document
from apps.web.htmx import HtmxRequest


@login_required
@require_POST
def page_add(request: HtmxRequest) -> HttpResponse:
    workspace = workspaces.current(request)
    form = PageForm(workspace, request.POST)
    if form.is_valid():
        url, category = form.cleaned_data["url"], form.cleaned_data["category"]
        try:
            accepted = pages.add(workspace, url, category)
        except (pages.Refused, ingestion.NotAccepted) as refused:
            form.add_error("url", str(refused))
        else:
            messages.success(request, _words(accepted))
            return redirect(accepted.document)
    shown = {"form": UploadForm(workspace), "page_form": form}
    return render(request, "library/upload.html", shown, status=422)


@login_required
@require_POST
def page_refresh(request: HtmxRequest, document_id: int) -> HttpResponse:
    documents = Document.objects.owned_by(request.user).select_related("workspace")
    document = get_object_or_404(documents, pk=document_id)
    try:
        messages.success(request, _words(pages.refresh(document)))
    except (pages.Refused, pages.NotAPage, ingestion.NotAccepted) as refused:
        messages.error(request, str(refused))
    return redirect(document)


def _words(accepted: ingestion.Accepted) -> str:
    document = accepted.document
    if accepted.status == "unchanged":
        return f"“{document}” has not changed since it was last read."
    if document.revision > 1:
        return f"“{document}” has changed and is read again."
    return f"Added “{document}”. It is being read."
