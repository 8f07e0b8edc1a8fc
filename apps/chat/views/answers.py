"""Answers: follow one as it grows, stop it, take it along."""

from collections.abc import Iterator

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.views.decorators.http import require_GET, require_POST

from apps.chat import composing, editing, exporting, showing, writing
from apps.chat.following import follow
from apps.chat.models import Answer
from apps.chat.prompt import language_of
from apps.chat.suggestions import followups
from apps.chat.views import access
from apps.chat.views.conversations import PAGE
from apps.web import markdown, sse
from apps.web.database import borrowed
from apps.web.htmx import HtmxRequest


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
    answer = access.answer(request, answer_id)
    writing.stop(answer)
    if request.htmx:
        return HttpResponse(status=204)  # the stream will tell
    return redirect(answer.turn.conversation)


@login_required
@require_POST
def answer_choose(request: HtmxRequest, answer_id: int) -> HttpResponse:
    """Show another version of the answer, which counts from now on."""
    answer = access.answer(request, answer_id)
    editing.choose(answer)
    turn = answer.turn
    if not request.htmx:
        return redirect(f"{turn.conversation.get_absolute_url()}#turn-{turn.pk}")
    (shown,) = showing.turns(composing.turns(turn.conversation, only=turn.pk))
    return render(request, f"{PAGE}#turn", {"each": shown, "conversation": turn.conversation})


@login_required
@require_GET
def answer_markdown(request: HtmxRequest, answer_id: int) -> HttpResponse:
    answer = access.answer(request, answer_id)
    return HttpResponse(
        exporting.answer(answer),
        content_type="text/markdown; charset=utf-8",
        headers={"Content-Disposition": 'attachment; filename="answer.md"'},
    )


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
            "followups": followups(now, language_of(answer.turn.question)) if now.ended else [],
            "csrf_token": token,  # and no request: what a whole page shows would be asked for
        }
        with borrowed():  # while it waits, the page asks what else has the model
            told = render_to_string(f"{PAGE}#news", context)
        yield sse.message(told, now.number)
