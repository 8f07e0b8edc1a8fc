"""Attached files: add one to a question to come, look at it, take it away, keep it."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from apps.chat import attachments
from apps.chat.views import access
from apps.library import dating, storing, workspaces
from apps.web.htmx import HtmxRequest

ITEM = "chat/_attachment.html"
PAGE = "chat/attachment.html"


@login_required
@require_POST
def attachment_add(request: HtmxRequest) -> HttpResponse:
    """Take one file for the question that is being written; it comes back as a line of the tray."""
    uploaded = request.FILES.get("file")
    if uploaded is None:
        problem = _("No file arrived. Choose one, and send it again.")
    else:
        try:
            changed = dating.told_by_browser(request.POST.get("changed", ""))
            taken = attachments.take(request.user.pk, uploaded, changed)
            return render(request, ITEM, {"attachment": taken})
        except attachments.NotTaken as reason:
            problem = str(reason)
    return render(request, ITEM, {"problem": problem}, status=422)


@login_required
@require_safe
def attachment(request: HtmxRequest, attachment_id: int) -> HttpResponse:
    """How far it has come, in the tray; once it was sent, what was read of it."""
    found = access.attachment(request, attachment_id)
    if request.htmx and "tray" in request.GET:
        return render(request, ITEM, {"attachment": found})
    name = f"{PAGE}#text" if request.htmx else PAGE
    return render(request, name, {"attachment": found})


@login_required
@require_safe
def attachment_thumbnail(request: HtmxRequest, attachment_id: int) -> HttpResponse:
    """A small picture of it, drawn by the reader's child process."""
    found = access.attachment(request, attachment_id)
    if not found.thumbnail:
        raise Http404
    return HttpResponse(
        bytes(found.thumbnail),
        content_type="image/png",
        headers={"Cache-Control": "private, max-age=86400"},
    )


@login_required
@require_POST
def attachment_remove(request: HtmxRequest, attachment_id: int) -> HttpResponse:
    """Take a file away from a question that was not asked yet."""
    found = access.attachment(request, attachment_id)
    if found.conversation:
        raise Http404  # it belongs to what was asked; it goes with the conversation
    attachments.remove(found)
    return HttpResponse() if request.htmx else redirect("chat:conversation_list")


@login_required
@require_POST
def attachment_save(request: HtmxRequest, attachment_id: int) -> HttpResponse:
    """Make it a document of the library."""
    found = access.attachment(request, attachment_id)
    home = found.conversation.workspace if found.conversation else workspaces.current(request)
    try:
        found.document = attachments.save_to_library(found, home)
    except (storing.NotAccepted, FileNotFoundError) as reason:
        messages.error(
            request, _("“%(name)s” was not saved. %(reason)s") % {"name": found, "reason": reason}
        )
    if request.htmx:
        return render(request, "chat/_sent_file.html", {"attachment": found})
    return redirect(found.conversation or "chat:conversation_list")
