"""Backup and restore by their commands, on vaults of their own; also killed, also without room."""

import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import psycopg
import pytest
from django.db import connection
from psycopg import sql

from apps.vault import archive, dumping
from tests.runtime.vault import ROOT, Vault, until
from vaultsite.runtime import postgres

pytestmark = pytest.mark.crash
FIRST = ROOT / "tests" / "runtime" / "first_release.zip"
SEED = random.randrange(2**32)
# What the vault of the first release had at least one of; the names may never change unnoticed.
KEPT = (
    *("auth_user", "library_workspace", "library_category", "library_document", "library_chunk"),
    *("library_chunkvector", "library_coverage", "chat_conversation", "chat_turn", "chat_answer"),
    *("chat_citation", "study_quiz", "study_question", "study_attempt", "study_reply"),
    *("study_deck", "study_card", "study_review", "study_workshop", "study_lesson"),
    *("study_lessonsource", "study_mindmap", "progress_event"),
)
TOOK = {"backup": 4.0, "restore": 5.0}  # seconds, when it was last done
CONTENT = "SELECT count(*), md5(string_agg(t::text, '|' ORDER BY t::text)) FROM {} t"


@pytest.fixture(scope="module")
def two() -> Iterator[tuple[Vault, Vault]]:
    """Two vaults whose databases run: one that was restored from the first release, one empty."""
    folder = Path(tempfile.mkdtemp(prefix="vault-backup-"))
    full, empty = Vault(folder / "full"), Vault(folder / "empty")
    with (
        postgres.in_use(full.data / "postgres", stop=True),
        postgres.in_use(empty.data / "postgres", stop=True),
    ):
        for vault in (full, empty):
            run(vault, "postgres", "ALTER SYSTEM SET fsync = off")
            run(vault, "postgres", "SELECT pg_reload_conf()")
        told = done(full, "restore", str(FIRST))
        assert told["migrated"] >= 0 and told["rows"] == 970
        yield full, empty
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def backup(two: tuple[Vault, Vault]) -> Path:
    """A backup of the full vault."""
    target = two[0].data.with_name("backup.zip")
    done(two[0], "backup", str(target))
    return target


def run(vault: Vault, database: str, statement: str) -> list[tuple]:
    address = postgres.dsn(vault.data / "postgres", database)
    with psycopg.connect(address, autocommit=True) as server:
        answer = server.execute(statement)
        return answer.fetchall() if answer.description else []


def done(vault: Vault, *words: str) -> dict:
    """What a command has told, in the end."""
    began = time.monotonic()
    outcome = vault.command(*words, "--json")
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    TOOK[words[0]] = time.monotonic() - began
    return dict(json.loads(outcome.stdout))


def moments(took: float) -> list[float]:
    """Two moments of something that takes so long; its first third is Python's start."""
    chance = random.Random(SEED)
    return [took * (0.35 + 0.65 * (half + chance.random()) / 2) for half in range(2)]


def content(vault: Vault) -> dict[str, object]:
    """Every table's rows and every file's bytes, told without any code of the backup."""
    found: dict[str, object] = {}
    with psycopg.connect(postgres.dsn(vault.data / "postgres")) as server:
        names = server.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        for (name,) in names.fetchall():
            if name not in dumping.LEFT_OUT:
                statement = sql.SQL(CONTENT).format(sql.Identifier(name))
                found[name] = server.execute(statement).fetchone()
    for path in (vault.data / "files").rglob("*"):
        if path.is_file():
            found[path.name] = sha256(path.read_bytes()).hexdigest()
    return found


def leftovers(vault: Vault) -> list[str]:
    databases = run(vault, "postgres", "SELECT datname FROM pg_database")
    return [
        *(name for (name,) in databases if name.startswith("vault_")),
        *(path.name for path in (vault.data / "files").glob("held-*")),
        *(path.name for path in vault.data.parent.glob("*.part")),
    ]


