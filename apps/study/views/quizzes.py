"""Quizzes: list, make, play, look back."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.library import workspaces
from apps.study import exporting, generation, listing, playing, starting, watching
from apps.study.forms import QuizForm, TitleForm
from apps.study.models import Attempt, Job, Question, Quiz
from apps.web.htmx import HtmxRequest, part


@login_required
@require_safe
def quiz_list(request: HtmxRequest) -> HttpResponse:
    workspace = workspaces.current(request)
    page = listing.quizzes(request.user, workspace, request.GET.get("q", ""))
    return render(request, part(request, "study/quizzes.html", "works"), {"page": page})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def quiz_new(request: HtmxRequest) -> HttpResponse:
    workspace = workspaces.current(request)
    if request.method != "POST":
        form = QuizForm(workspace, initial=listing.preselected(request.GET))
        return render(request, "study/quiz_new.html", {"form": form})
    form = QuizForm(workspace, request.POST)
    if not form.is_valid():
        return render(request, "study/quiz_new.html", {"form": form}, status=422)
    job = starting.job_of(request.user, Job.Kind.QUIZ, form)
    return redirect(starting.quiz_of(job, form.cleaned_data["types"]))


@login_required
@require_safe
def quiz(request: HtmxRequest, quiz_id: int) -> HttpResponse:
    mine = _mine(request, quiz_id)
    context = {
        "quiz": mine,
        "watch": watching.watch(mine.job) if mine.job else None,
        "questions": mine.questions.count(),
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
    mine = _mine(request, quiz_id)
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
        messages.error(request, "Choose one of the answers first.")
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
    mine = _mine(request, quiz_id)
    form = TitleForm(request.POST)
    if form.is_valid():
        mine.title = form.cleaned_data["title"]
        mine.save(update_fields=["title"])
        messages.success(request, f"It is called “{mine}” now.")
    return redirect(mine)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def quiz_delete(request: HtmxRequest, quiz_id: int) -> HttpResponse:
    mine = _mine(request, quiz_id)
    if request.method != "POST":
        return render(request, "study/delete.html", {"work": mine, "noun": "quiz"})
    if mine.job:
        generation.cancel(mine.job)
    mine.delete()
    messages.success(request, f"Deleted “{mine}”. What you earned with it stays.")
    return redirect("study:quiz_list")


def _mine(request: HtmxRequest, quiz_id: int) -> Quiz:
    mine: Quiz = get_object_or_404(Quiz.objects.owned_by(request.user), pk=quiz_id)
    return mine


def _attempt(request: HtmxRequest, attempt_id: int) -> Attempt:
    found = get_object_or_404(Attempt.objects.select_related("quiz"), pk=attempt_id)
    if found.owner_id != request.user.pk:
        raise Http404
    return found
