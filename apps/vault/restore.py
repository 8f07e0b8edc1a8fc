"""Restore a backup: read it through, build everything beside the vault, then change places.

Until the new database takes the old one's name, which is one transaction, the vault is as it was:
new files lie beside the old ones under names that no row knows, and what a crash leaves of them is
swept. From then on it is the restored one, and what is left of the old one is removed.
"""

import contextlib
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from apps.library import files
from apps.library.models import Document
from apps.vault import archive, backup, dumping, scratch
from apps.vault.archive import Archive, Manifest
from vaultsite import VERSION
from vaultsite.runtime import parts


class CannotRestore(Exception):
    """Nothing was restored, the vault is as it was; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What was restored. `migrated` are the migrations that this version had on top."""

    path: Path
    manifest: Manifest
    replaced: bool
    migrated: int
    seconds: float

    def words(self) -> str:
        told = self.manifest
        newer = f", brought up to date by {self.migrated} migrations" if self.migrated else ""
        return (
            f"Restored {len(told.files):,} files and {told.rows:,} rows of {told.created} from "
            f"{self.path}{newer}. Everybody has to sign in again.{backup.lost(told)}"
        )

    def report(self) -> dict[str, Any]:
        return {
            "file": str(self.path),
            "replaced": self.replaced,
            "migrated": self.migrated,
            "seconds": round(self.seconds, 1),
            "verified": True,
            **backup.told(self.manifest),
        }


def restore(path: Path, *, replace: bool = False) -> Restored:
    """Make the vault what it was when this backup was made.

    Raises CannotRestore, NotABackup, scratch.Busy and scratch.NotAllowed; then nothing changed.
    """
    began = time.monotonic()
    try:
        with archive.opened(path) as read:
            _refuse_newer(read.manifest)
            with scratch.alone() as server:
                files.let_go_all()
                content = _has_content()
                if content and not replace:
                    raise CannotRestore(
                        "This vault is not empty. To put the backup in its place, add --replace; "
                        "to keep both, set VAULT_DATA to a new folder."
                    )
                _look_at_disk(read.manifest)
                read.read_through()
                migrated = _restore(server, read)
    except OSError as fault:
        act = "Make room on the disk, or make the file readable"
        if isinstance(fault, FileNotFoundError):
            act = "See that the path is right"
        raise CannotRestore(
            f"{fault.filename or path}: {fault.strerror}. {act}, then try again."
        ) from fault
    except psycopg.OperationalError as fault:
        raise CannotRestore(
            f"The database broke off: {str(fault).strip()}. Nothing of this vault was replaced; "
            "start it with ./start.sh to see that it runs, then try again."
        ) from fault
    parts.start_again(settings.RUN_DIR)
    return Restored(path, read.manifest, content, migrated, time.monotonic() - began)


def _restore(server: psycopg.Connection, read: Archive) -> int:
    with scratch.database(server) as name, files.holding() as folder:
        backup.fill(read, name)
        migrated = scratch.within(name, _bring_up_to_date)
        there = {*files.names()}
        coming = _unpack(read, folder)
        fresh = [each for each in coming if each not in there]
        try:
            for each in fresh:
                files.put(coming[each], each)
            _forget_derived()
            before = scratch.put_in_place(server, name)
        except BaseException:
            for each in fresh:
                files.remove(each)
            raise
        for each in coming.keys() - fresh:  # damaged ones, which are whole in the archive
            files.put(coming[each], each)
    for each in there - {file.name for file in read.manifest.files}:
        files.remove(each)
    _forget_derived()
    with contextlib.suppress(psycopg.OperationalError):  # else the next one who comes drops it
        scratch.drop(server, before)
    return migrated


def _unpack(read: Archive, folder: Path) -> dict[str, Path]:
    """Write the files that the vault does not have just so into a folder; where, by name."""
    coming: dict[str, Path] = {}
    for number, file in enumerate(read.manifest.files):
        if files.exists(file.name) and files.sha256(file.name) == file.sha256:
            continue
        coming[file.name] = folder / str(number)
        with coming[file.name].open("xb") as out:
            read.file(file, out.write)
            out.flush()
            os.fsync(out.fileno())
    return coming


def _refuse_newer(manifest: Manifest) -> None:
    if unknown := dumping.unknown_migrations(manifest.migrations):
        raise CannotRestore(
            f"The backup was made by Vaultsite {manifest.vaultsite}, which is newer than this one, "
            f"{VERSION}: it has {unknown[0]}. Update Vaultsite, then restore it."
        )


def _has_content() -> bool:
    if "auth_user" not in connection.introspection.table_names():
        return False  # a server's database in which nothing was made yet
    return User.objects.exists() or Document.objects.exists()


def _look_at_disk(manifest: Manifest) -> None:
    """Rows take about twice their text in the database, with their indexes."""
    need = (2 * manifest.bytes >> 20) + settings.FREE_DISK_MB
    free = shutil.disk_usage(settings.DATA_DIR).free >> 20
    if free < need:
        raise CannotRestore(
            f"Unpacked, the backup may take {need:,} MB, and {free:,} MB are free on the disk of "
            f"{settings.DATA_DIR}. Make room, or set VAULT_DATA to a folder on another disk."
        )


def _bring_up_to_date() -> int:
    """Apply what this version has on top; returns how many migrations that were."""
    before = len(MigrationRecorder(connection).applied_migrations())
    call_command("migrate", interactive=False, verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return len(MigrationRecorder(connection).applied_migrations()) - before


def _forget_derived() -> None:
    """Pictures of pages are kept under the ids of documents, which are others now."""
    shutil.rmtree(settings.DERIVED_DIR, ignore_errors=True)
