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
from django.utils import formats, timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop as noop
from django.utils.translation import ngettext

from apps.library import health as ocr
from apps.llm import health as models
from apps.llm import speech, speech_weights
from apps.outbound import guard, ledger
from apps.vault import backups
from apps.web.database import is_busy
from apps.web.health import Part, State
from apps.web.sharing import Shared
from apps.web.telling import restored, stored
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


# Watchdogs ask again before a slow part has answered: those who wait hold no connection meanwhile.
parts_together = Shared(parts)


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
        if is_busy(problem):
            detail = _("It answers, but all connections of the vault to it are in use.")
            return Part("database", "degraded", detail=detail, fix=_("Try again in a moment."))
        return Part(
            "database",
            "down",
            detail=str(problem).strip().splitlines()[0],
            fix=_("Run ./start.sh; with DATABASE_URL, see that this server runs."),
        )
    if not vector:
        return Part(
            "database",
            "down",
            f"PostgreSQL {server}",
            _("The extension pgvector is missing."),
            _("Install pgvector on this server, then run: CREATE EXTENSION vector"),
        )
    where = _("of DATABASE_URL") if os.environ.get("DATABASE_URL") else _("embedded")
    return Part(
        "database",
        "ok",
        f"PostgreSQL {server}, pgvector {vector}",
        f"{where}, {size / 2**20:.0f} MB",
    )


def _waiting(tasks: int) -> str:
    return ngettext("%(n)s task waits", "%(n)s tasks wait", tasks) % {"n": tasks}


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
        _("No worker takes tasks; %(waiting)s are waiting.") % {"waiting": waiting},
        _("Start the vault with ./start.sh, or a worker alone: python -m vaultsite.runtime.worker"),
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
            detail=_("%(folder)s cannot be written to: %(strerror)s")
            % {"folder": folder, "strerror": problem.strerror},
            fix=_("Make room on this disk or make it writable, or set VAULT_DATA to another."),
        )
    room = _("%(size)s GB free in %(folder)s") % {
        "size": formats.number_format(free / 2**30, 1),
        "folder": folder,
    }
    if free < LITTLE:
        return Part("storage", "degraded", detail=room, fix=_("Make room on this disk."))
    return Part("storage", "ok", detail=room)


def hearing() -> Part:
    state, name = speech.state(), speech_weights.NAME
    if state == "ready":
        return Part("speech", "ok", name, _("writes down what is said in recordings"))
    return Part("speech", "absent", name, speech.missing())


def program() -> Part:
    told = f"Vaultsite {VERSION}, Django {version('django')}, Python {platform.python_version()}"
    if settings.DEBUG:
        return Part(
            "program",
            "degraded",
            told,
            _("Error pages show details of the program."),
            _("Set VAULT_DEBUG=false where others than developers come."),
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
            detail=_("This machine and its database are %(apart)s seconds apart.")
            % {"apart": f"{apart:.0f}"},
            fix=_("Set both clocks, by NTP for instance: days, streaks and waits follow them."),
        )
    ahead = (newest - settings.SESSION_COOKIE_AGE * SECOND - here) if newest else 0 * SECOND
    if ahead > HOUR:
        return Part(
            "clock",
            "degraded",
            detail=_(
                "Somebody was here at a time that is %(hours)s hours from now: the "
                "clock was set back, or was wrong before."
            )
            % {"hours": ahead.days * 24 + ahead.seconds // 3600},
            fix=_("See that the clock of this machine is right."),
        )
    return Part("clock", "ok", detail=f"{here:%Y-%m-%d %H:%M} UTC")


def outbound() -> Part:
    since, file = guard.armed_since(), guard.ledger_file()
    if since is None:
        return Part(
            "outbound",
            "degraded",
            detail=_("The guard over connections to other machines is not armed here."),
            fix=_("Start the vault with ./start.sh or python -m vaultsite.serve."),
        )
    place = next(path for path in (file, *file.parents) if path.exists())
    if not os.access(place, os.W_OK):
        return Part(
            "outbound",
            "degraded",
            detail=_("%(file)s cannot be written to: attempts are refused, but not noted.")
            % {"file": file},
            fix=_("Make the folder writable."),
        )
    counts = ledger.since_start()
    return Part(
        "outbound",
        "ok",
        detail=_("%(left)s let through, %(refused)s refused")
        % {"left": counts.left, "refused": counts.refused},
    )


STATES = (noop("ok"), noop("degraded"), noop("down"), noop("absent"), noop("failed"))
CHECKS: dict[str, Callable[[], Part]] = {
    noop("database"): database,
    noop("worker"): worker,
    noop("models"): models.check,
    noop("ocr"): ocr.check,
    noop("speech"): hearing,
    noop("storage"): storage,
    noop("backups"): backups.check,
    noop("outbound"): outbound,
    noop("clock"): clock,
    noop("program"): program,
}


def _checked(name: str, check: Callable[[], Part]) -> Part:
    """What the check says; a check that breaks says so itself."""
    try:
        return check()
    except Exception as problem:  # whatever is broken, the other parts are still told
        said = restored(stored(str(problem)))
        detail = said.strip().splitlines() or [type(problem).__name__]
        return Part(name, "down", detail=detail[0], fix=_("See the logs of the vault."))
