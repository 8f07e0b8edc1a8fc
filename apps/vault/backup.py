"""Make a backup: one file with everything a vault knows, tried out before it gets its name.

1. One snapshot of the database tells which rows and which files belong together.
2. The files are held by a second name each, so that a deletion meanwhile does not take them.
3. Rows and files go into FILE.part, with a manifest of counts and hashes.
4. FILE.part is restored into a scratch database, whose rows must be the same to the last byte.
5. Only then it becomes FILE; until then an earlier FILE stays as it was.
"""

import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings

from apps.library import files
from apps.vault import archive, dumping, scratch
from apps.vault.archive import Manifest, Measured
from apps.web.telling import gettext as _
from vaultsite import VERSION

TRIES = 3  # snapshots, where files vanish between a snapshot and the holding of them


class CannotBackUp(Exception):
    """No backup was made; the message says why and what to do. An earlier one is as it was."""


@dataclass(frozen=True, slots=True)
class Made:
    """A backup that was tried out. `sha256` is that of the file, `size` its bytes."""

    path: Path
    size: int
    sha256: str
    seconds: float
    manifest: Manifest

    def words(self) -> str:
        told = self.manifest
        return (
            f"Backed up {len(told.files):,} files ({told.file_bytes / 2**20:,.1f} MB) and "
            f"{told.rows:,} rows to {self.path}: {self.size / 2**20:,.1f} MB, tried out by "
            "restoring it." + lost(told)
        )

    def report(self) -> dict[str, Any]:
        return {
            "file": str(self.path),
            "size": self.size,
            "sha256": self.sha256,
            "seconds": round(self.seconds, 1),
            "verified": True,
            **told(self.manifest),
        }


def told(manifest: Manifest) -> dict[str, Any]:
    """What a manifest says in counts and hashes."""
    return {
        "created": manifest.created,
        "version": manifest.vaultsite,
        "rows": manifest.rows,
        "tables": {t.name: {"rows": t.rows, "sha256": t.sha256} for t in manifest.tables},
        "files": len(manifest.files),
        "file_bytes": manifest.file_bytes,
        "files_sha256": {file.name: file.sha256 for file in manifest.files},
        "missing": manifest.missing,
    }


def lost(manifest: Manifest) -> str:
    """A sentence about files that were gone already, "" where there are none."""
    if not manifest.missing:
        return ""
    return f" Not in it, because the vault had lost them before: {', '.join(manifest.missing)}."


def back_up(target: Path) -> Made:
    """Write everything into `target`; what was there before is replaced once the new one is sure.

    Raises CannotBackUp, scratch.Busy and scratch.NotAllowed.
    """
    began = time.monotonic()
    part = target.with_name(f"{target.name}.part")
    try:
        if target.is_dir():
            raise CannotBackUp(_("%(path)s is a folder. Name a file in it.") % {"path": target})
        with scratch.alone() as server:
            files.let_go_all()
            try:
                manifest = _write_held(part)
                _try_out(server, part, manifest)
                size, sha256 = _settle(part, target)
            finally:
                part.unlink(missing_ok=True)
    except OSError as fault:
        raise CannotBackUp(
            _(
                "%(path)s could not be written (%(reason)s). Make room or make it writable, or"
                " name another file."
            )
            % {"path": fault.filename or part, "reason": fault.strerror}
        ) from fault
    except psycopg.OperationalError as fault:
        raise CannotBackUp(
            _("The database did not go along (%(reason)s).") % {"reason": str(fault).strip()}
        ) from fault
    return Made(target, size, sha256, time.monotonic() - began, manifest)


def _write_held(part: Path) -> Manifest:
    for _try in range(TRIES):
        with suppress(files.Vanished):
            return _write(part)
    raise CannotBackUp(_("Documents were deleted all the while. Try again when it is quieter."))


def _write(part: Path) -> Manifest:
    """Write the archive, whole and on the disk; raises files.Vanished where it must begin anew."""
    with part.open("wb") as out:
        part.chmod(0o600)
        writer = archive.Writer(out, _looking_at_disk(part))
        with dumping.snapshot(scratch.own_name()) as connection:
            manifest = _manifest(connection)
            names = dumping.file_names(connection)
            with files.held(sorted(names)) as held:
                manifest.missing = _missing(names - {*held.names})
                for table in dumping.tables():
                    with writer.table(table) as measured:
                        manifest.tables.append(dumping.copy_out(connection, table, measured))
                connection.rollback()  # the rows are told, nobody need wait for the snapshot
                for name in held.names:
                    with held.open(name) as stream:
                        manifest.files.append(writer.file(name, stream))
        writer.close(manifest)
        out.flush()
        os.fsync(out.fileno())
    return manifest


def _manifest(connection: psycopg.Connection) -> Manifest:
    server = connection.info.parameter_status("server_version") or ""
    return Manifest(
        vaultsite=VERSION,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        postgresql=server,
        migrations=dumping.migrations(connection),
    )


def _missing(absent: set[str]) -> list[str]:
    """Files that rows still name though they are not there; the others were just deleted, so that
    the snapshot is old already."""
    if absent:
        with dumping.snapshot(scratch.own_name()) as now:
            if absent - dumping.file_names(now):
                raise files.Vanished
    return sorted(absent)


def _looking_at_disk(part: Path) -> Callable[[], None]:
    """Leave some of the disk alone: a full one would stop the database."""

    def look() -> None:
        free = shutil.disk_usage(part.parent).free >> 20
        if free < settings.FREE_DISK_MB:
            raise CannotBackUp(
                _(
                    "Only %(free)s MB are free on the disk of %(folder)s, and %(kept)s MB must"
                    " stay free. Make room, or name another disk."
                )
                % {"free": free, "folder": part.parent, "kept": settings.FREE_DISK_MB}
            )

    look()
    return look


# --- trying it out -------------------------------------------------------------------------------
def _try_out(server: psycopg.Connection, part: Path, written: Manifest) -> None:
    """Restore it into a scratch database and compare what is then there with what was written."""
    with archive.opened(part) as read, scratch.database(server) as name:
        if read.manifest != written:
            raise CannotBackUp(
                _("%(path)s is not read as it was written. Is the disk sound?") % {"path": part}
            )
        for file in read.manifest.files:
            read.file(file, lambda piece: None)
        fill(read, name)


def fill(read: archive.Archive, database: str) -> None:
    """Give a scratch database the schema and the rows of an archive, and see that they are the
    same when they are written again. Raises NotABackup where they are not."""
    applied = read.manifest.migrations
    scratch.within(database, lambda: dumping.make_schema(applied))
    dumping.copy_in(read, database)
    with psycopg.connect(scratch.address(database)) as connection:
        connection.execute(dumping.PINNED)
        for table in read.manifest.tables:
            unwritten = Measured(lambda piece: None)
            again = dumping.copy_out(connection, table.name, unwritten, table.columns)
            if again != table:
                raise archive.NotABackup(
                    _("The table %(name)s is not the same restored.") % {"name": table.name}
                )


def _settle(part: Path, target: Path) -> tuple[int, str]:
    """Give it its name, for good; returns its size and SHA-256."""
    measured = Measured(lambda piece: None)
    with part.open("rb") as stream:
        while piece := stream.read(archive.PIECE):
            measured.write(piece)
    part.replace(target)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return measured.size, measured.sha256
