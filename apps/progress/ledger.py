"""Write the ledger. Rooms above call `record` and know nothing else of progress."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from apps.progress import standing as standings
from apps.progress.badges import BY_CODE, Badge
from apps.progress.kinds import Kind
from apps.progress.models import Event


def record(
    person: User, kind: str, at: datetime | None = None, *, key: str | None = None, **facts: Any
) -> list[Badge]:
    """Note that a person did something; returns the badges this earns.

    A key that was noted before notes nothing. `at` must know its time zone; without it the act is
    now. Raises ValueError for a kind the ledger does not know.
    """
    kind = Kind(kind)
    with transaction.atomic():
        standing = standings.locked(person)
        event = Event(
            person=person,
            kind=kind,
            at=at or timezone.now(),
            zone=standing.zone,
            key=key,
            facts=facts,
        )
        if key is not None and Event.objects.filter(person=person, key=key).exists():
            return []
        event.save(force_insert=True)
        return [BY_CODE[code] for code in standings.take(standing, event)]


def merge(person: User, events: Sequence[Event]) -> int:
    """Add events of an earlier export that are not there yet; returns how many were new.

    Events with the same key, or without keys the same kind at the same instant, are the same.
    """
    with transaction.atomic():
        standings.locked(person)
        known_keys = set(Event.objects.owned_by(person).values_list("key", flat=True))
        known_acts = set(Event.objects.owned_by(person).values_list("kind", "at"))
        new = [
            event
            for event in events
            if (
                event.key not in known_keys
                if event.key
                else (event.kind, event.at) not in known_acts
            )
        ]
        for event in new:
            event.person = person
        Event.objects.bulk_create(new, ignore_conflicts=True, batch_size=1000)
        standings.rebuild(person)
        return len(new)
