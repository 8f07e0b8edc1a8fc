"""Take what the processes have noted into the database, and count it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Count

from apps.outbound import guard, noting
from apps.outbound.models import LEFT, REFUSED, Attempt, AttemptQuerySet, Watch

KEPT = 10_000  # attempts that can be looked at; older ones are only counted
MOST = 20_000  # lines read at a time


@dataclass(frozen=True, slots=True)
class Counts:
    """Connections that went out and attempts that were refused, since a moment."""

    left: int
    refused: int
    since: datetime


def take_in(file: Path | None = None) -> int:
    """Read what was noted since the last time; returns how many attempts that were.

    Each line is taken in once, however many processes read at the same time.
    """
    file = file or guard.ledger_file()
    known = Watch.objects.filter(pk=1).first() or Watch.objects.get_or_create(pk=1)[0]
    if not _since(known, file)[1]:
        return 0  # nothing new, so nobody is to be waited for
    with transaction.atomic():
        watch = Watch.objects.select_for_update().get(pk=1)
        found, offsets = _since(watch, file)
        if not offsets:
            return 0
        Attempt.objects.bulk_create(found, batch_size=1000)
        watch.offsets = offsets
        watch.left += sum(attempt.counts_as_left for attempt in found)
        watch.refused += sum(not attempt.allowed for attempt in found)
        watch.save()
        _forget_oldest()
    return len(found)


def began() -> datetime:
    """When this process began to be watched."""
    return datetime.fromtimestamp(guard.armed_since() or 0, UTC)


def left_since_start() -> AttemptQuerySet:
    """What went out since this process began to be watched."""
    return Attempt.objects.left().filter(at__gte=began())


def since_start() -> Counts:
    """Since this process began to be watched."""
    later = Attempt.objects.filter(at__gte=began())
    told = later.aggregate(left=Count("pk", filter=LEFT), refused=Count("pk", filter=REFUSED))
    return Counts(told["left"], told["refused"], began())


def since_ever() -> Counts:
    """Since the vault was made."""
    watch, _ = Watch.objects.get_or_create(pk=1)
    return Counts(watch.left, watch.refused, watch.since)


def _since(watch: Watch, file: Path) -> tuple[list[Attempt], dict[str, int]]:
    """The attempts noted since, and how far the files have been read then; {} where no further."""
    offsets: dict[str, int] = {}
    found: list[Attempt] = []
    for each in (noting.old_file(file), file):
        found += _fresh(each, watch.offsets, offsets)
    return found, {} if offsets == watch.offsets else offsets


def _fresh(file: Path, known: dict[str, int], offsets: dict[str, int]) -> Iterator[Attempt]:
    """The attempts behind what is known of a file; how far that is goes into `offsets`."""
    try:
        with file.open("rb") as lines:
            name = _object(lines.readline()).get("ledger")
            if not isinstance(name, str):
                return
            lines.seek(max(known.get(name, 0), lines.tell()))
            offsets[name] = lines.tell()
            for _ in range(MOST):
                line = lines.readline()
                if not line.endswith(b"\n"):  # nothing more, or half a line that grows
                    return
                offsets[name] += len(line)
                if attempt := _attempt(_object(line)):
                    yield attempt
    except OSError:
        return


def _object(line: bytes) -> dict[str, Any]:
    try:
        said = json.loads(line)
    except ValueError:  # two halves of lines, of a disk that was full
        return {}
    return said if isinstance(said, dict) else {}


def _attempt(said: dict[str, Any]) -> Attempt | None:
    """The row of a line; None where it is none of ours."""
    try:
        return Attempt(
            at=datetime.fromtimestamp(said["at"], UTC),
            process=_words(said["process"], 40),
            pid=int(said["pid"]) & 0x7FFFFFFF,
            how=_words(said["how"], 20),
            host=_words(said["host"], 255),
            port=int(said["port"]) & 0xFFFF,
            purpose=_words(said["purpose"], 120, "utf-8"),  # in a person's own words
            allowed=said["allowed"] is True,
            size=None if said.get("size") is None else int(said["size"]) & 0x7FFFFFFFFFFF,
        )
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        return None


def _words(text: str, longest: int, letters: str = "ascii") -> str:
    """As PostgreSQL can keep it: without NUL and half characters.

    Other letters than these are spelled out: a host shall not look like another one.
    """
    return text.encode(letters, "backslashreplace").decode().replace("\0", "")[:longest]


def _forget_oldest() -> None:
    oldest = Attempt.objects.values_list("pk", flat=True)[KEPT : KEPT + 1]
    if first := next(iter(oldest), None):
        Attempt.objects.filter(pk__lte=first).delete()
