"""What the doors of the four kinds have in common: list, make, rename, delete."""

from collections.abc import Callable
from typing import TypeVar

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from apps.library import workspaces
from apps.library.models import Workspace
from apps.study import listing, starting
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
    template: str,
    form_class: type[AnyForm],
    kind: Job.Kind,
    begin: Callable[[Job, AnyForm], Work],
) -> HttpResponse:
    """The form, or what it asked for, begun."""
    workspace = workspaces.current(request)
    if request.method != "POST":
        form = form_class(workspace, initial=listing.preselected(request.GET))
        return render(request, template, {"form": form})
    form = form_class(workspace, request.POST)
    if not form.is_valid():
        return render(request, template, {"form": form}, status=422)
    work = begin(starting.job_of(request.user, kind, form), form)
    return redirect(work.get_absolute_url())


def renamed(request: HtmxRequest, mine: Work) -> HttpResponse:
    """Back to it, under its new title if there is one."""
    form = TitleForm(request.POST)
    if form.is_valid():
        mine.title = form.cleaned_data["title"]
        mine.save(update_fields=["title"])
        messages.success(request, f"It is called “{mine}” now.")
    return redirect(mine.get_absolute_url())


def deleted(request: HtmxRequest, mine: Work, noun: str) -> HttpResponse:
    """The question whether to; once it is answered, the list without it."""
    if request.method != "POST":
        return render(request, "study/delete.html", {"work": mine, "noun": noun})
    starting.discard(mine)
    messages.success(request, f"Deleted “{mine}”. What you earned with it stays.")
    return redirect(f"study:{noun}_list")
