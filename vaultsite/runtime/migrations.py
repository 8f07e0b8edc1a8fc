"""Bring the database's schema up to date, one process at a time.

`python -m vaultsite.runtime.migrations` does that for a database of DATABASE_URL, and ends.
"""

import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import django
import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.executor import MigrationExecutor

from apps.outbound import guard
from vaultsite import VERSION
from vaultsite.runtime import postgres

LOCK = 42_0001  # the advisory lock of whoever migrates


class NewerData(postgres.PostgresError):
    """The database was brought up to date by a newer Vaultsite; the message says what to do."""


def migrate(tell: Callable[[int], None] = lambda missing: None) -> int:
    """Apply what is missing and return how many migrations that were; waits for another's turn.

    Before any is applied `tell` is called with their number.

    Raises NewerData, and changes nothing, where more was applied than this version knows.
    """
    with _alone():
        connection = connections[DEFAULT_DB_ALIAS]
        executor = MigrationExecutor(connection)
        _refuse_newer(executor)
        missing = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
        if missing:
            tell(missing)
            call_command("migrate", interactive=False, verbosity=0)
        connection.close()
    if settings.POSTGRES_DIR.exists():
        _stamp().write_text(_digest())
    return missing


def for_command(argv: list[str]) -> None:
    """Before a command on the embedded database: migrate where this code has not done so yet.

    A restore puts another database in its place, whatever is in this one.
    """
    command = argv[1] if len(argv) > 1 else "help"
    if os.environ.get("DATABASE_URL") or command in postgres.WITHOUT | {"migrate", "restore"}:
        return
    if {"-h", "--help"} & {*argv}:
        return
    if not _stamp().exists() or _stamp().read_text() != _digest():
        django.setup()
        migrate()


def _refuse_newer(executor: MigrationExecutor) -> None:
    """An older version would write rows that lack what the newer one counts on."""
    known = {*executor.loader.disk_migrations, *executor.loader.graph.nodes}
    apps = {app for app, _ in known}
    unknown = sorted(
        n for n in executor.loader.applied_migrations if n not in known and n[0] in apps
    )
    if unknown:
        raise NewerData(
            f"The data in {settings.DATA_DIR} is of a newer Vaultsite than this one, {VERSION}: it "
            f"has {'.'.join(unknown[0])}. Update Vaultsite, or set VAULT_DATA to another folder "
            "and restore a backup of this version there. Nothing was changed."
        )


@contextmanager
def _alone() -> Iterator[None]:
    with psycopg.connect(settings.DATABASE_URL, autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", [LOCK])  # ends with the connection
        yield


def _stamp() -> Path:
    """Lies inside the cluster, so that it goes where the cluster goes."""
    return Path(settings.POSTGRES_DIR) / "vault.migrated"


def _digest() -> str:
    """What the schema depends on: the migrations here, and those of Django and django-q."""
    here = sorted(p.name for p in (settings.BASE_DIR / "apps").glob("*/migrations/*.py"))
    known = [version("django"), version("django-q2"), *here]
    return hashlib.sha256("\n".join(known).encode()).hexdigest()


def main() -> int:
    guard.arm("migrations")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vaultsite.settings")
    django.setup()
    try:
        sys.stdout.write(f"{migrate()} migrations applied\n")
    except (NewerData, psycopg.OperationalError) as problem:
        sys.stderr.write(f"{problem}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
