"""The doorman of the progress room."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from apps.progress import recent
from apps.web.htmx import HtmxRequest


@login_required
@require_GET
def home(request: HtmxRequest) -> HttpResponse:
    days = recent.days(request.user)
    return render(
        request, "progress/home.html", {"days": days, "total": sum(d.total for d in days)}
    )
