"""Write the ledger. Rooms above call `record` and know nothing else of progress."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from apps.progress.models import Event


def record(
    person: User,
    kind: str,
    at: datetime | None = None,
    *,
    key: str | None = None,
    **facts: Any,
) -> None:
    """Note that a person did something; a key seen before notes nothing."""
    event = Event(person=person, kind=kind, at=at or timezone.now(), key=key, facts=facts)
    Event.objects.bulk_create([event], ignore_conflicts=True)
