"""Write the ledger. Rooms above call `record` and know nothing else of progress."""

import contextlib
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from apps.progress import standing as standings
from apps.progress.badges import BY_CODE, Badge
from apps.progress.kinds import Kind
from apps.progress.models import Event

_thread = threading.local()


@dataclass(slots=True)
class Heard:
    """What was recorded while somebody listened."""

    acts: int = 0
    badges: list[Badge] = field(default_factory=list)


@contextlib.contextmanager
def listening() -> Iterator[Heard]:
    """Hear what this thread records while the block runs, to tell the person at once."""
    before, _thread.heard = getattr(_thread, "heard", None), Heard()
    try:
        yield _thread.heard
    finally:
        _thread.heard = before


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
        earned = [BY_CODE[code] for code in standings.take(standing, event)]
    if heard := getattr(_thread, "heard", None):
        heard.acts += 1
        heard.badges += earned
    return earned


def correct(person: User, key: str, **facts: Any) -> None:
    """Change facts of an act that was noted by a slip; that it was done, and when, stays."""
    with transaction.atomic():
        event = Event.objects.select_for_update().filter(person=person, key=key).first()
        if event:
            event.facts |= facts
            event.save(update_fields=["facts"])


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
