"""What the library puts into the rail of every page."""

from typing import Any

from django.conf import settings
from django.db.models import Count, Q, QuerySet
from django.utils.functional import SimpleLazyObject

from apps.library import workspaces
from apps.library.models import Category, Document
from apps.web import rail
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
        "shell_categories": SimpleLazyObject(lambda: in_rail(request)),
        "upload_limit": settings.UPLOAD_LIMIT_MB,
    }


def categories(request: HtmxRequest) -> list[Category]:
    """The open workspace's categories by name, each with its `document_count`."""
    seen = vars(request)
    if SEEN not in seen:
        seen[SEEN] = list(_counted(request))
    counted: list[Category] = seen[SEEN]
    return counted


def counted(request: HtmxRequest) -> rail.Asked:
    """The same as rows; for the question that all rooms share."""
    return _counted(request).values("id", "name", "document_count")


def _counted(request: HtmxRequest) -> QuerySet[Any]:
    kept = ~Q(documents__state=Document.State.DELETING)
    found = workspaces.current(request).categories
    return found.annotate(document_count=Count("documents", filter=kept)).order_by("name", "pk")


def in_rail(request: HtmxRequest) -> list[Category]:
    """What the page has asked for already, or what comes with the rest of the rail."""
    seen = vars(request)
    if SEEN not in seen:
        seen[SEEN] = [_category(**row) for row in rail.rows(request, "categories")]
    return categories(request)


def _category(document_count: int, **columns: Any) -> Category:
    category = Category(**columns)
    vars(category)["document_count"] = document_count  # as `annotate` does
    return category
