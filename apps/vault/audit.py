"""What the audit panel shows: what left, what is open, what is kept, and where."""

import contextlib
import ipaddress
import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from django.conf import settings
from django.db import connection
from django.db.models import Count
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop as noop

from apps.llm import catalogue, client
from apps.outbound import ledger
from apps.outbound.models import Attempt

SHOWN = 20  # attempts
REMEMBERED = {"connections": 3.0, "sizes": 60.0}  # seconds

SIZES = """
SELECT (SELECT count(*) FROM library_document), (SELECT count(*) FROM library_chunk),
       pg_database_size(current_database()),
       (SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint
        FROM pg_class WHERE relkind = 'r' AND relname LIKE 'library!_%' ESCAPE '!')
"""
PARTS = {  # what stands in a command line, and what people call it
    "vaultsite.serve": noop("Web"),
    "vaultsite.runtime.worker": noop("Worker"),
    "apps.llm.bundled": noop("Models"),
    "apps.library.parsing": noop("Reader of documents"),
    "manage.py up": noop("Start and watch"),
    "manage.py": noop("Command"),
}


@dataclass(slots=True)
class Process:
    """All of the vault's of one kind, with their open connections; addresses are "host:port"."""

    name: str
    count: int = 0
    listens: list[str] = field(default_factory=list)
    here: int = 0  # connections within this machine
    visitors: list[str] = field(default_factory=list)  # who came in from another machine
    beyond: list[str] = field(default_factory=list)  # what goes out to another machine


@dataclass(frozen=True, slots=True)
class Place:
    """A folder; `size` is in bytes."""

    what: str
    path: str
    size: int


def counts() -> dict[str, Any]:
    """The big number and its like, for everybody."""
    ledger.take_in()
    return {"start": ledger.since_start(), "ever": ledger.since_ever()}


def live() -> dict[str, Any]:
    """What changes while one looks, for the owner."""
    acts = Attempt.objects.left().order_by().values("purpose").annotate(times=Count("pk"))
    return counts() | {
        "acts": list(acts.order_by("-times")[:5]),
        "attempts": list(Attempt.objects.all()[:SHOWN]),
        "processes": _remembered("connections", processes),
    }


def kept() -> dict[str, Any]:
    """What the vault holds, and where."""
    with connection.cursor() as cursor:
        cursor.execute(SIZES)
        documents, passages, database, index = cursor.fetchone()
    return {
        "documents": documents,
        "passages": passages,
        "index": index,
        "places": [*_remembered("sizes", places), _database(database)],
    } | _models()


def _models() -> dict[str, Any]:
    try:
        found = {"host": client.host(), "bundled": catalogue.is_bundled()}
        return found | {"models": catalogue.installed()}
    except client.ModelError as error:
        return {"models_trouble": str(error)}


# --- open connections ---------------------------------------------------------------------------
def processes() -> list[Process]:
    """The processes of this vault on this machine by name, with what they have open."""
    found: dict[str, Process] = {}
    ours = {each.pid: each for each in _ours()}
    for process in ours.values():
        try:
            name = _name(process)
            open_ones = process.net_connections(kind="inet")
        except psutil.Error:
            continue  # it has ended, or is another user's
        ports = {each.laddr.port for each in open_ones if each.status == psutil.CONN_LISTEN}
        shown = found.setdefault(name, Process(name))
        shown.count += 1
        for each in open_ones:
            _sort_in(shown, each, ports)
    return [found[name] for name in sorted(found)]


def _sort_in(shown: Process, each: Any, listened: set[int]) -> None:
    if each.status == psutil.CONN_LISTEN:
        if (place := _spelled(each.laddr)) not in shown.listens:  # a child may have inherited it
            shown.listens.append(place)
    elif each.raddr and ipaddress.ip_address(each.raddr.ip.partition("%")[0]).is_loopback:
        shown.here += 1
    elif each.raddr:
        (shown.visitors if each.laddr.port in listened else shown.beyond).append(
            _spelled(each.raddr)
        )


def _ours() -> list[psutil.Process]:
    """This process, all that `up` runs on this folder, and what these have started."""
    roots = [psutil.Process()]
    with contextlib.suppress(OSError, ValueError, KeyError, psutil.Error):  # not started by `up`
        roots.append(psutil.Process(json.loads((settings.RUN_DIR / "up.json").read_text())["pid"]))
    for process in psutil.process_iter(["cmdline", "name"]):
        words = process.info["cmdline"] or []
        if str(settings.RUN_DIR) in words or _is_database(process):
            roots.append(process)
    found = list(roots)
    for root in roots:
        try:
            found += root.children(recursive=True)
        except psutil.Error:
            continue
    return found


def _is_database(process: psutil.Process) -> bool:
    if "postgres" not in (process.info["name"] or ""):
        return False
    try:
        return Path(process.cwd()) == settings.POSTGRES_DIR
    except (psutil.Error, OSError):
        return False


def _name(process: psutil.Process) -> str:
    words = " ".join(process.cmdline())
    for part, name in PARTS.items():
        if part in words:
            return name
    return noop("Database") if "postgres" in process.name() else str(process.name())


def _spelled(address: Any) -> str:
    return f"[{address.ip}]:{address.port}" if ":" in address.ip else f"{address.ip}:{address.port}"


# --- where things are ---------------------------------------------------------------------------
def places() -> list[Place]:
    """The folders, with what they hold."""
    folders = {
        noop("Your documents"): settings.MEDIA_ROOT,
        noop("Language models"): settings.MODELS_DIR,
        noop("Page images, made again when needed"): settings.DERIVED_DIR,
        noop("Logs and this ledger"): settings.LOG_DIR,
    }
    return [Place(what, str(path), _size(Path(path))) for what, path in folders.items()]


def _database(size: int) -> Place:
    embedded = not os.environ.get("DATABASE_URL")
    where = str(settings.POSTGRES_DIR) if embedded else _("the server of DATABASE_URL")
    return Place(noop("Database"), where, size)


def _size(folder: Path) -> int:
    """The bytes of all files in it; what may not be read counts as nothing."""
    total = 0
    waiting = [str(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        total += entry.stat(follow_symlinks=False).st_size
        except OSError:
            continue
    return total


_memory: dict[str, tuple[float, Any]] = {}


def _remembered(name: str, look: Callable[[], Any]) -> Any:
    """What takes long to look at is looked at seldom, however many people watch."""
    when, found = _memory.get(name, (0.0, None))
    if not when or time.monotonic() - when > REMEMBERED[name]:
        _memory[name] = (time.monotonic(), found := look())
    return found
