"""The workspaces of a person: which one is open, and how the first comes to be."""

from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy

from apps.library.models import Workspace
from apps.web.htmx import HtmxRequest

FIRST = gettext_lazy("Home")
OPEN = "workspace"  # the session's key
SEEN = "_workspaces"  # the request's


def all_of(request: HtmxRequest) -> list[Workspace]:
    """This person's workspaces by name, at least one; asked for once a request."""
    seen = vars(request)
    if SEEN not in seen:
        mine = Workspace.objects.owned_by(request.user)
        seen[SEEN] = list(mine) or [first_of(request.user)]
    found: list[Workspace] = seen[SEEN]
    return found


def current(request: HtmxRequest) -> Workspace:
    """The workspace this person has open: the one they chose, else their first."""
    mine, chosen = all_of(request), request.session.get(OPEN)
    oldest = min(mine, key=lambda workspace: workspace.pk)
    return next((workspace for workspace in mine if workspace.pk == chosen), oldest)


def switch(request: HtmxRequest, workspace: Workspace) -> None:
    """Open a workspace, for this session."""
    request.session[OPEN] = workspace.pk
    vars(request).pop(SEEN, None)


def first_of(person: User) -> Workspace:
    """A person's oldest workspace, made where there is none."""
    oldest = Workspace.objects.owned_by(person).order_by("pk").first()
    return oldest or Workspace.objects.get_or_create(owner=person, name=str(FIRST))[0]


def of_person(person: User, name: str | None) -> Workspace:
    """The workspace of that name, or the first one without a name; raises LookupError."""
    if name is None:
        return first_of(person)
    found = Workspace.objects.owned_by(person).filter(name__iexact=name).first()
    if found is None:
        known = ", ".join(Workspace.objects.owned_by(person).values_list("name", flat=True))
        raise LookupError(
            f"{person} has no workspace named “{name}”. There are: {known or 'none yet'}."
        )
    return found
