"""A person's ledger as a file, and an earlier file back into the ledger."""

import csv
import io
import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.utils import formats
from django.utils.translation import gettext as _

from apps.progress import ledger
from apps.progress.days import is_zone
from apps.progress.kinds import Kind
from apps.progress.models import Event

FORMAT = "vaultsite-progress"
COLUMNS = ("at", "zone", "kind", "key", "facts")
MOST_EVENTS = 1_000_000


class UnreadableExport(ValueError):
    """The file is no export of progress; the message says what is wrong and where."""


def as_json(person: User) -> Iterator[str]:
    """The ledger as one JSON document, in pieces."""
    yield f'{{"format": "{FORMAT}", "version": 1, "events": [\n'
    for n, row in enumerate(_rows(person)):
        yield (",\n" if n else "") + json.dumps(row, ensure_ascii=False)
    yield "\n]}\n"


def as_csv(person: User) -> Iterator[str]:
    """The ledger as CSV with a header row, in pieces; facts are JSON in the last column."""
    line = io.StringIO()
    writer = csv.writer(line)
    writer.writerow(COLUMNS)
    for row in _rows(person):
        facts = json.dumps(row["facts"], ensure_ascii=False)
        writer.writerow([row["at"], row["zone"], row["kind"], row["key"] or "", facts])
        yield line.getvalue()
        line.seek(0)
        line.truncate()
    yield line.getvalue()


def read_back(person: User, content: bytes) -> int:
    """Merge an export, JSON or CSV, into the ledger; returns how many acts were new.

    Raises UnreadableExport.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableExport(_("This file is not text. Choose an export of progress.")) from None
    rows = _json_rows(text) if text.lstrip().startswith("{") else _csv_rows(text)
    if len(rows) > MOST_EVENTS:
        raise UnreadableExport(
            _("This file has more than %(most_events)s entries.")
            % {"most_events": formats.number_format(MOST_EVENTS, force_grouping=True)}
        )
    return ledger.merge(person, [_event(n, row) for n, row in enumerate(rows, 1)])


def _rows(person: User) -> Iterator[dict[str, Any]]:
    events = Event.objects.owned_by(person).order_by("at", "pk")
    for event in events.iterator(chunk_size=2000):
        yield {
            "at": event.at.isoformat(),
            "zone": event.zone,
            "kind": event.kind,
            "key": event.key,
            "facts": event.facts,
        }


def _json_rows(text: str) -> list[Any]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise UnreadableExport(
            _("This JSON cannot be read: %(fault)s.") % {"fault": fault}
        ) from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise UnreadableExport(_("This JSON is not an export of progress."))
    events = document.get("events")
    if not isinstance(events, list):
        raise UnreadableExport(_("This export has no list of events."))
    return events


def _csv_rows(text: str) -> list[Any]:
    reader = csv.DictReader(io.StringIO(text))
    if tuple(reader.fieldnames or ()) != COLUMNS:
        raise UnreadableExport(_("This CSV is not an export of progress: its first row differs."))
    try:
        return [{**row, "facts": json.loads(row["facts"])} for row in reader]
    except (ValueError, TypeError, csv.Error, RecursionError):
        raise UnreadableExport(
            _("Line %(line_num)s of this CSV cannot be read.") % {"line_num": reader.line_num}
        ) from None


def _event(number: int, row: Any) -> Event:
    try:
        at = datetime.fromisoformat(row["at"])
        zone, kind, facts = row["zone"], Kind(row["kind"]), row["facts"]
        key = row["key"] or None
        fits = isinstance(facts, dict) and at.tzinfo and is_zone(zone)
        if not fits or (key is not None and not isinstance(key, str)) or len(key or "") > 120:
            raise ValueError
    except (KeyError, TypeError, ValueError, OverflowError):
        raise UnreadableExport(
            _("Entry %(number)s is not one of the ledger's: it needs %(columns)s.")
            % {"number": number, "columns": ", ".join(COLUMNS)}
        ) from None
    return Event(at=at, zone=zone, kind=kind, key=key, facts=facts)
