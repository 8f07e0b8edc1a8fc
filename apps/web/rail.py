"""What the rooms show in the rail of every page, fetched with one question to the database."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import QuerySet

from apps.web.htmx import HtmxRequest

Rows = list[dict[str, Any]]
Asked = QuerySet[Any, Any]  # with `.values(…)`: mypy knows its rows by name, and no two alike
Part = Callable[[HtmxRequest], Asked]

SEEN = "_rail"  # the request's
PARTS: dict[str, Part] = {}  # each room's, by name, from its `apps.py`


def rows(request: HtmxRequest, part: str) -> Rows:
    """The rows of one room's part; those of all rooms come together, once a request."""
    seen = vars(request)
    if SEEN not in seen:
        seen[SEEN] = together({name: of(request) for name, of in PARTS.items()})
    fetched: dict[str, Rows] = seen[SEEN]
    return fetched[part]


def together(querysets: Mapping[str, Asked]) -> dict[str, Rows]:
    """The rows of several `.values(…)`, in their order, in one round trip.

    Values are as JSON carries them: numbers, words, true and false, lists; a time is its words.
    """
    found: dict[str, Rows] = {name: [] for name in querysets}
    names: list[str] = []
    asked: list[str] = []
    given: list[Any] = []
    for name, queryset in querysets.items():
        try:
            sql, values = queryset.query.sql_with_params()
        except EmptyResultSet:
            continue
        names.append(name)
        asked.append(f"(SELECT coalesce(json_agg(part), '[]')::text FROM ({sql}) part)")
        given += values
    if names:
        with connection.cursor() as cursor:
            cursor.execute("SELECT " + ", ".join(asked), given)
            answered = cursor.fetchone() or ()
        found |= {name: json.loads(rows) for name, rows in zip(names, answered, strict=True)}
    return found
