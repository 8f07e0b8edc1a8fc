"""Bring up a PostgreSQL of its own before Django reads its settings, and take it down at the end.

Loaded by `-p tests.postgres`, which is earlier than pytest-django. Everything the tests keep is
in one temporary folder, so nothing of a person's own vault is ever touched.
"""

import json
import os
import secrets
import shutil
import tempfile
from pathlib import Path

import psycopg
import pytest

from apps.outbound import configured, guard, noting
from vaultsite.runtime import postgres

FOLDER = Path(tempfile.mkdtemp(prefix="vault-tests-"))
# How the purposes begin that are part of a test, and what may be reached at any time.
DECLARED = ("test ", "self-test", "pull ", *configured.PURPOSES)
OURS = "VAULT_TEST_DATABASE_URL" not in os.environ

os.environ["VAULT_DATA"] = str(FOLDER / "data")
os.environ.setdefault("SECRET_KEY", secrets.token_hex())
os.environ.setdefault("DATABASE_POOL", "10")
os.environ.setdefault("VAULT_PULL", "false")  # no test may fetch a gigabyte by itself
os.environ["no_proxy"] = "127.0.0.1"
guard.arm("tests")
# Playwright's event loop runs in this thread; the tests themselves are not asynchronous.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
if OURS:
    postgres.ensure_server(FOLDER / "pg")
    os.environ["DATABASE_URL"] = postgres.dsn(FOLDER / "pg")
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET fsync = off")  # thrown away after the run
        connection.execute("SELECT pg_reload_conf()")
else:
    os.environ["DATABASE_URL"] = os.environ["VAULT_TEST_DATABASE_URL"]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Nothing that was tested has tried to leave, but what a test declares by its act's name.

    A line about a fetch as a whole is no attempt: its connections have lines of their own.
    """
    noted = [
        json.loads(line)
        for file in (noting.old_file(guard.ledger_file()), guard.ledger_file())
        if file.exists()
        for line in file.read_text().splitlines()[1:]
    ]
    undeclared = [
        line
        for line in noted
        if line["how"] != noting.FETCH and not line["purpose"].startswith(DECLARED)
    ]
    if undeclared:
        print("\nThe tests tried to reach others:", *undeclared, sep="\n")  # noqa: T201
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_unconfigure() -> None:
    if OURS:
        postgres.stop_server(FOLDER / "pg")
    shutil.rmtree(FOLDER, ignore_errors=True)
