"""Erase everything, and prove it.

The embedded database goes as a whole: tables, indexes, write-ahead log. Of a server of DATABASE_URL
the vault's tables are dropped. Files, pictures, logs, keys and the backups inside the data folder
go; language models stay, for they know nothing of a person. The proof is a search of what is left,
byte by byte, for phrases that were there before.
"""

import contextlib
import os
import re
import secrets
import shutil
import signal
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import fasteners
import psycopg
from django.conf import settings
from django.db import connection
from psycopg import sql

from apps.library import files
from apps.vault import archive, scratch
from vaultsite.runtime import postgres, processes

PATIENCE = 60  # seconds for a running vault to stop
PHRASES = 40
SHORTEST = 12  # bytes; shorter ones are found by chance
# What the vault itself makes in its folder. Anything else there is somebody else's, and stays.
OURS = re.compile(
    r"files|derived|run|logs|backups|calibration\.json|secret\.key.*|postgres(\..*)?|erasing-\w+"
)

TABLES = """
SELECT c.relname FROM pg_class c
WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace ORDER BY 1
"""
SAMPLE = """
SELECT name FROM library_document
UNION ALL SELECT username FROM auth_user
UNION ALL (SELECT left(text, 60) FROM library_chunk ORDER BY id DESC LIMIT %(most)s)
LIMIT %(most)s
"""
OTHERS = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
  AND application_name IN ('vaultsite web', 'vaultsite worker')
"""


class CannotErase(Exception):
    """Not everything was erased; the message says why and what to do."""


@dataclass(slots=True)
class Proof:
    """Phrases that were looked for, in how many files they stood before, and where they still do.

    `searched` are the files looked through afterwards.
    """

    phrases: int = 0
    found_before: int = 0
    searched: int = 0
    found_after: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Erased:
    """What was there and is gone, in counts; `kept` are things in the folder that stay."""

    rows: dict[str, int] = field(default_factory=dict)
    files: int = 0
    bytes: int = 0
    stopped: bool = False
    kept: list[str] = field(default_factory=list)
    proof: Proof = field(default_factory=Proof)

    def words(self) -> str:
        proof = self.proof
        stays = f" Left in {settings.DATA_DIR}: {', '.join(self.kept)}." if self.kept else ""
        elsewhere = f" Backups in {settings.BACKUP_DIR} stay." if backups_elsewhere() else ""
        return (
            f"Erased {sum(self.rows.values()):,} rows and {self.files:,} files "
            f"({self.bytes / 2**20:,.1f} MB). {proof.phrases} phrases stood in "
            f"{proof.found_before} files before; of {proof.searched} files that are left "
            f"{len(proof.found_after)} hold one.{stays}{elsewhere}"
        )

    def report(self) -> dict[str, Any]:
        return {
            "erased": not self.proof.found_after,
            "rows": self.rows,
            "files": self.files,
            "bytes": self.bytes,
            "stopped": self.stopped,
            "kept": self.kept,
            "backups_elsewhere": backups_elsewhere(),
            "proof": {
                "phrases": self.proof.phrases,
                "files_with_one_before": self.proof.found_before,
                "files_searched_after": self.proof.searched,
                "files_with_one_after": self.proof.found_after,
            },
        }


def erase() -> Erased:
    """Erase everything. A vault that runs on this folder is stopped first. Raises CannotErase."""
    done = Erased()
    try:
        with _nobody_else(done):
            phrases = (
                _erase_embedded(done) if settings.POSTGRES_IS_EMBEDDED else _erase_server(done)
            )
            _remove(done)
            _prove(done, phrases)
    except OSError as fault:
        raise CannotErase(
            f"{fault.filename} could not be removed ({fault.strerror}). What was erased before is "
            "gone; see to it, and run this again."
        ) from fault
    return done


def backups_elsewhere() -> list[str]:
    """Scheduled backups outside the data folder: a person may want just these."""
    folder = Path(settings.BACKUP_DIR)
    if not folder.is_dir() or folder.is_relative_to(settings.DATA_DIR):
        return []
    return sorted(str(path) for path in folder.glob("vaultsite-*.zip"))


# --- who else is there -----------------------------------------------------------------------
@contextlib.contextmanager
def _nobody_else(done: Erased) -> Iterator[None]:
    """Stop the vault that runs on this folder, and let none start meanwhile."""
    Path(settings.RUN_DIR).mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = fasteners.InterProcessLock(settings.RUN_DIR / "up.lock")
    if not lock.acquire(blocking=False):
        running = processes.running()
        if running:
            os.kill(running, signal.SIGTERM)
        done.stopped = True
        if not lock.acquire(timeout=PATIENCE):
            raise CannotErase("The vault runs and does not stop. Stop it, and run this again.")
    try:
        yield
    finally:
        lock.release()


# --- the database ----------------------------------------------------------------------------
def _erase_embedded(done: Erased) -> list[bytes]:
    """Take the whole cluster away; returns phrases that were in it."""
    place = Path(settings.POSTGRES_DIR)
    phrases: list[bytes] = []
    if (place / "PG_VERSION").exists():
        # A database that does not start, or is of another version, is erased all the same.
        with (
            contextlib.suppress(postgres.PostgresError, psycopg.Error, scratch.Busy),
            postgres.in_use(place),
            scratch.alone(),
            psycopg.connect(settings.DATABASE_URL, autocommit=True) as server,
        ):
            phrases = _count(server, done)
            done.proof.found_before = len(_holding(phrases, settings.DATA_DIR))
        postgres.stop_server(place)
    if place.exists():  # under another name, half a cluster is taken for none
        place.rename(place.with_name(f"erasing-{secrets.token_hex(4)}"))
    return phrases


def _erase_server(done: Erased) -> list[bytes]:
    """Drop the vault's tables; returns phrases that were in them."""
    with scratch.alone(), psycopg.connect(settings.DATABASE_URL, autocommit=True) as server:
        (others,) = server.execute(OTHERS).fetchone() or (0,)
        if others:
            raise CannotErase(
                "Web or worker are connected to the database. Stop them first, with Docker: "
                "docker compose stop web worker"
            )
        phrases = _count(server, done)
        done.proof.found_before = len(_holding(phrases, settings.DATA_DIR))
        ours = {*connection.introspection.django_table_names(), "django_migrations"}
        server.execute("SET lock_timeout = '10s'")
        names = sql.SQL(", ").join(map(sql.Identifier, sorted(ours & {*done.rows})))
        if done.rows:
            server.execute(sql.SQL("DROP TABLE {} CASCADE").format(names))
        with contextlib.suppress(psycopg.Error):  # where the server is ours to command
            server.execute("SELECT pg_switch_wal()")
            server.execute("CHECKPOINT")
        left = ours & {row[0] for row in server.execute(TABLES)}
        done.proof.found_after += sorted(f"table {name}" for name in left)
    return phrases


