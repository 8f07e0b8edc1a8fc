"""The chat's doors. An answer is begun by one request and followed by others."""

from collections.abc import Iterator
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.csrf import get_token
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.views.decorators.http import require_GET, require_POST

from apps.chat import conversations, showing, writing
from apps.chat.following import follow
from apps.chat.forms import LONGEST, QuestionForm, TitleForm
from apps.chat.models import Answer, Conversation, Turn
from apps.chat.suggestions import suggestions
from apps.library import workspaces
from apps.library.models import Workspace
from apps.llm import catalogue
from apps.llm.client import ModelError
from apps.web import markdown, sse
from apps.web.htmx import HtmxRequest, part

LIST = "chat/conversation_list.html"
PAGE = "chat/conversation.html"
OFFERED = 200  # documents to choose from; with more, categories are the way


@login_required
@require_GET
def conversation_list(request: HtmxRequest) -> HttpResponse:
    """The empty chat, and the conversations so far."""
    return _list(request, workspaces.current(request))


def _list(
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
        context |= _composer(workspace, form=shown) | {"suggestions": suggestions(workspace)}
    status = 422 if form else 200
    return render(request, part(request, LIST, "conversations"), context, status=status)


@login_required
@require_GET
def conversation(request: HtmxRequest, conversation_id: int) -> HttpResponse:
    found = _conversation(request, conversation_id)
    shown = showing.turns(_turns(found))
    if _running(shown) and writing.find_broken_off(Answer.objects.filter(turn__conversation=found)):
        shown = showing.turns(_turns(found))
    composer = _composer(found.workspace, found, _running(shown))
    context = {"conversation": found, "shown": shown} | composer
    return render(request, PAGE, context)


@login_required
@require_POST
def ask(request: HtmxRequest, conversation_id: int | None = None) -> HttpResponse:
    """Add a question to a conversation, or begin one with it."""
    found = _conversation(request, conversation_id) if conversation_id else None
    workspace = found.workspace if found else workspaces.current(request)
    form = QuestionForm(workspace, request.POST)
    if not form.is_valid():
        if request.htmx:
            context = _composer(workspace, found, form=form)
            return render(request, f"{PAGE}#refused", context, status=422)
        if found is None:
            return _list(request, workspace, form)
        messages.error(request, form.complaint())
        return redirect(found)
    answer = conversations.ask(found or conversations.begin(workspace), **form.cleaned_data)
    return _begun(request, answer, f"{PAGE}#begun")


@login_required
@require_POST
def retry(request: HtmxRequest, turn_id: int) -> HttpResponse:
    """Answer the question once more; what came of the earlier tries stays readable."""
    turns = Turn.objects.owned_by(request.user)
    turn = get_object_or_404(turns.select_related("conversation__workspace"), pk=turn_id)
    if not turn.answers.being_written().exists():
        writing.begin(turn)
    answer = turn.answers.select_related("turn__conversation__workspace").last()
    assert answer
    return _begun(request, answer, f"{PAGE}#begun_again")


@require_GET
def events(request: HtmxRequest, answer_id: int) -> HttpResponseBase:
    """The answer from a point on.

    A page that has lost its right to follow (signed out, answer deleted) is told so in a message:
    htmx would follow a redirect to the login twice a second, and try again after a 404, for ever.
    """
    mine = Answer.objects.select_related("turn__conversation").filter(pk=answer_id)
    answer = mine.owned_by(request.user).first() if request.user.is_authenticated else None
    if answer is None:
        gone = render_to_string(f"{PAGE}#gone", {"answer_id": answer_id})
        return sse.stream([sse.message(gone, 0)])
    return sse.stream(_as_it_grows(request, answer, sse.resume_point(request)))


@login_required
@require_POST
def stop(request: HtmxRequest, answer_id: int) -> HttpResponse:
    answer = _answer(request, answer_id)
    writing.stop(answer)
    if request.htmx:
        return HttpResponse(status=204)  # the stream will tell
    return redirect(answer.turn.conversation)


@login_required
@require_GET
def answer_markdown(request: HtmxRequest, answer_id: int) -> HttpResponse:
    answer = _answer(request, answer_id)
    return HttpResponse(showing.as_markdown(answer), content_type="text/markdown; charset=utf-8")


@login_required
@require_POST
def conversation_rename(request: HtmxRequest, conversation_id: int) -> HttpResponse:
    found = _conversation(request, conversation_id)
    form = TitleForm(request.POST, instance=found)
    if form.is_valid():
        form.save()
    return redirect(found)


@login_required
@require_POST
def conversation_delete(request: HtmxRequest, conversation_id: int) -> HttpResponse:
    found = _conversation(request, conversation_id)
    conversations.discard(found)
    messages.success(request, f"Deleted “{found}”.")
    return redirect("chat:conversation_list")


def _conversation(request: HtmxRequest, conversation_id: int) -> Conversation:
    mine = Conversation.objects.owned_by(request.user).select_related("workspace", "owner")
    return get_object_or_404(mine, pk=conversation_id)


def _answer(request: HtmxRequest, answer_id: int) -> Answer:
    mine = Answer.objects.owned_by(request.user).select_related("turn__conversation")
    return get_object_or_404(mine, pk=answer_id)


def _turns(found: Conversation) -> list[Turn]:
    scopes = ("answers", "scope_categories", "scope_documents")
    return list(found.turns.prefetch_related(*scopes))


def _running(shown: list[showing.ShownTurn]) -> showing.Shown | None:
    """The answer that is being written, if any."""
    return next((each.newest for each in shown if not each.newest.account.ended), None)


def _composer(
    workspace: Workspace,
    found: Conversation | None = None,
    running: showing.Shown | None = None,
    form: QuestionForm | None = None,
) -> dict[str, Any]:
    """What the form for the next question needs."""
    try:
        model = catalogue.chat_model(found.model if found else "")
    except ModelError:
        model = None
    return {
        "conversation": found,
        "workspace": workspace,
        "form": form or QuestionForm(workspace),
        "running": running,
        "categories": list(workspace.categories.all()),
        "documents": list(workspace.documents.searchable().order_by("name")[:OFFERED]),
        "model": model,
    }


def _begun(request: HtmxRequest, answer: Answer, name: str) -> HttpResponse:
    """Show the turn that was begun: the whole page again, or its part of it."""
    turn = answer.turn
    if not request.htmx:
        return redirect(turn.conversation)
    (shown,) = showing.turns([turn])
    composer = _composer(turn.conversation.workspace, turn.conversation, shown.newest)
    return render(request, name, {"each": shown} | composer)


def _as_it_grows(request: HtmxRequest, answer: Answer, after: int) -> Iterator[str]:
    growing, token = markdown.Growing(), get_token(request)
    for news in follow(answer.pk, after):
        if news is None:
            yield sse.BEAT
            continue
        known, now = news
        shown = showing.answer_as(answer, now, growing)
        context = {
            "it": shown,
            "turn": answer.turn,
            "conversation": answer.turn.conversation,
            "changed": showing.changed(known, now),
            "csrf_token": token,  # and no request: what a whole page shows would be asked for
        }
        yield sse.message(render_to_string(f"{PAGE}#news", context), now.number)
