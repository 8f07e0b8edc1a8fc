"""Searches a person wants to have again: kept under a name, with their filters."""

from django.http import QueryDict

from apps.library.models import SavedSearch, Workspace
from apps.library.narrowing import SearchForm

MOST = 100  # of a workspace


class TooMany(Exception):
    """The workspace keeps as many searches as it may."""


def keep(workspace: Workspace, name: str, asked: str) -> SavedSearch:
    """Keep a question with its filters; one of that name becomes this one. Raises TooMany."""
    if workspace.searches.exclude(name=name).count() >= MOST:
        raise TooMany
    kept, _made = workspace.searches.update_or_create(name=name, defaults={"asked": asked})
    return kept


def form_of(workspace: Workspace, name: str) -> SearchForm:
    """The search kept under a name, its filters checked; raises LookupError in words."""
    found = workspace.searches.filter(name__iexact=name).first()
    if found is None:
        known = ", ".join(workspace.searches.values_list("name", flat=True))
        raise LookupError(
            f"{workspace} keeps no search called “{name}”. There are: {known or 'none yet'}."
        )
    form = SearchForm(workspace, QueryDict(found.asked))
    if not form.is_valid():
        wrong = " ".join(str(error) for errors in form.errors.values() for error in errors)
        raise LookupError(f"“{found}” cannot be asked any more. {wrong}")
    return form
