"""The backups a vault keeps by itself: where they lie, when the next is due, and how the last went.

A backup may take longer than a task of the worker may, so it is made by a process of its own.
"""

import json
import os
import re
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psutil
import psycopg
from django.conf import settings
from django.utils import formats
from django_q.tasks import async_task

from apps.library import files
from apps.vault import backup, scratch
from apps.web.health import Part
from apps.web.telling import gettext as _
from apps.web.telling import restored, stored

NAME = re.compile(r"vaultsite-(\d{8}T\d{6})Z\.zip")
BACK_UP = "apps.vault.tasks.back_up"
UNHEARD = timedelta(minutes=2)  # an ask that no worker has heard by then
HASTE = timedelta(minutes=30)  # a backup that failed is tried again after that


@dataclass(frozen=True, slots=True)
class Kept:
    """A backup in the folder. Only what was tried out has its name."""

    path: Path
    at: datetime
    size: int

    @property
    def name(self) -> str:
        return self.path.name


@dataclass(frozen=True, slots=True)
class Last:
    """How the last one went: `running`, `done`, `failed`, `asked` for, or "" where there was none.

    `words` are for the reader.
    """

    state: str = ""
    at: datetime | None = None
    words: str = ""


def kept() -> list[Kept]:
    """Newest first."""
    found = []
    with suppress(OSError):
        for path in Path(settings.BACKUP_DIR).iterdir():
            if match := NAME.fullmatch(path.name):
                at = datetime.strptime(match[1], "%Y%m%dT%H%M%S").replace(tzinfo=UTC)
                found.append(Kept(path, at, path.stat().st_size))
    return sorted(found, key=lambda each: each.at, reverse=True)


def named(name: str) -> Kept:
    """One of them; raises LookupError for any other name."""
    for each in kept():
        if each.name == name:
            return each
    raise LookupError(f"There is no backup named {name}.")


def last() -> Last:
    with suppress(OSError, ValueError, KeyError, TypeError):
        said = json.loads(_state().read_text())
        found = Last(said["state"], datetime.fromisoformat(said["at"]), restored(said["words"]))
        if found.state == "running" and not psutil.pid_exists(said["pid"]):
            return Last("failed", found.at, _("It was interrupted; earlier ones are as they were."))
        if found.state == "asked" and found.at and datetime.now(UTC) - found.at > UNHEARD:
            return Last("failed", found.at, _("No worker took it on. The health page tells more."))
        return found
    return Last()


def is_due() -> bool:
    """Whether the last one is older than VAULT_BACKUP_EVERY, and none was just tried."""
    if not settings.BACKUP_EVERY:
        return False
    now, tried, newest = datetime.now(UTC), last(), kept()
    if tried.state == "running" or (tried.at and now - tried.at < HASTE):
        return False
    # Some minutes early rather than an hour late: the schedule looks once an hour.
    every = timedelta(hours=settings.BACKUP_EVERY) - timedelta(minutes=10)
    return not newest or now - newest[0].at > every


def ask() -> None:
    """Have the worker begin one now."""
    _note("asked", "")
    async_task(BACK_UP, q_options={"task_name": "back_up", "save": False})


def begin() -> int:
    """Start the process that makes one; returns its id."""
    return subprocess.Popen(
        [sys.executable, "manage.py", "backup"],
        cwd=settings.BASE_DIR,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    ).pid


def make() -> backup.Made:
    """Make one, and delete those that are too many. Raises what `backup.back_up` raises."""
    folder = Path(settings.BACKUP_DIR)
    _note("running", "")
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        made = backup.back_up(folder / f"vaultsite-{datetime.now(UTC):%Y%m%dT%H%M%S}Z.zip")
    except BaseException as reason:
        _note("failed", str(reason) or type(reason).__name__)
        raise
    for old in kept()[settings.BACKUP_KEEP :]:
        old.path.unlink(missing_ok=True)
    _note("done", made.words())
    return made


def tidy() -> None:
    """Remove what a killed backup or restore has left, in the database server and on the disk."""
    with suppress(scratch.Busy, psycopg.Error, OSError), scratch.alone():
        files.let_go_all()


def check() -> Part:
    """Of the health page: is there a backup, and is it young enough?"""
    newest, tried = kept(), last()
    told = _("none in %(folder)s") % {"folder": settings.BACKUP_DIR}
    if newest:
        size = newest[0].size / 2**20
        told = _("%(n)s in %(folder)s, the newest of %(at)s UTC (%(size)s MB), tried out") % {
            "n": len(newest),
            "folder": settings.BACKUP_DIR,
            "at": f"{newest[0].at:%Y-%m-%d %H:%M}",
            "size": formats.number_format(size, 1, force_grouping=True),
        }
    if not settings.BACKUP_EVERY:
        fix = _("Set VAULT_BACKUP_FOLDER to a folder on another disk: then one is made every day.")
        return Part("backups", "absent", detail=told, fix=fix)
    if tried.state == "failed":
        return Part(
            "backups",
            "degraded",
            detail=_("%(told)s. The last try failed.") % {"told": told},
            fix=tried.words,
        )
    late = timedelta(hours=2 * settings.BACKUP_EVERY + 1)
    if newest and datetime.now(UTC) - newest[0].at > late:
        fix = _("See that a worker runs, and that this folder can be written to.")
        return Part(
            "backups", "degraded", detail=_("%(told)s, which is too old") % {"told": told}, fix=fix
        )
    return Part(
        "backups",
        "ok",
        detail=_("%(told)s; one every %(hours)s hours")
        % {"told": told, "hours": settings.BACKUP_EVERY},
    )


def _note(state: str, words: str) -> None:
    """Leave word for the pages; written beside and renamed, so never half there."""
    said: dict[str, Any] = {
        "state": state,
        "at": datetime.now(UTC).isoformat(),
        "words": stored(words),
    }
    with suppress(OSError):  # a full disk keeps nobody from the backup itself
        _state().parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = _state().with_suffix(f".{os.getpid()}")
        fresh.write_text(json.dumps({**said, "pid": os.getpid()}))
        fresh.replace(_state())


def _state() -> Path:
    return Path(settings.RUN_DIR) / "backup.json"
