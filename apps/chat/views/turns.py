"""Questions: ask one, ask it in other words, have it answered again."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.chat import composing, conversations, editing, showing, writing
from apps.chat.forms import EditForm, QuestionForm
from apps.chat.models import Answer, Turn
from apps.chat.views import access
from apps.chat.views.conversations import PAGE, listed
from apps.library import workspaces
from apps.web.htmx import HtmxRequest

EDIT = "chat/turn_edit.html"


@login_required
@require_POST
def ask(request: HtmxRequest, conversation_id: int | None = None) -> HttpResponse:
    """Add a question to a conversation, or begin one with it."""
    found = None if conversation_id is None else access.conversation(request, conversation_id)
    workspace = found.workspace if found else workspaces.current(request)
    form = QuestionForm(workspace, request.POST, request.FILES)
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
@require_safe
def turn(request: HtmxRequest, turn_id: int) -> HttpResponse:
    """The question as it was asked, in the place of the form to edit it."""
    found = access.turn(request, turn_id)
    if not request.htmx:
        return redirect(f"{found.conversation.get_absolute_url()}#turn-{found.pk}")
    return render(request, "chat/_question.html", {"turn": found})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def turn_edit(request: HtmxRequest, turn_id: int) -> HttpResponse:
    """The question as a form; sent, it takes the place of the question and what came after it."""
    turn = access.turn(request, turn_id)
    standing = list(turn.conversation.turns.standing())
    form = EditForm(turn, standing[-1].pk if standing else 0, request.POST or None)
    if request.method != "POST":
        return _edited(request, turn, form)
    if not form.is_valid():
        return _edited(request, turn, form, status=422)
    try:
        answer = editing.edit(turn, **form.cleaned_data)
    except editing.Changed as changed:
        return _edited(request, turn, form, problem=str(changed), status=409)
    return _replaced(request, turn, answer.turn_id)


@login_required
@require_POST
def turn_undo(request: HtmxRequest, turn_id: int) -> HttpResponse:
    """Let the question before its edit, and what came after it, stand again."""
    turn = access.turn(request, turn_id)
    focused = turn.pk
    try:
        focused = editing.undo(turn).pk
    except editing.Changed as changed:
        messages.error(request, str(changed))
    return _replaced(request, turn, focused)


@login_required
@require_POST
def retry(request: HtmxRequest, turn_id: int) -> HttpResponse:
    """Answer the question once more; what came of the earlier tries stays readable.

    `way` may ask for an answer from the passages that were found ("anyway") or without the web.
    """
    turn = access.turn(request, turn_id)
    if not turn.answers.being_written().exists():
        writing.begin(turn, request.POST.get("way", ""))
    answer = turn.answers.select_related("turn__conversation__workspace").last()
    assert answer
    return _begun(request, answer, f"{PAGE}#begun_again")


def _edited(
    request: HtmxRequest, turn: Turn, form: EditForm, problem: str = "", status: int = 200
) -> HttpResponse:
    later = turn.conversation.turns.standing().filter(pk__gt=turn.pk).count()
    context = {"turn": turn, "form": form, "later": later, "problem": problem}
    context |= {"conversation": turn.conversation}
    name = f"{EDIT}#form" if request.htmx else EDIT
    return render(request, name, context, status=status)


def _replaced(request: HtmxRequest, turn: Turn, focused: int) -> HttpResponse:
    """All turns again: an edit and its undoing change everything after a question.

    The focus goes to the answer of the turn `focused`.
    """
    turn.conversation.refresh_from_db()
    if not request.htmx:
        return redirect(turn.conversation)
    shown = showing.turns(composing.turns(turn.conversation))
    context = {"conversation": turn.conversation, "shown": shown, "focused": focused}
    return render(request, f"{PAGE}#replaced", context | {"running": showing.running(shown)})


def _begun(request: HtmxRequest, answer: Answer, name: str) -> HttpResponse:
    """Show the turn that was begun: the whole page again, or its part of it."""
    conversation = answer.turn.conversation
    if not request.htmx:
        return redirect(conversation)
    (shown,) = showing.turns(composing.turns(conversation, only=answer.turn_id))
    composer = composing.composer(
        conversation.workspace, conversation, shown.answer, after=shown.turn
    )
    return render(request, name, {"each": shown} | composer)
