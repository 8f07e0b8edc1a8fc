"""Documents come in: uploads, and the samples for an empty vault."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, BinaryIO, cast
from uuid import uuid4

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.library import batches, dating, ingestion, likeness, samples, standing, workspaces
from apps.library.batch_models import UPLOAD
from apps.library.forms import UploadForm
from apps.library.likeness import Like
from apps.library.models import Category, Document, Workspace
from apps.web.htmx import HtmxRequest, part
from apps.web.telling import full_stop
from apps.web.telling import gettext as _

PAGE = "library/upload.html"
FEW = 10  # outcomes that are told one by one; of more there is a receipt


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file; `status` is an HTTP status. It is asked again until it is final."""

    name: str
    words: str
    status: int = 200
    document: Document | None = None
    alike: Sequence[Like] = ()

    @property
    def tone(self) -> str:
        if self.document is None:
            return "bad" if self.status != 200 else "good"
        return standing.of(self.document).tone

    @property
    def final(self) -> bool:
        return self.document is None or self.document.state not in Document.UNFINISHED


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def document_upload(request: HtmxRequest) -> HttpResponse:
    workspace = workspaces.current(request)
    if request.method != "POST":
        shown = {
            "form": UploadForm(workspace, initial=request.GET),
            "recent": batches.recent(workspace),
        }
        return render(request, PAGE, shown)
    form = UploadForm(workspace, request.POST, request.FILES)
    if not form.is_valid():
        return render(request, part(request, PAGE, "refused"), {"form": form}, status=422)
    category, files = form.cleaned_data["category"], form.cleaned_data["file"]
    # Files that are sent one by one say when they were changed.
    changed = dating.told_by_browser(request.POST.get("changed", "")) if len(files) == 1 else None
    outcomes = [_receive(workspace, file, category, changed) for file in files]
    key = request.POST.get("batch", "").replace("\0", "") or uuid4().hex
    batch = batches.begin(workspace, key, UPLOAD)
    for outcome in outcomes:
        batches.note(batch, outcome.name, document=outcome.document, reason=outcome.words)
    if request.htmx:
        status = max(outcome.status for outcome in outcomes)
        shown = {"outcomes": outcomes, "batch": batch, "counts": batches.of(batch)}
        return render(request, f"{PAGE}#outcomes", shown, status=status)
    if len(outcomes) > FEW:
        return redirect(batch)
    for outcome in outcomes:
        level = messages.SUCCESS if outcome.status == 200 else messages.ERROR
        same = _("“%(name)s” has the same content.")
        twins = "".join(f" {same % {'name': like.document}}" for like in outcome.alike)
        messages.add_message(request, level, f"{outcome.name}: {outcome.words}{twins}")
    return redirect("library:document_list")


@login_required
@require_safe
def document_standing(request: HtmxRequest, document_id: int) -> HttpResponse:
    """How a file that was just uploaded stands now, and which others say the same."""
    mine = Document.objects.owned_by(request.user).select_related("workspace")
    document = get_object_or_404(mine, pk=document_id)
    if not request.htmx:
        return redirect(document)
    return render(request, f"{PAGE}#outcomes", {"outcomes": [_now(document)]})


def _now(document: Document) -> Outcome:
    """What to say of a document that was stored: its standing, and its like once it is read."""
    words = full_stop(standing.of(document).words)
    return Outcome(document.name, words, 200, document, likeness.of(document))


@login_required
@require_POST
def sample_load(request: HtmxRequest) -> HttpResponse:
    """Six small documents of our own, for a vault that has none yet."""
    workspace = workspaces.current(request)
    category, _made = Category.objects.get_or_create(workspace=workspace, name=_("Samples"))
    for path in samples.FILES:
        with path.open("rb") as stream:
            ingestion.accept(workspace, stream, path.name, category=category)
    said = _("Loaded %(number)s sample documents. They are being read now.")
    messages.success(request, said % {"number": len(samples.FILES)})
    return redirect("library:document_list")


def _receive(
    workspace: Workspace,
    file: "UploadedFile[Any]",
    category: Category | None,
    changed: datetime | None,
) -> Outcome:
    name = file.name or "document"
    if not file.size:
        return Outcome(name, _("This file is empty, so there is nothing to read."), 422)
    try:
        accepted = ingestion.accept(
            workspace, cast(BinaryIO, file.file), name, category=category, changed=changed
        )
    except ingestion.NotAccepted as refused:
        large = file.size > settings.UPLOAD_LIMIT_MB << 20
        return Outcome(name, str(refused), 413 if large else 507)
    words = (
        _("Already here, unchanged.")
        if accepted.status == "unchanged"
        else _("Added, waiting to be read.")
    )
    alike = [Like(accepted.twin, 1)] if accepted.twin else []
    return Outcome(name, words, 200, accepted.document, alike)
