"""What the library puts into the rail of every page."""

from typing import Any

from django.conf import settings
from django.db.models import Count, Q
from django.utils.functional import SimpleLazyObject

from apps.library import workspaces
from apps.library.models import Category, Document
from apps.web.htmx import HtmxRequest

SEEN = "_categories"  # the request's: rail and page ask once


def context(request: HtmxRequest) -> dict[str, Any]:
    """A person's workspaces, the open one and its categories; asked for where a page shows them."""
    person = getattr(request, "user", None)  # none where an early middleware failed
    if person is None or not person.is_authenticated:
        return {}
    return {
        "shell_workspaces": SimpleLazyObject(lambda: workspaces.all_of(request)),
        "shell_workspace": SimpleLazyObject(lambda: workspaces.current(request)),
        "shell_categories": SimpleLazyObject(lambda: categories(request)),
        "upload_limit": settings.UPLOAD_LIMIT_MB,
    }


def categories(request: HtmxRequest) -> list[Category]:
    """The open workspace's categories by name, each with its `document_count`."""
    seen = vars(request)
    if SEEN not in seen:
        kept = ~Q(documents__state=Document.State.DELETING)
        found = workspaces.current(request).categories.annotate(
            document_count=Count("documents", filter=kept)
        )
        seen[SEEN] = list(found.order_by("name", "pk"))
    counted: list[Category] = seen[SEEN]
    return counted
