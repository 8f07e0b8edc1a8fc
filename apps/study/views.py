"""The doorman of the study room, which is not furnished yet."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from apps.web.htmx import HtmxRequest


@login_required
@require_GET
def home(request: HtmxRequest) -> HttpResponse:
    return render(request, "study/home.html")
