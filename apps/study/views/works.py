"""What the doors of the four kinds have in common: list, make, rename, delete."""

from collections.abc import Callable
from typing import TypeVar

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from apps.library import workspaces
from apps.library.models import Workspace
from apps.study import hub, listing, starting
from apps.study.forms import ScopeForm, TitleForm
from apps.study.models import Deck, Job, Mindmap, Quiz, Work, Workshop
from apps.web.htmx import HtmxRequest, part

AnyWork = TypeVar("AnyWork", Quiz, Workshop, Deck, Mindmap)
AnyForm = TypeVar("AnyForm", bound=ScopeForm)


def own(request: HtmxRequest, model: type[AnyWork], pk: int) -> AnyWork:
    """The person's thing of that kind with its job at hand, or 404."""
    mine: AnyWork = get_object_or_404(
        model.objects.owned_by(request.user).select_related("job", "workspace"), pk=pk
    )
    return mine


def listed(
    request: HtmxRequest,
    template: str,
    found: Callable[[User, Workspace, str], listing.Page],
) -> HttpResponse:
    """The list, or for htmx the part of it that a search changes."""
    page = found(request.user, workspaces.current(request), request.GET.get("q", ""))
    return render(request, part(request, template, "works"), {"page": page})


def begun(
    request: HtmxRequest,
    form_class: type[AnyForm],
    kind: Job.Kind,
    begin: Callable[[Job, AnyForm], Work],
) -> HttpResponse:
    """The form, or what it asked for, begun."""
    workspace = workspaces.current(request)
    if request.method != "POST":
        form = form_class(workspace, initial=listing.preselected(request.GET))
    else:
        form = form_class(workspace, request.POST)
    job = _job(request, kind, form) if form.is_valid() else None
    if job is None:
        mode = hub.MODES[kind]
        context = {"form": form, "mode": mode, "list_url": f"study:{mode.code}_list"}
        return render(request, "study/new.html", context, status=422 if form.is_bound else 200)
    return redirect(begin(job, form).get_absolute_url())


def _job(request: HtmxRequest, kind: Job.Kind, form: ScopeForm) -> Job | None:
    """The job the form asks for; None where nothing is left to make it of, and the form says so."""
    try:
        return starting.job_of(request.user, kind, form)
    except starting.NothingLeft as reason:
        form.add_error("untouched_only", str(reason))
        return None


def renamed(request: HtmxRequest, mine: Work) -> HttpResponse:
    """Back to it, under its new title if there is one."""
    form = TitleForm(request.POST)
    if form.is_valid():
        mine.title = form.cleaned_data["title"]
        mine.save(update_fields=["title"])
        messages.success(request, _("It is called “%(title)s” now.") % {"title": mine})
    return redirect(mine.get_absolute_url())


def deleted(request: HtmxRequest, mine: Work, noun: str) -> HttpResponse:
    """The question whether to; once it is answered, the list without it."""
    if request.method != "POST":
        return render(request, "study/delete.html", {"work": mine, "noun": noun})
    starting.discard(mine)
    told = _("Deleted “%(title)s”. What you earned with it stays.") % {"title": mine}
    messages.success(request, told)
    return redirect(f"study:{noun}_list")
