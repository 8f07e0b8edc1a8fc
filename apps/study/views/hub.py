"""The study hub: what is due, and the four doors."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from apps.library import workspaces
from apps.progress.shell import standing_of
from apps.study import due, generation, hub
from apps.web.htmx import HtmxRequest


@login_required
@require_safe
def home(request: HtmxRequest) -> HttpResponse:
    workspace = workspaces.current(request)
    now = timezone.now()
    standing_of(request)  # whose zone is asked for below
    queue = due.queue(request.user, workspace, now)
    bars = due.forecast(request.user, workspace, now)
    comes_back = any(bar.count for bar in bars)
    waits = comes_back or queue.waiting
    context = {
        "has_cards": waits or due.cards_of(request.user, workspace).exists(),
        "queue": queue,
        "forecast": bars,
        "comes_back": comes_back,
        "retention": due.retention(request.user, workspace, now),
        "doors": hub.doors(request.user, workspace),
        "jobs": generation.running_for(request.user),
    }
    return render(request, "study/home.html", context)


@login_required
@require_safe
def forecast(request: HtmxRequest) -> HttpResponse:
    """The cards of the next 30 days, for the dashboard of progress; nothing without cards."""
    if not request.htmx:
        return redirect("study:home")
    workspace = workspaces.current(request)
    if not due.cards_of(request.user, workspace).exists():
        return HttpResponse("")
    bars = due.forecast(request.user, workspace, timezone.now())
    return render(request, "study/_forecast.html", {"forecast": bars})
