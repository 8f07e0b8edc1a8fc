"""The browsers a person is signed in with, and signing them out."""

from django.contrib import auth, messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from apps.web import browsers as held
from apps.web.htmx import HtmxRequest


@never_cache
@login_required
@require_GET
def browsers(request: HtmxRequest) -> HttpResponse:
    found = held.of_person(request.user, request.session.session_key)
    return render(request, "vault/browsers.html", {"browsers": found})


@login_required
@require_POST
def browser_end(request: HtmxRequest, browser_id: str) -> HttpResponse:
    """Sign one browser out; where it is this one, its next page is the login."""
    if not held.end(request.user, browser_id):
        raise Http404
    messages.success(request, _("That browser is signed out."))
    return redirect("vault:browsers")


@login_required
@require_POST
def browsers_end(request: HtmxRequest) -> HttpResponse:
    """Sign out all the others, or with `everywhere` this one as well."""
    if "everywhere" in request.POST:
        held.end_all(request.user)
        auth.logout(request)
        messages.success(request, _("You are signed out everywhere."))
        return redirect("vault:login")
    count = held.end_all(request.user, but=request.session.session_key)
    messages.success(request, _("Other browsers signed out: %(count)s.") % {"count": count})
    return redirect("vault:browsers")
