"""Quizzes and workshops to take along: `?form=pdf&level=answers`."""

from collections.abc import Callable, Iterable

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from apps.study import exporting
from apps.study.models import Quiz, Workshop
from apps.study.printing import NotPrinted
from apps.web.htmx import HtmxRequest


@login_required
@require_safe
def quiz_export(request: HtmxRequest, quiz_id: int) -> HttpResponse:
    mine: Quiz = get_object_or_404(Quiz.objects.owned_by(request.user), pk=quiz_id)
    return _file(request, mine, exporting.QUIZ_LEVELS, lambda x: exporting.quiz_markdown(mine, x))


@login_required
@require_safe
def workshop_export(request: HtmxRequest, workshop_id: int) -> HttpResponse:
    mine: Workshop = get_object_or_404(Workshop.objects.owned_by(request.user), pk=workshop_id)
    levels = exporting.WORKSHOP_LEVELS
    return _file(request, mine, levels, lambda x: exporting.workshop_markdown(mine, x))


def _file(
    request: HtmxRequest,
    work: Quiz | Workshop,
    levels: Iterable[str],
    told: Callable[[str], str],
) -> HttpResponse:
    """The file asked for, at the level asked for; by default the fullest, as Markdown."""
    form = request.GET.get("form", "md")
    level = request.GET.get("level", list(levels)[-1])
    if form not in exporting.FORMS or level not in levels:
        raise Http404
    text = told(level)
    if form == "md":
        answer = HttpResponse(text, content_type="text/markdown; charset=utf-8")
    else:
        try:
            answer = HttpResponse(exporting.pdf(work.title, text), content_type="application/pdf")
        except NotPrinted as reason:
            messages.error(request, str(reason))
            return redirect(work)
    name = exporting.file_name(work.title, form)
    answer.headers["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    return answer
