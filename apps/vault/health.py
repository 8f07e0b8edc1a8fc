"""What works, what does not, and what to do about it."""

import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection

from apps.library import health as ocr
from apps.llm import health as models
from apps.vault import backups
from apps.web.health import Part, State

NEEDED = {"database", "storage"}  # without these no page can be answered
LITTLE = 2 * 2**30  # bytes of free space below which people are warned
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


def worker() -> Part:
    with connection.cursor() as cursor:
        cursor.execute(WORKERS, {"silence": SILENCE})
        alive, waiting = cursor.fetchone()
    if alive:
        return Part("worker", "ok", f"django-q {version('django-q2')}", f"{waiting} tasks waiting")
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


def speech() -> Part:
    try:
        return Part("speech", "ok", f"faster-whisper {version('faster-whisper')}")
    except PackageNotFoundError:
        return Part("speech", "absent", detail="Recordings are not read yet; a later version will.")


CHECKS: dict[str, Callable[[], Part]] = {
    "database": database,
    "worker": worker,
    "models": models.check,
    "ocr": ocr.check,
    "speech": speech,
    "storage": storage,
    "backups": backups.check,
}


def _checked(name: str, check: Callable[[], Part]) -> Part:
    """What the check says; a check that breaks says so itself."""
    try:
        return check()
    except Exception as problem:  # whatever is broken, the other parts are still told
        detail = str(problem).strip().splitlines() or [type(problem).__name__]
        return Part(name, "down", detail=detail[0], fix="See the logs of the vault.")
