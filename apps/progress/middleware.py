"""Between a request that studies and the page it came from."""

from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponse, HttpResponseBase
from django.utils.translation import gettext as _
from django_htmx.http import trigger_client_event

from apps.progress import ledger, shell
from apps.progress.models import Standing
from apps.web.middleware import Answering


def announce(get_response: Answering) -> Answering:
    """Keep the person's time zone, announce earned badges, and wake what shows progress.

    Rooms above only record what happened. Badges become messages, and an answer to htmx also
    carries the event `progress:changed`.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if request.user.is_authenticated and "zone" in request.COOKIES:
            kept, _made = Standing.objects.get_or_create(person=request.user)
            shell.notice_zone(request, kept)
        with ledger.listening() as heard:
            response = get_response(request)
        for badge in heard.badges:
            messages.success(request, _("Badge earned: %(name)s") % {"name": _(badge.name)})
        if heard.acts and getattr(request, "htmx", False) and isinstance(response, HttpResponse):
            trigger_client_event(response, "progress:changed")
        return response

    return middleware
