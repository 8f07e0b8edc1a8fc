"""Watch a job, cancel it, let it go on."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from apps.study import generation, watching
from apps.study.models import Job
from apps.web.htmx import HtmxRequest, trigger


@login_required
@require_safe
def job(request: HtmxRequest, job_id: int) -> HttpResponse:
    """The job's progress, which asks again while it is unfinished."""
    mine = _mine(request, job_id)
    if not request.htmx:
        return redirect(watching.address(mine))
    answer = render(request, "study/_job.html", {"watch": watching.watch(mine)})
    known = request.GET.get("made", "")
    if mine.ended or known != str(mine.made):
        return trigger(answer, "study:made", job=mine.pk)
    return answer


@login_required
@require_POST
def job_cancel(request: HtmxRequest, job_id: int) -> HttpResponse:
    mine = _mine(request, job_id)
    generation.cancel(mine)
    return _done(request, mine)


@login_required
@require_POST
def job_continue(request: HtmxRequest, job_id: int) -> HttpResponse:
    mine = _mine(request, job_id)
    generation.go_on(mine)
    return _done(request, mine)


def _done(request: HtmxRequest, mine: Job) -> HttpResponse:
    if not request.htmx:
        return redirect(watching.address(mine))
    mine.refresh_from_db()
    return render(request, "study/_job.html", {"watch": watching.watch(mine)})


def _mine(request: HtmxRequest, job_id: int) -> Job:
    return get_object_or_404(Job.objects.owned_by(request.user), pk=job_id)
