"""What works, what does not, and what to do about it."""

import os
import platform
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from datetime import timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone

from apps.library import health as ocr
from apps.llm import health as models
from apps.llm import speech, speech_weights
from apps.outbound import guard, ledger
from apps.vault import backups
from apps.web.health import Part, State
from vaultsite import VERSION

NEEDED = {"database", "storage"}  # without these no page can be answered
LITTLE = 2 * 2**30  # bytes of free space below which people are warned
APART = 60  # seconds two clocks may differ
SECOND, HOUR = timedelta(seconds=1), timedelta(hours=1)
SILENCE = 30  # seconds without a query after which a worker counts as gone

SERVER = """
SELECT current_setting('server_version'), pg_database_size(current_database()),
       (SELECT extversion FROM pg_extension WHERE extname = 'vector')
"""
# A worker asks for tasks several times a second, so its connections say whether it lives.
WORKERS = """
SELECT count(DISTINCT pid), (SELECT count(*) FROM django_q_ormq)
FROM pg_stat_activity
WHERE application_name = 'vaultsite worker'
  AND state_change > clock_timestamp() - make_interval(secs => %(silence)s)
"""
# The newest session tells when somebody was here last; by an index, whatever the size of all else.
TIMES = "SELECT clock_timestamp(), (SELECT max(expire_date) FROM web_session)"


def parts() -> list[Part]:
    """Every part, in the order people ask about them; takes seconds at most, never raises."""
    return [_checked(name, check) for name, check in CHECKS.items()]


def status(found: list[Part]) -> State:
    """Of all parts together: `down` if a needed one is, `degraded` if another one is not well."""
    if any(part.state == "down" and part.name in NEEDED for part in found):
        return "down"
    return "degraded" if any(part.state in {"down", "degraded"} for part in found) else "ok"


def report(found: list[Part]) -> dict[str, Any]:
    """As `check_health --json` prints it."""
    return {"status": status(found), "parts": [asdict(part) for part in found]}


def database() -> Part:
    try:
        with connection.cursor() as cursor:
            cursor.execute(SERVER)
            server, size, vector = cursor.fetchone()
    except DatabaseError as problem:
        return Part(
            "database",
            "down",
            detail=str(problem).strip().splitlines()[0],
            fix="Run ./start.sh; with DATABASE_URL, see that this server runs.",
        )
    if not vector:
        return Part(
            "database",
            "down",
            f"PostgreSQL {server}",
            "The extension pgvector is missing.",
            "Install pgvector on this server, then run: CREATE EXTENSION vector",
        )
    where = "of DATABASE_URL" if os.environ.get("DATABASE_URL") else "embedded"
    return Part(
        "database",
        "ok",
        f"PostgreSQL {server}, pgvector {vector}",
        f"{where}, {size / 2**20:.0f} MB",
    )


def _waiting(tasks: int) -> str:
    return "1 task waits" if tasks == 1 else f"{tasks} tasks wait"


def worker() -> Part:
    with connection.cursor() as cursor:
        cursor.execute(WORKERS, {"silence": SILENCE})
        alive, waiting = cursor.fetchone()
    if alive:
        return Part("worker", "ok", f"django-q {version('django-q2')}", _waiting(waiting))
    return Part(
        "worker",
        "down",
        f"django-q {version('django-q2')}",
        f"No worker takes tasks; {waiting} are waiting.",
        "Start the vault with ./start.sh, or a worker alone: python -m vaultsite.runtime.worker",
    )


def storage() -> Part:
    folder = Path(settings.DATA_DIR)
    try:
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"x" * 4096)
            probe.flush()
        free = shutil.disk_usage(folder).free
    except OSError as problem:
        return Part(
            "storage",
            "down",
            detail=f"{folder} cannot be written to: {problem.strerror}",
            fix="Make room on this disk or make it writable, or set VAULT_DATA to another.",
        )
    room = f"{free / 2**30:.1f} GB free in {folder}"
    if free < LITTLE:
        return Part("storage", "degraded", detail=room, fix="Make room on this disk.")
    return Part("storage", "ok", detail=room)


def hearing() -> Part:
    state, name = speech.state(), speech_weights.NAME
    if state == "ready":
        return Part("speech", "ok", name, "Recordings are heard.")
    return Part("speech", "absent", name, speech.missing())


def program() -> Part:
    told = f"Vaultsite {VERSION}, Django {version('django')}, Python {platform.python_version()}"
    if settings.DEBUG:
        return Part(
            "program",
            "degraded",
            told,
            "Error pages show details of the program.",
            "Set VAULT_DEBUG=false where others than developers come.",
        )
    return Part("program", "ok", told)


def clock() -> Part:
    """Two clocks that agree, and a time that has not gone back behind what is known."""
    with connection.cursor() as cursor:
        cursor.execute(TIMES)
        theirs, newest = cursor.fetchone()
    here = timezone.now()
    apart = abs((theirs - here).total_seconds())
    if apart > APART:
        return Part(
            "clock",
            "degraded",
            detail=f"This machine and its database are {apart:.0f} seconds apart.",
            fix="Set both clocks, by NTP for instance: days, streaks and waits follow them.",
        )
    ahead = (newest - settings.SESSION_COOKIE_AGE * SECOND - here) if newest else 0 * SECOND
    if ahead > HOUR:
        return Part(
            "clock",
            "degraded",
            detail=f"Somebody was here at a time that is {ahead.days * 24 + ahead.seconds // 3600}"
            " hours from now: the clock was set back, or was wrong before.",
            fix="See that the clock of this machine is right.",
        )
    return Part("clock", "ok", detail=f"{here:%Y-%m-%d %H:%M} UTC")


def outbound() -> Part:
    since, file = guard.armed_since(), guard.ledger_file()
    if since is None:
        return Part(
            "outbound",
            "degraded",
            detail="The guard over connections to other machines is not armed here.",
            fix="Start the vault with ./start.sh or python -m vaultsite.serve.",
        )
    place = next(path for path in (file, *file.parents) if path.exists())
    if not os.access(place, os.W_OK):
        return Part(
            "outbound",
            "degraded",
            detail=f"{file} cannot be written to: attempts are refused, but not noted.",
            fix="Make the folder writable.",
        )
    counts = ledger.since_start()
    return Part("outbound", "ok", detail=f"{counts.left} let through, {counts.refused} refused")


CHECKS: dict[str, Callable[[], Part]] = {
    "database": database,
    "worker": worker,
    "models": models.check,
    "ocr": ocr.check,
    "speech": hearing,
    "storage": storage,
    "backups": backups.check,
    "outbound": outbound,
    "clock": clock,
    "program": program,
}


def _checked(name: str, check: Callable[[], Part]) -> Part:
    """What the check says; a check that breaks says so itself."""
    try:
        return check()
    except Exception as problem:  # whatever is broken, the other parts are still told
        detail = str(problem).strip().splitlines() or [type(problem).__name__]
        return Part(name, "down", detail=detail[0], fix="See the logs of the vault.")
