"""Databases beside the vault's own: to try a backup in, or to restore one into.

They bear the vault's name and a mark, so that what a crash has left is known and removed by the
next one who needs a database here. Only one at a time does.
"""

import concurrent.futures
import copy
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, LiteralString, TypeVar

import psycopg
from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.db import connections
from django.db.utils import load_backend
from psycopg import sql
from psycopg.conninfo import make_conninfo

from apps.web.telling import gettext as _

# The advisory lock of whoever keeps scratch databases: it outlives them, and ends with a process.
LOCK = 42_0002
MARKS = ("scratch", "before")
LONGEST = 40  # characters of the vault's name; PostgreSQL cuts names at 63
HASTE = 20  # times that a database is taken from those who use it

SEND_AWAY = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %(name)s"

Answer = TypeVar("Answer")


class Busy(Exception):
    """Somebody else backs up, restores or erases this vault; the message says so."""


class NotAllowed(Exception):
    """The database server does not let the vault make databases; the message says what to do."""


def own_name() -> str:
    """The name of the vault's database."""
    return str(settings.DATABASES["default"]["NAME"])


def address(name: str) -> str:
    """Where a database of the vault's server is reached."""
    return make_conninfo(settings.DATABASE_URL, dbname=name, application_name="vaultsite backup")


@contextmanager
def alone() -> Iterator[psycopg.Connection]:
    """A connection to the server, beside all databases of vaults, for the only one who keeps
    scratch databases. What earlier ones left is removed first. Raises Busy."""
    with _beside() as server:
        found = server.execute(
            "SELECT pg_try_advisory_lock(%s, hashtext(%s))", [LOCK, own_name()]
        ).fetchone()
        if not found or not found[0]:
            raise Busy(_("This vault is being backed up, restored or erased right now. Try later."))
        drop(server, *leftovers(server))
        yield server


def _beside() -> psycopg.Connection:
    try:
        return psycopg.connect(address("postgres"), autocommit=True)
    except psycopg.OperationalError:
        return psycopg.connect(address("template1"), autocommit=True)


def leftovers(server: psycopg.Connection) -> list[str]:
    ours = re.compile(rf"{re.escape(own_name()[:LONGEST])}_({'|'.join(MARKS)})_[0-9a-f]{{8}}")
    names = [str(row[0]) for row in server.execute("SELECT datname FROM pg_database")]
    return [name for name in names if ours.fullmatch(name)]


def new_name(mark: str) -> str:
    return f"{own_name()[:LONGEST]}_{mark}_{secrets.token_hex(4)}"


@contextmanager
def database(server: psycopg.Connection) -> Iterator[str]:
    """An empty scratch database, gone at the end unless it was renamed. Raises NotAllowed."""
    name = new_name("scratch")
    try:
        _make(server, name)
        yield name
    finally:
        with suppress(psycopg.OperationalError):
            drop(server, name)


def _make(server: psycopg.Connection, name: str) -> None:
    """With the vector extension: of our own making, else as the server's template has it."""
    for template in ("template0", "template1"):
        try:
            server.execute(_sql("CREATE DATABASE {} TEMPLATE {} ENCODING 'UTF8'", name, template))
            with psycopg.connect(address(name), autocommit=True) as fresh:
                fresh.execute("CREATE EXTENSION IF NOT EXISTS vector")
            return
        except psycopg.errors.InsufficientPrivilege as reason:
            refused = str(reason).partition("\n")[0]
            drop(server, name)
    raise NotAllowed(
        _(
            "A backup is tried in a database of its own, which this server refused (%(reason)s)."
            " Let a superuser of it run: ALTER ROLE … CREATEDB; and in the database template1:"
            " CREATE EXTENSION vector."
        )
        % {"reason": refused}
    )


def drop(server: psycopg.Connection, *names: str) -> None:
    for name in names:
        server.execute(_sql("DROP DATABASE IF EXISTS {} WITH (FORCE)", name))


def put_in_place(server: psycopg.Connection, name: str) -> str:
    """Make a scratch database the vault's own, all at once; returns what the old one is called now.

    Whoever is connected is sent away, and comes back to the new one.
    """
    before = new_name("before")
    for attempt in range(1, HASTE + 1):
        try:
            with server.transaction():
                for each in (own_name(), name):
                    server.execute(SEND_AWAY, {"name": each})
                server.execute(_sql("ALTER DATABASE {} RENAME TO {}", own_name(), before))
                server.execute(_sql("ALTER DATABASE {} RENAME TO {}", name, own_name()))
            return before
        except psycopg.errors.ObjectInUse:  # somebody was quicker
            if attempt == HASTE:
                raise
    raise AssertionError("unreachable")


def within(name: str, work: Callable[[], Answer]) -> Answer:
    """Do it with Django's connection at that database, and hand back what it returns.

    It is done in a thread, for a thread's connections are its own: no other one is turned.
    """

    def turned() -> Answer:
        place: dict[str, Any] = copy.deepcopy(connections.settings["default"])
        place["NAME"] = name
        place["OPTIONS"].pop("pool", None)
        wrapper = load_backend(place["ENGINE"]).DatabaseWrapper(place, "default")
        connections["default"] = wrapper
        try:
            return work()
        finally:
            wrapper.close()
            del connections["default"]
            ContentType.objects.clear_cache()  # it was filled from that database

    with concurrent.futures.ThreadPoolExecutor(1) as thread:
        return thread.submit(turned).result()


def _sql(text: LiteralString, *names: str) -> sql.Composed:
    return sql.SQL(text).format(*map(sql.Identifier, names))