def killed(vault: Vault, seconds: float, *words: str) -> None:
    """Begin a command and kill it after this time, if it takes that long."""
    process = subprocess.Popen(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=vault.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    time.sleep(seconds)
    process.kill()
    process.wait()


@pytest.mark.django_db
def test_a_backup_holds_every_table_but_those_that_are_named() -> None:
    there = {*connection.introspection.table_names()}
    assert {*dumping.tables()} == there - dumping.LEFT_OUT


def test_restored_everything_is_the_same(two: tuple[Vault, Vault], backup: Path) -> None:
    full, empty = two
    told = done(empty, "restore", str(backup))
    assert content(empty) == content(full)
    assert not told["replaced"] and told["files"] == 3 and not told["missing"]
    with archive.opened(backup) as found:
        assert told["tables"] == {
            t.name: {"rows": t.rows, "sha256": t.sha256} for t in found.manifest.tables
        }
    assert leftovers(full) == leftovers(empty) == []
    # What counts up goes on behind what is there, and schedules came with the migrations.
    (made,) = run(empty, "vault", "INSERT INTO auth_group (name) VALUES ('new') RETURNING id")
    run(empty, "vault", f"DELETE FROM auth_group WHERE id = {made[0]}")
    assert run(empty, "vault", "SELECT count(*) >= 4 FROM django_q_schedule") == [(True,)]


def test_a_vault_of_the_first_release_is_brought_up_to_date(two: tuple[Vault, Vault]) -> None:
    """Whatever was migrated since: everything a person had is there, and is found."""
    full = two[0]
    assert full.command("migrate", "--check").returncode == 0
    with archive.opened(FIRST) as first:
        had = {table.name: table.rows for table in first.manifest.tables}
    for name in KEPT:
        assert had[name] > 0, name
        assert run(full, "vault", f"SELECT count(*) FROM {name}") == [(had[name],)], name
    told = run(full, "vault", "SELECT name, state FROM library_document ORDER BY name")
    assert told[0] == ("House rules.md", "ready") and len(told) == 3
    (best,) = run(full, "vault", "SELECT label FROM chat_citation")
    assert best[0]


def test_killed_while_it_backs_up_the_earlier_file_stays(
    two: tuple[Vault, Vault], backup: Path
) -> None:
    target = backup.with_name("kept.zip")
    shutil.copy(backup, target)
    before = target.read_bytes()
    for moment in moments(TOOK["backup"]):
        killed(two[0], moment, "backup", str(target))
        if target.read_bytes() != before:  # it was done in time
            with archive.opened(target) as found:
                found.read_through()
            shutil.copy(backup, target)
    done(two[0], "backup", str(target))
    assert leftovers(two[0]) == [], f"seed {SEED}"


def test_killed_while_it_restores_the_vault_is_the_old_or_the_new_one(
    two: tuple[Vault, Vault], backup: Path
) -> None:
    vault, new = two[1], content(two[0])
    run(vault, "vault", "UPDATE auth_user SET first_name = 'Carol' WHERE username = 'bob'")
    lost = next((vault.data / "files" / "documents").iterdir())
    lost.unlink()  # so that a file has to come back, too
    old = content(vault)
    for moment in moments(TOOK["restore"]):
        killed(vault, moment, "restore", str(backup), "--replace")
        now = content(vault)
        at_rest = {name: now[name] for name in now if "_" in name}  # the rows
        assert at_rest in (
            {n: old[n] for n in old if "_" in n},
            {n: new[n] for n in new if "_" in n},
        )
    done(vault, "restore", str(backup), "--replace")
    assert content(vault) == new and leftovers(vault) == [], f"seed {SEED}"


class OnServer(Vault):
    """A vault whose database is one of another server, where it is a plain user."""

    address = ""

    @property
    def environment(self) -> dict[str, str]:
        return {**super().environment, "DATABASE_URL": self.address}


@pytest.fixture
def on_server(two: tuple[Vault, Vault]) -> Iterator[OnServer]:
    """A vault in an empty database of a server, whose owner may make databases and no more."""
    server = two[0].data / "postgres"
    run(two[0], "postgres", "CREATE ROLE plain LOGIN CREATEDB")
    run(two[0], "template1", "CREATE EXTENSION vector")
    run(two[0], "postgres", "CREATE DATABASE shared OWNER plain")
    vault = OnServer(two[0].data.with_name("on_server"))
    vault.address = postgres.dsn(server, "shared").replace("//postgres@", "//plain@")
    yield vault
    run(two[0], "postgres", "DROP DATABASE shared WITH (FORCE)")
    run(two[0], "postgres", "DROP ROLE plain")
    run(two[0], "template1", "DROP EXTENSION vector")


def test_a_database_of_a_server_is_filled_and_emptied_by_a_plain_user(
    on_server: OnServer, two: tuple[Vault, Vault], backup: Path
) -> None:
    done(on_server, "restore", str(backup))
    counted = "SELECT count(*) FROM library_chunk"
    assert run(two[0], "shared", counted) == run(two[0], "vault", counted)
    told = done(on_server, "erase_everything", "--yes")
    assert told["erased"] and told["files"] == 3 and told["rows"]["auth_user"] == 2
    assert (
        run(two[0], "shared", "SELECT tablename FROM pg_tables WHERE schemaname = 'public'") == []
    )
    run(two[0], "postgres", "ALTER ROLE plain NOCREATEDB")
    refused = on_server.command("restore", str(backup))
    assert refused.returncode == 1 and "ALTER ROLE … CREATEDB" in refused.stderr, refused.stderr
    assert leftovers(two[0]) == []


def test_a_full_disk_is_told_and_leaves_the_earlier_file(
    two: tuple[Vault, Vault], backup: Path
) -> None:
    before = backup.read_bytes()

    def no_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))

    outcome = subprocess.run(
        [sys.executable, "manage.py", "backup", str(backup)],
        cwd=ROOT,
        env=two[0].environment,
        capture_output=True,
        text=True,
        preexec_fn=no_room,
        check=False,
    )
    assert outcome.returncode == 1 and "Make room" in outcome.stderr
    assert backup.read_bytes() == before and leftovers(two[0]) == []


def test_a_running_vault_is_replaced_and_erased(two: tuple[Vault, Vault], backup: Path) -> None:
    vault = two[1]
    (vault.data / "mine.txt").write_text("not the vault's")
    vault.start()
    try:
        before = set(vault.processes("runtime.worker"))
        done(vault, "restore", str(backup), "--replace")
        until(lambda: vault.is_well() and not before & set(vault.processes("runtime.worker")))
        told = done(vault, "erase_everything", "--yes")
        assert vault.up and vault.up.wait(30) == 0
    finally:
        vault.clean_up()
    assert told["stopped"] and told["rows"]["auth_user"] == 2 and told["files"] == 3
    proof = told["proof"]
    assert proof["phrases"] > 5 and proof["files_with_one_before"] > 2
    assert proof["files_with_one_after"] == [] and told["kept"] == ["mine.txt", "models"]
    assert {path.name for path in vault.data.iterdir()} == {"mine.txt", "models"}
    assert vault.command("erase_everything").returncode == 1  # without --yes