def _count(server: psycopg.Connection, done: Erased) -> list[bytes]:
    """Count all rows, and choose phrases: of a person's, and one that is put there to be found."""
    planted = secrets.token_hex(16)
    server.execute("CREATE TABLE vault_erased (phrase text)")
    server.execute("INSERT INTO vault_erased VALUES (%s)", [planted])
    with contextlib.suppress(psycopg.Error):
        server.execute("CHECKPOINT")
    found = [planted]
    with contextlib.suppress(psycopg.Error):  # of a version with other tables
        found += [row[0] for row in server.execute(SAMPLE, {"most": PHRASES})]
    server.execute("DROP TABLE vault_erased")
    for (name,) in server.execute(TABLES).fetchall():
        row = server.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(name)))
        (done.rows[name],) = row.fetchone() or (0,)
    lines = [phrase.partition("\n")[0].strip().encode() for phrase in found]
    return [line for line in dict.fromkeys(lines) if len(line) >= SHORTEST]


# --- the folder ------------------------------------------------------------------------------
def _remove(done: Erased) -> None:
    """Everything of ours in the data folder but the models, and in the storage."""
    if not files.are_local():
        for name in [*files.names()]:
            files.remove(name)
            done.files += 1
    for entry in sorted(Path(settings.DATA_DIR).iterdir()):
        if not OURS.fullmatch(entry.name) or entry == Path(settings.MODELS_DIR):
            done.kept.append(entry.name)
            continue
        for path in _files(entry):
            done.bytes += path.lstat().st_size
            done.files += entry.name == "files"
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def _prove(done: Erased, phrases: list[bytes]) -> None:
    """Look through all that is left in the folder."""
    done.proof.phrases = len(phrases)
    done.proof.searched = sum(1 for _ in _files(settings.DATA_DIR))
    done.proof.found_after += [str(path) for path in _holding(phrases, settings.DATA_DIR)]
    if done.proof.found_after:
        raise CannotErase(f"Still there: {', '.join(done.proof.found_after)}.")


def _files(place: Path) -> Iterator[Path]:
    """Every file in a place but weights of models, which are large and nobody's."""
    if place.is_file() or place.is_symlink():
        yield place
        return
    for folder, _, names in os.walk(place):
        if not Path(folder).is_relative_to(settings.MODELS_DIR):
            yield from (Path(folder) / name for name in names)


def _holding(phrases: list[bytes], place: Path) -> list[Path]:
    """The files in which one of the phrases stands."""
    if not phrases:
        return []
    wanted = re.compile(b"|".join(map(re.escape, phrases)))
    return [path for path in _files(place) if path.is_file() and _holds(path, wanted)]


def _holds(path: Path, wanted: re.Pattern[bytes]) -> bool:
    before = b""
    with contextlib.suppress(FileNotFoundError), path.open("rb") as stream:
        while piece := stream.read(archive.PIECE):
            if wanted.search(before + piece):
                return True
            before = piece[-1000:]
    return False
