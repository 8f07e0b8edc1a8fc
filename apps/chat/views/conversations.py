"""Conversations: the list, one of them, and the acts on it."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.utils.text import get_valid_filename
from django.utils.translation import gettext as _
from django.views.decorators.http import (
    require_GET,
    require_http_methods,
    require_POST,
    require_safe,
)

from apps.chat import composing, conversations, exporting, finding, showing, writing
from apps.chat.forms import LONGEST, QuestionForm, TitleForm
from apps.chat.models import Answer, Conversation
from apps.chat.prompt import language_of
from apps.chat.suggestions import followups, suggestions
from apps.chat.views import access
from apps.library import workspaces
from apps.library.models import Workspace
from apps.web.htmx import HtmxRequest, part

START = "chat/conversation_list.html"
LIST = "chat/history.html"
RECENT = 5
PAGE = "chat/conversation.html"


@login_required
@require_GET
def conversation_list(request: HtmxRequest) -> HttpResponse:
    """The empty chat, and the latest conversations."""
    return listed(request, workspaces.current(request))


def listed(
    request: HtmxRequest, workspace: Workspace, form: QuestionForm | None = None
) -> HttpResponse:
    """The page; with a form, the one that was refused, so that its words are not lost."""
    mine = Conversation.objects.owned_by(request.user).filter(workspace=workspace)
    context = {"recent": mine[:RECENT], "suggestions": suggestions(workspace)}
    context |= composing.composer(
        workspace, form=form or QuestionForm(workspace, initial=_brought(request))
    )
    return render(request, START, context, status=422 if form else 200)


@login_required
@require_safe
def history(request: HtmxRequest) -> HttpResponse:
    """All conversations of the open workspace, searched by what was asked and answered."""
    wanted = request.GET.get("q", "").strip()[:200]
    workspace = workspaces.current(request)
    page = finding.page(request.user, workspace, wanted, request.GET.get("after", ""))
    context = {"page": page, "wanted": wanted, "later": "after" in request.GET}
    return render(request, part(request, LIST, "found"), context)


@login_required
@require_GET
def conversation(request: HtmxRequest, conversation_id: int) -> HttpResponse:
    found = access.conversation(request, conversation_id)
    shown = showing.turns(composing.turns(found))
    if showing.running(shown) and writing.find_broken_off(
        Answer.objects.filter(turn__conversation=found)
    ):
        shown = showing.turns(composing.turns(found))
    form = QuestionForm(found.workspace, initial=_brought(request))
    last = shown[-1].turn if shown else None
    composer = composing.composer(found.workspace, found, showing.running(shown), form, last)
    context: dict[str, object] = {"conversation": found, "shown": shown}
    if shown and shown[-1].answer.account.ended:
        context["followups"] = followups(
            shown[-1].answer.account, language_of(shown[-1].turn.question)
        )
    return render(request, PAGE, context | composer)


@login_required
@require_POST
def conversation_rename(request: HtmxRequest, conversation_id: int) -> HttpResponse:
    found = access.conversation(request, conversation_id)
    form = TitleForm(request.POST, instance=found)
    if form.is_valid():
        # The time of the last question stays: a new name does not move it up the list.
        Conversation.objects.filter(pk=found.pk).update(title=form.cleaned_data["title"])
    else:
        messages.error(request, _("Not renamed: a title has 1 to 120 characters."))
    return _back(request, found)


@login_required
@require_POST
def conversation_pin(request: HtmxRequest, conversation_id: int) -> HttpResponse:
    """Keep it on top, or let it go down the list again."""
    found = access.conversation(request, conversation_id)
    Conversation.objects.filter(pk=found.pk).update(pinned=not found.pinned)
    return _back(request, found)


@login_required
@require_safe
def conversation_export(request: HtmxRequest, conversation_id: int) -> HttpResponse:
    found = access.conversation(request, conversation_id)
    name = get_valid_filename(str(found)[:60]) or "conversation"
    return HttpResponse(
        exporting.conversation(found),
        content_type="text/markdown; charset=utf-8",
        headers={"Content-Disposition": content_disposition_header(True, f"{name}.md") or ""},
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def conversation_delete(request: HtmxRequest, conversation_id: int) -> HttpResponse:
    found = access.conversation(request, conversation_id)
    if request.method != "POST":
        counts = {"questions": found.turns.count(), "files": found.attachments.count()}
        return render(request, "chat/conversation_delete.html", {"conversation": found} | counts)
    conversations.discard(found)
    messages.success(request, _("Deleted “%(name)s”.") % {"name": found})
    return redirect("chat:history")


def _brought(request: HtmxRequest) -> dict[str, str]:
    """A question that a link brings, to be read over and sent: `?question=…`."""
    return {"question": request.GET.get("question", "")[:LONGEST]}


def _back(request: HtmxRequest, found: Conversation) -> HttpResponse:
    """To the list where the act was done there, else to the conversation."""
    return redirect("chat:history") if "list" in request.POST else redirect(found)
