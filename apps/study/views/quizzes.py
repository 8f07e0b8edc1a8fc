"""Quizzes: list, make, play, look back."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.study import exporting, listing, playing, starting, watching
from apps.study.forms import QuizForm
from apps.study.models import Attempt, Job, Question, Quiz
from apps.study.views import works
from apps.web.htmx import HtmxRequest, part


@login_required
@require_safe
def quiz_list(request: HtmxRequest) -> HttpResponse:
    return works.listed(request, "study/quizzes.html", listing.quizzes)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def quiz_new(request: HtmxRequest) -> HttpResponse:
    return works.begun(
        request,
        QuizForm,
        Job.Kind.QUIZ,
        lambda job, form: starting.work_of(Quiz, job, types=form.cleaned_data["types"]),
    )


@login_required
@require_safe
def quiz(request: HtmxRequest, quiz_id: int) -> HttpResponse:
    mine = works.own(request, Quiz, quiz_id)
    context = {
        "quiz": mine,
        "watch": watching.watch(mine.job) if mine.job else None,
        "questions": mine.questions.all(),
        "open": playing.open_attempt(request.user, mine),
        "attempts": mine.attempts.filter(finished_at__isnull=False),
        "mistakes": len(playing.mistakes(request.user, mine)),
        "levels": exporting.QUIZ_LEVELS,
    }
    return render(request, part(request, "study/quiz.html", "state"), context)


@login_required
@require_POST
def quiz_play(request: HtmxRequest, quiz_id: int) -> HttpResponse:
    """Go on with the open attempt, or begin one: of all questions, or of the mistakes."""
    mine = works.own(request, Quiz, quiz_id)
    attempt = playing.open_attempt(request.user, mine)
    if attempt is None or "mistakes" in request.POST:
        only = playing.mistakes(request.user, mine) if "mistakes" in request.POST else None
        try:
            attempt = playing.begin(request.user, mine, only=only)
        except playing.NotPlayable as reason:
            messages.error(request, str(reason))
            return redirect(mine)
    return redirect("study:attempt", attempt.pk)


@login_required
@require_safe
def attempt(request: HtmxRequest, attempt_id: int) -> HttpResponse:
    mine = _attempt(request, attempt_id)
    asked = request.GET.get("question", "")
    shown = playing.shown(mine, int(asked) if asked.isdecimal() else None)
    if shown is None:
        if mine.finished_at is None and not asked:
            playing.finish_if_over(mine)
        return redirect("study:result", mine.pk)
    return render(
        request, part(request, "study/attempt.html", "player"), {"attempt": mine, "shown": shown}
    )


@login_required
@require_POST
def attempt_answer(request: HtmxRequest, attempt_id: int, question_id: int) -> HttpResponse:
    mine = _attempt(request, attempt_id)
    question = get_object_or_404(Question, pk=question_id, quiz=mine.quiz_id)
    chosen = request.POST.get("chosen", "")
    try:
        playing.answer(mine, question, int(chosen) if chosen.isdecimal() else -1)
    except ValueError:
        messages.error(request, _("Choose one of the answers first."))
    if not request.htmx:
        return redirect(f"{mine.get_absolute_url()}?question={question.pk}")
    shown = playing.shown(mine, question.pk)
    return render(request, "study/attempt.html#player", {"attempt": mine, "shown": shown})


@login_required
@require_safe
def result(request: HtmxRequest, attempt_id: int) -> HttpResponse:
    mine = _attempt(request, attempt_id)
    if mine.finished_at is None:
        return redirect(mine)
    context = {"attempt": mine, "quiz": mine.quiz, "recap": playing.recap(mine)}
    context["levels"] = exporting.QUIZ_LEVELS
    context["wrong"] = sum(not (s.reply and s.reply.correct) for s in playing.recap(mine))
    return render(request, "study/result.html", context)


@login_required
@require_POST
def quiz_rename(request: HtmxRequest, quiz_id: int) -> HttpResponse:
    return works.renamed(request, works.own(request, Quiz, quiz_id))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def quiz_delete(request: HtmxRequest, quiz_id: int) -> HttpResponse:
    return works.deleted(request, works.own(request, Quiz, quiz_id), "quiz")


def _attempt(request: HtmxRequest, attempt_id: int) -> Attempt:
    found = get_object_or_404(Attempt.objects.select_related("quiz"), pk=attempt_id)
    if found.owner_id != request.user.pk:
        raise Http404
    return found
