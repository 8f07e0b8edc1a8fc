"""Conversations: the list, one of them, and the acts on it."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from apps.chat import composing, conversations, showing, writing
from apps.chat.forms import LONGEST, QuestionForm, TitleForm
from apps.chat.models import Answer, Conversation
from apps.chat.suggestions import suggestions
from apps.chat.views import access
from apps.library import workspaces
from apps.library.models import Workspace
from apps.web.htmx import HtmxRequest, part

LIST = "chat/conversation_list.html"
PAGE = "chat/conversation.html"


@login_required
@require_GET
def conversation_list(request: HtmxRequest) -> HttpResponse:
    """The empty chat, and the conversations so far."""
    return listed(request, workspaces.current(request))


def listed(
    request: HtmxRequest, workspace: Workspace, form: QuestionForm | None = None
) -> HttpResponse:
    """The page; with a form, the one that was refused, so that its words are not lost."""
    wanted = request.GET.get("q", "").strip()
    found = Conversation.objects.owned_by(request.user).filter(workspace=workspace)
    context = {
        "conversations": found.filter(title__icontains=wanted)[:200],
        "any_conversation": found.exists(),
        "wanted": wanted,
    }
    if not request.htmx:
        # A link may bring a question, to be read over and sent: `?question=…`.
        asked = {"question": request.GET.get("question", "")[:LONGEST]}
        shown = form or QuestionForm(workspace, initial=asked)
        context |= composing.composer(workspace, form=shown)
        context |= {"suggestions": suggestions(workspace)}
    status = 422 if form else 200
    return render(request, part(request, LIST, "conversations"), context, status=status)


@login_required
@require_GET
def conversation(request: HtmxRequest, conversation_id: int) -> HttpResponse:
    found = access.conversation(request, conversation_id)
    shown = showing.turns(composing.turns(found))
    if showing.running(shown) and writing.find_broken_off(
        Answer.objects.filter(turn__conversation=found)
    ):
        shown = showing.turns(composing.turns(found))
    composer = composing.composer(found.workspace, found, showing.running(shown))
    return render(request, PAGE, {"conversation": found, "shown": shown} | composer)


@login_required
@require_POST
def conversation_rename(request: HtmxRequest, conversation_id: int) -> HttpResponse:
    found = access.conversation(request, conversation_id)
    form = TitleForm(request.POST, instance=found)
    if form.is_valid():
        form.save()
    return redirect(found)


@login_required
@require_POST
def conversation_delete(request: HtmxRequest, conversation_id: int) -> HttpResponse:
    found = access.conversation(request, conversation_id)
    conversations.discard(found)
    messages.success(request, f"Deleted “{found}”.")
    return redirect("chat:conversation_list")
