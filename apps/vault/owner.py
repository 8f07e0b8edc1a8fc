"""Who owns the vault: the first person, made by whoever comes first, and whom they make owners."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.http import Http404, HttpResponse
from django.utils.translation import gettext as _

from apps.web.htmx import HtmxRequest

Parameters = ParamSpec("Parameters")

# Two who set up the vault, or who change who owns it, wait here for each other.
LOCK = "SELECT pg_advisory_xact_lock(hashtext('vault:owner'))"


class AlreadyOwned(Exception):
    """Somebody owns this vault: the first visit is over for ever."""


def is_owned() -> bool:
    return User.objects.exists()


def create(name: str, password: str) -> User:
    """Make the owner of an empty vault, who may do everything. Raises AlreadyOwned."""
    with transaction.atomic():
        hold()
        if is_owned():
            raise AlreadyOwned(_("This vault has an owner already. Sign in instead."))
        return User.objects.create_superuser(name, password=password)


def hold() -> None:
    """Wait until nobody else changes who owns the vault; until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute(LOCK)


def only(
    view: Callable[Concatenate[HtmxRequest, Parameters], HttpResponse],
) -> Callable[Concatenate[HtmxRequest, Parameters], HttpResponse]:
    """A door for owners: visitors sign in first, for members there is nothing behind it."""

    @login_required
    @wraps(view)
    def guarded(
        request: HtmxRequest, /, *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> HttpResponse:
        if not request.user.is_superuser:
            raise Http404
        return view(request, *args, **kwargs)

    return guarded
