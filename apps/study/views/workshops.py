"""Workshops and their lessons: list, make, read, tick off."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.library import workspaces
from apps.study import exporting, following, generation, listing, reader, starting, watching
from apps.study.forms import TitleForm, WorkshopForm
from apps.study.models import Job, Lesson, Workshop
from apps.web.htmx import HtmxRequest, part


@login_required
@require_safe
def workshop_list(request: HtmxRequest) -> HttpResponse:
    workspace = workspaces.current(request)
    page = listing.workshops(request.user, workspace, request.GET.get("q", ""))
    return render(request, part(request, "study/workshops.html", "works"), {"page": page})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def workshop_new(request: HtmxRequest) -> HttpResponse:
    workspace = workspaces.current(request)
    if request.method != "POST":
        form = WorkshopForm(workspace, initial=listing.preselected(request.GET))
        return render(request, "study/workshop_new.html", {"form": form})
    form = WorkshopForm(workspace, request.POST)
    if not form.is_valid():
        return render(request, "study/workshop_new.html", {"form": form}, status=422)
    job = starting.job_of(request.user, Job.Kind.WORKSHOP, form)
    workshop = Workshop.objects.create(
        owner=request.user,
        workspace=workspace,
        job=job,
        title=starting.scope_label(job)[:200],
        scope_label=starting.scope_label(job),
        difficulty=job.difficulty,
    )
    generation.start(job)
    return redirect(workshop)


@login_required
@require_safe
def workshop(request: HtmxRequest, workshop_id: int) -> HttpResponse:
    mine = _mine(request, workshop_id)
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
    mine = _mine(request, workshop_id)
    quiz = following.recap(mine)
    if quiz is None:
        messages.error(request, "It is not known any more what this workshop was made from.")
    return redirect(quiz or mine)


@login_required
@require_POST
def workshop_rename(request: HtmxRequest, workshop_id: int) -> HttpResponse:
    mine = _mine(request, workshop_id)
    form = TitleForm(request.POST)
    if form.is_valid():
        mine.title = form.cleaned_data["title"]
        mine.save(update_fields=["title"])
        messages.success(request, f"It is called “{mine}” now.")
    return redirect(mine)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def workshop_delete(request: HtmxRequest, workshop_id: int) -> HttpResponse:
    mine = _mine(request, workshop_id)
    if request.method != "POST":
        return render(request, "study/delete.html", {"work": mine, "noun": "workshop"})
    following.discard(mine)
    messages.success(request, f"Deleted “{mine}”. What you earned with it stays.")
    return redirect("study:workshop_list")


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
        messages.error(request, "This lesson is not written yet.")
    else:
        following.complete(request.user, mine)
    return redirect(f"{mine.get_absolute_url()}#end")


def _mine(request: HtmxRequest, workshop_id: int) -> Workshop:
    found = Workshop.objects.owned_by(request.user).select_related("job")
    mine: Workshop = get_object_or_404(found, pk=workshop_id)
    return mine


def _lesson(request: HtmxRequest, lesson_id: int) -> Lesson:
    found = Lesson.objects.filter(workshop__owner=request.user)
    return get_object_or_404(found.select_related("workshop__job", "job"), pk=lesson_id)
