"""The people of the vault, for its owners; and the link by which somebody new comes in."""

from typing import Any

from django.contrib import auth, messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop as noop
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from apps.vault import owner
from apps.vault import people as held
from apps.vault.forms import FirstPasswordForm, PersonForm
from apps.web import browsers, throttle
from apps.web.htmx import HtmxRequest
from apps.web.views import Trouble, trouble

LINKED = "linked"  # the session's key: whose link the next page shows
USED_UP = Trouble(
    noop("This link opens nothing"),
    noop(
        "It was used, or is too old, or is not complete. Ask an owner of this vault for a new one."
    ),
    act=noop("Sign in"),
    address="/login/",
)


@never_cache
@owner.only
@require_http_methods(["GET", "POST"])
def people(request: HtmxRequest) -> HttpResponse:
    """Who there is; posting adds somebody, and shows the link to hand them."""
    form = PersonForm(request.POST or None)
    if not form.is_valid():
        return render(
            request, "vault/people.html", _page(request, form), status=422 if form.errors else 200
        )
    role = form.cleaned_data["role"]
    person = held.add(form.cleaned_data["username"], is_owner=role == "owner")
    return _show_link(request, person)


@owner.only
@require_POST
def person_link(request: HtmxRequest, person_id: int) -> HttpResponse:
    """A new link, for somebody who lost the first one or forgot the password."""
    return _show_link(request, _person(person_id))


@owner.only
@require_POST
def person_role(request: HtmxRequest, person_id: int) -> HttpResponse:
    person, is_owner = _person(person_id), request.POST.get("role") == "owner"
    try:
        held.set_owner(person, is_owner)
    except held.NotDone as reason:
        messages.error(request, str(reason))
    else:
        messages.success(
            request,
            (_("%(person)s is an owner now.") if is_owner else _("%(person)s is a member now."))
            % {"person": person},
        )
    return redirect("vault:people" if request.user != person or is_owner else "vault:account")


@owner.only
@require_POST
def person_active(request: HtmxRequest, person_id: int) -> HttpResponse:
    person, is_active = _person(person_id), request.POST.get("active") == "yes"
    try:
        held.set_active(person, is_active)
    except held.NotDone as reason:
        messages.error(request, str(reason))
    else:
        words = (
            _("%(person)s may sign in again.")
            if is_active
            else _("%(person)s is signed out and may not sign in.")
        )
        messages.success(request, words % {"person": person})
    return redirect("vault:people")


@owner.only
@require_http_methods(["GET", "POST"])
def person_delete(request: HtmxRequest, person_id: int) -> HttpResponse:
    person = _person(person_id)
    if request.method == "GET":
        shown = {"doomed": person, "held": held.belongings(person)}
        return render(request, "vault/person_delete.html", shown)
    try:
        held.delete(person)
    except held.NotDone as reason:
        messages.error(request, str(reason))
    else:
        messages.success(
            request, _("%(person)s and all that was theirs is deleted.") % {"person": person}
        )
    return redirect("vault:people")


@owner.only
@require_POST
def unlock(request: HtmxRequest) -> HttpResponse:
    """Let a name, or an address, try passwords again at once."""
    name, address = request.POST.get("name"), request.POST.get("address")
    if name or address:
        throttle.unlock(name=name, address=address)
        messages.success(
            request, _("%(address)s may try again at once.") % {"address": name or address}
        )
    return redirect("vault:people")


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
def welcome(request: HttpRequest, number: str, token: str) -> HttpResponse:
    """Let somebody with a link choose a password, and in."""
    person = held.of_link(number, token)
    if person is None:
        return trouble(request, 404, USED_UP)
    form = FirstPasswordForm(person, request.POST or None)
    if form.is_valid():
        form.save()
        held.has_chosen(person)
        browsers.make_room(person)
        auth.login(request, person, backend="django.contrib.auth.backends.ModelBackend")
        return redirect("vault:home")
    page = {"form": form, "person": person}
    return render(request, "vault/welcome.html", page, status=422 if form.errors else 200)


def _person(person_id: int) -> User:
    return get_object_or_404(User, pk=person_id)


def _show_link(request: HtmxRequest, person: User) -> HttpResponse:
    request.session[LINKED] = person.pk
    return redirect("vault:people")


def _page(request: HtmxRequest, form: PersonForm) -> dict[str, Any]:
    everybody = list(held.everybody())
    for person in everybody:
        vars(person)["wait"] = throttle.wait_of(person.get_username())
    page = {"form": form, "people": everybody, "addresses": throttle.waiting_addresses()}
    linked = request.session.pop(LINKED, None)
    if new := next((person for person in everybody if person.pk == linked), None):
        where = reverse("vault:welcome", args=held.link_parts(new))
        page |= {"linked": new, "link": request.build_absolute_uri(where), "days": held.LINK_DAYS}
    return page
