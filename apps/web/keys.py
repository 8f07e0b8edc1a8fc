"""Shortcuts of a single key, which may be off: for who dictates, or hits keys by chance."""

from django.contrib.auth.models import User

from apps.web import rail
from apps.web.htmx import HtmxRequest
from apps.web.models import Keys


def kept(request: HtmxRequest) -> rail.Asked:
    """What the person chose, if they did; for the question that all rooms share."""
    return Keys.objects.owned_by(request.user).values("single")


def are_on(request: HtmxRequest) -> bool:
    """Whether single keys do something for this reader: unless they said no."""
    return all(row["single"] for row in rail.rows(request, "keys"))


def choose(person: User, single: bool) -> None:
    """Remember a choice, for every browser of the person."""
    Keys.objects.update_or_create(person=person, defaults={"single": single})
