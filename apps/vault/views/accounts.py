"""Who is there: the first visit, signing in and out, a person's own page."""

from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import auth, messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.response import TemplateResponse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from apps.vault import owner
from apps.vault.forms import LoginForm, NameForm, OwnerForm, PasswordForm
from apps.web import browsers, language, throttle
from apps.web.htmx import HtmxRequest
from apps.web.middleware import PLACE, SECTIONS, place_of

ROOMS = {"chat": "chat:conversation_list", "library": "library:document_list"}


@login_required
@require_GET
def home(request: HtmxRequest) -> HttpResponse:
    """Go where the person was last; from there, to the section's start; at first to the library."""
    place = place_of(request)
    if place and urlsplit(request.headers.get("Referer", "")).path != place:
        return redirect(place)
    section = request.session.get("section", "")
    return redirect(
        ROOMS.get(section, f"{section}:home") if section in SECTIONS else ROOMS["library"]
    )


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
def setup(request: HttpRequest) -> HttpResponse:
    """Let the first visitor own the vault; afterwards this page does not exist."""
    if owner.is_owned():
        raise Http404
    form = OwnerForm(request.POST or None)
    if form.is_valid():
        try:
            person = owner.create(form.cleaned_data["username"], form.cleaned_data["password1"])
        except owner.AlreadyOwned as reason:
            messages.error(request, str(reason))
            return redirect(settings.LOGIN_URL)
        auth.login(request, person)
        return redirect("vault:home")
    return render(request, "vault/setup.html", {"form": form}, status=422 if form.errors else 200)


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
def login(request: HttpRequest) -> HttpResponse:
    """Let a person in; an empty vault has nobody to let in, so it asks for an owner first."""
    if not owner.is_owned():
        return redirect("vault:setup")
    back = request.POST.get("next", request.GET.get("next", ""))
    if not url_has_allowed_host_and_scheme(back, {request.get_host()}, request.is_secure()):
        back = settings.LOGIN_REDIRECT_URL
    if request.user.is_authenticated:
        return redirect(back)
    form = LoginForm(request, data=request.POST or None)
    page = {"form": form, "next": back}
    if form.is_bound:
        try:
            if _let_in(request, form):
                return redirect(back)
        except throttle.Wait as wait:
            headers = {"Retry-After": str(wait.seconds)}
            page = {"form": LoginForm(request, initial=request.POST), "next": back, "wait": wait}
            return TemplateResponse(request, "vault/login.html", page, status=429, headers=headers)
    return render(request, "vault/login.html", page, status=422 if form.errors else 200)


def _let_in(request: HttpRequest, form: LoginForm) -> bool:
    """Whether the password is right; then the person is signed in. Raises throttle.Wait."""
    name, address = request.POST.get("username", ""), request.META.get("REMOTE_ADDR", "")
    throttle.count(name, address)
    if not form.is_valid():
        return False
    throttle.succeeded(name, address)
    browsers.make_room(form.get_user())
    auth.login(request, form.get_user())
    language.greet(request, form.get_user())
    return True


@require_POST
def logout(request: HttpRequest) -> HttpResponse:
    auth.logout(request)
    messages.info(request, _("You are signed out."))
    response = redirect(settings.LOGIN_URL)
    response.delete_cookie(PLACE)
    return response


@login_required
@require_http_methods(["GET", "POST"])
def account(request: HtmxRequest) -> HttpResponse:
    """A person's own page; posting it changes the name."""
    # The form writes into its person even when it is wrong: not into the one the page shows.
    form = NameForm(request.POST or None, instance=User.objects.get(pk=request.user.pk))
    if form.is_valid():
        form.save()
        messages.success(request, _("Your name is changed."))
        return redirect("vault:account")
    return render(request, "vault/account.html", {"form": form}, status=422 if form.errors else 200)


@never_cache
@sensitive_post_parameters()
@login_required
@require_http_methods(["GET", "POST"])
def password(request: HtmxRequest) -> HttpResponse:
    """Change the password; other browsers are signed out by it, this one stays."""
    form = PasswordForm(request.user, request.POST or None)
    if form.is_valid():
        auth.update_session_auth_hash(request, form.save())
        browsers.end_all(request.user, but=request.session.session_key)
        messages.success(request, _("Your password is changed. Other browsers are signed out."))
        return redirect("vault:account")
    return render(
        request, "vault/password.html", {"form": form}, status=422 if form.errors else 200
    )
