"""Questions: ask one, and have one answered again."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from apps.chat import composing, conversations, showing, writing
from apps.chat.forms import QuestionForm
from apps.chat.models import Answer
from apps.chat.views import access
from apps.chat.views.conversations import PAGE, listed
from apps.library import workspaces
from apps.web.htmx import HtmxRequest


@login_required
@require_POST
def ask(request: HtmxRequest, conversation_id: int | None = None) -> HttpResponse:
    """Add a question to a conversation, or begin one with it."""
    found = access.conversation(request, conversation_id) if conversation_id else None
    workspace = found.workspace if found else workspaces.current(request)
    form = QuestionForm(workspace, request.POST)
    if not form.is_valid():
        if request.htmx:
            context = composing.composer(workspace, found, form=form)
            return render(request, f"{PAGE}#refused", context, status=422)
        if found is None:
            return listed(request, workspace, form)
        messages.error(request, form.complaint())
        return redirect(found)
    answer = conversations.ask(found or conversations.begin(workspace), **form.cleaned_data)
    return _begun(request, answer, f"{PAGE}#begun")


@login_required
@require_POST
def retry(request: HtmxRequest, turn_id: int) -> HttpResponse:
    """Answer the question once more; what came of the earlier tries stays readable."""
    turn = access.turn(request, turn_id)
    if not turn.answers.being_written().exists():
        writing.begin(turn)
    answer = turn.answers.select_related("turn__conversation__workspace").last()
    assert answer
    return _begun(request, answer, f"{PAGE}#begun_again")


def _begun(request: HtmxRequest, answer: Answer, name: str) -> HttpResponse:
    """Show the turn that was begun: the whole page again, or its part of it."""
    turn = answer.turn
    if not request.htmx:
        return redirect(turn.conversation)
    (shown,) = showing.turns([turn])
    composer = composing.composer(turn.conversation.workspace, turn.conversation, shown.newest)
    return render(request, name, {"each": shown} | composer)
