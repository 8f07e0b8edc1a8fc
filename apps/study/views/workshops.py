"""Workshops and their lessons: list, make, read, tick off."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.study import exporting, following, listing, reader, starting, watching
from apps.study.forms import WorkshopForm
from apps.study.models import Job, Lesson, Workshop
from apps.study.views import works
from apps.web.htmx import HtmxRequest, part


@login_required
@require_safe
def workshop_list(request: HtmxRequest) -> HttpResponse:
    return works.listed(request, "study/workshops.html", listing.workshops)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def workshop_new(request: HtmxRequest) -> HttpResponse:
    return works.begun(
        request,
        WorkshopForm,
        Job.Kind.WORKSHOP,
        lambda job, form: starting.work_of(Workshop, job),
    )


@login_required
@require_safe
def workshop(request: HtmxRequest, workshop_id: int) -> HttpResponse:
    mine = works.own(request, Workshop, workshop_id)
    context = {
        "workshop": mine,
        "watch": watching.watch(mine.job) if mine.job else None,
        "standing": following.standing(mine),
        "levels": exporting.WORKSHOP_LEVELS,
    }
    return render(request, part(request, "study/workshop.html", "state"), context)


@login_required
@require_POST
def workshop_recap(request: HtmxRequest, workshop_id: int) -> HttpResponse:
    """Five questions on the same documents."""
    mine = works.own(request, Workshop, workshop_id)
    quiz = following.recap(mine)
    if quiz is None:
        messages.error(request, _("It is not known any more what this workshop was made from."))
    return redirect(quiz or mine)


@login_required
@require_POST
def workshop_rename(request: HtmxRequest, workshop_id: int) -> HttpResponse:
    return works.renamed(request, works.own(request, Workshop, workshop_id))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def workshop_delete(request: HtmxRequest, workshop_id: int) -> HttpResponse:
    return works.deleted(request, works.own(request, Workshop, workshop_id), "workshop")


@login_required
@require_safe
def lesson(request: HtmxRequest, lesson_id: int) -> HttpResponse:
    mine = _lesson(request, lesson_id)
    following.opened(request.user, mine)
    lessons = list(mine.workshop.lessons.all())
    at = lessons.index(mine)
    context = {
        "lesson": mine,
        "workshop": mine.workshop,
        "number": at + 1,
        "total": len(lessons),
        "previous": lessons[at - 1] if at else None,
        "next": lessons[at + 1] if at + 1 < len(lessons) else None,
        "watch": watching.watch(mine.job) if mine.job else None,
        "sections": reader.sections(mine),
    }
    return render(request, part(request, "study/lesson.html", "text"), context)


@login_required
@require_POST
def lesson_write(request: HtmxRequest, lesson_id: int) -> HttpResponse:
    """Have it written; with `anew` once more, from other passages where there are more."""
    mine = _lesson(request, lesson_id)
    following.write(mine, anew="anew" in request.POST)
    return redirect(mine)


@login_required
@require_POST
def lesson_complete(request: HtmxRequest, lesson_id: int) -> HttpResponse:
    """Mark it complete, or with `undo` not."""
    mine = _lesson(request, lesson_id)
    if "undo" in request.POST:
        following.undo(mine)
    elif mine.made_at is None:
        messages.error(request, _("This lesson is not written yet."))
    else:
        following.complete(request.user, mine)
    return redirect(f"{mine.get_absolute_url()}#end")


def _lesson(request: HtmxRequest, lesson_id: int) -> Lesson:
    found = Lesson.objects.filter(workshop__owner=request.user)
    return get_object_or_404(found.select_related("workshop__job", "job"), pk=lesson_id)
