"""Web pages come in by their address, and again when a person wants to know what has changed."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from apps.library import pages, workspaces
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
            document = pages.add(workspace, url, category).document
        except pages.Refused as refused:
            form.add_error("url", str(refused))
        else:
            messages.success(request, _("Fetching “%(name)s”.") % {"name": document})
            return redirect(document)
    shown = {"form": UploadForm(workspace), "page_form": form}
    return render(request, "library/upload.html", shown, status=422)


@login_required
@require_POST
def page_refresh(request: HtmxRequest, document_id: int) -> HttpResponse:
    documents = Document.objects.owned_by(request.user).select_related("workspace")
    document = get_object_or_404(documents, pk=document_id)
    try:
        pages.refresh(document)
    except pages.NotAPage as reason:
        messages.error(request, str(reason))
    else:
        messages.success(request, _("Fetching “%(name)s” again.") % {"name": document})
    return redirect(document)
