"""Documents come in: uploads, and the samples for an empty vault."""

from dataclasses import dataclass
from typing import Any, BinaryIO, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from apps.library import ingestion, samples, workspaces
from apps.library.forms import UploadForm
from apps.library.models import Category, Document, Workspace
from apps.web.htmx import HtmxRequest, part

PAGE = "library/upload.html"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file; `status` is an HTTP status."""

    name: str
    words: str
    status: int = 200
    document: Document | None = None


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def document_upload(request: HtmxRequest) -> HttpResponse:
    workspace = workspaces.current(request)
    if request.method != "POST":
        return render(request, PAGE, {"form": UploadForm(workspace, initial=request.GET)})
    form = UploadForm(workspace, request.POST, request.FILES)
    if not form.is_valid():
        return render(request, part(request, PAGE, "refused"), {"form": form}, status=422)
    category, files = form.cleaned_data["category"], form.cleaned_data["file"]
    outcomes = [_receive(workspace, file, category) for file in files]
    if request.htmx:
        status = max(outcome.status for outcome in outcomes)
        return render(request, f"{PAGE}#outcomes", {"outcomes": outcomes}, status=status)
    for outcome in outcomes:
        level = messages.SUCCESS if outcome.status == 200 else messages.ERROR
        messages.add_message(request, level, f"{outcome.name}: {outcome.words}")
    return redirect("library:document_list")


@login_required
@require_POST
def sample_load(request: HtmxRequest) -> HttpResponse:
    """Six small documents of our own, for a vault that has none yet."""
    workspace = workspaces.current(request)
    category, _ = Category.objects.get_or_create(workspace=workspace, name="Samples")
    for path in samples.FILES:
        with path.open("rb") as stream:
            ingestion.accept(workspace, stream, path.name, category=category)
    messages.success(
        request, f"Loaded {len(samples.FILES)} sample documents. They are being read now."
    )
    return redirect("library:document_list")


def _receive(workspace: Workspace, file: "UploadedFile[Any]", category: Category | None) -> Outcome:
    name = file.name or "document"
    if not file.size:
        return Outcome(name, "This file is empty, so there is nothing to read.", 422)
    try:
        accepted = ingestion.accept(workspace, cast(BinaryIO, file.file), name, category=category)
    except ingestion.NotAccepted as refused:
        large = file.size > settings.UPLOAD_LIMIT_MB << 20
        return Outcome(name, str(refused), 413 if large else 507)
    words = "Already here, unchanged." if accepted.status == "unchanged" else "Added, being read."
    if accepted.twin:
        words += f" “{accepted.twin}” has the same content."
    return Outcome(name, words, 200, accepted.document)
