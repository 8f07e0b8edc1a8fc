"""Tokens of a person: make one, which is shown once, and take one back."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from apps.vault import tokens
from apps.vault.forms import TokenForm
from apps.vault.models import Token
from apps.web.htmx import HtmxRequest

PAGE = "vault/tokens.html"


@never_cache
@login_required
@require_safe
def token_list(request: HtmxRequest) -> HttpResponse:
    return _list(request, TokenForm())


@never_cache
@login_required
@require_POST
def token_create(request: HtmxRequest) -> HttpResponse:
    """Make a token and show it. The page is the only place it ever stands, so nothing redirects."""
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _list(request, form, status=422)
    wanted = form.cleaned_data
    made = tokens.make(request.user, wanted["name"], wanted["scopes"], wanted["days"])
    return _list(request, TokenForm(), made, status=201)


@login_required
@require_POST
def token_revoke(request: HtmxRequest, token_id: int) -> HttpResponse:
    token = get_object_or_404(Token.objects.owned_by(request.user), pk=token_id)
    tokens.revoke(token)
    messages.success(request, _("“%(name)s” opens nothing any more.") % {"name": token.name})
    return redirect("vault:token_list")


def _list(
    request: HtmxRequest, form: TokenForm, made: str = "", *, status: int = 200
) -> HttpResponse:
    shown = {"form": form, "made": made, "tokens": Token.objects.owned_by(request.user)}
    return render(request, PAGE, shown, status=status)
