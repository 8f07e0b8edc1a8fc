"""Backups that are well made and yet must not become the vault."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from pytest_django import Settings

from apps.vault import archive, dumping, restore, scratch, tasks
from apps.vault.archive import Manifest, NotABackup, TableEntry

FIRST = Path(__file__).resolve().parents[1] / "runtime" / "first_release.zip"


def remade(
    target: Path,
    rows: Callable[[str, bytes], bytes] = lambda table, text: text,
    change: Callable[[Manifest], object] = lambda manifest: None,
) -> Path:
    """The first release's backup with other rows or another manifest; its hashes are right."""
    with archive.opened(FIRST) as old, target.open("wb") as out:
        new = archive.Writer(out, lambda: None)
        said: dict[str, Any] = json.loads(old.manifest.text())
        manifest = Manifest(said["vaultsite"], said["created"], "18", said["migrations"])
        for entry in old.manifest.tables:
            pieces: list[bytes] = []
            old.table(entry, pieces.append)
            with new.table(entry.name) as told:
                told.write(rows(entry.name, b"".join(pieces)))
            as_told = (told.lines, told.size, told.sha256, entry.sequences)
            manifest.tables.append(TableEntry(entry.name, entry.columns, *as_told))
        for file in old.manifest.files:
            with (target.parent / "file").open("w+b") as body:
                old.file(file, body.write)
                body.seek(0)
                manifest.files.append(new.file(file.name, body))
        change(manifest)
        new.close(manifest)
    return target


def elsewhere(table: str, text: bytes) -> bytes:
    return re.sub(rb"documents/\w{32}", b"documents/passwd", text, count=1)


def orphaned(table: str, text: bytes) -> bytes:
    return b"" if table == "library_workspace" else text


def halved(table: str, text: bytes) -> bytes:
    return text.replace(b"\t", b"", 1) if table == "auth_user" else text


def older(table: str, text: bytes) -> bytes:
    return text.partition(b"\n")[2] if table == "django_migrations" else text


WRONG = {
    "a file that is not in it": (elsewhere, r"names the file “documents/passwd”, which is not"),
    "rows without what they belong to": (orphaned, "do not fit each other"),
    "a row with a column less": (halved, "do not fit their tables"),
    "rows that tell of other migrations": (older, "other migrations than its manifest"),
}


@pytest.mark.django_db(transaction=True)
def test_rows_that_do_not_fit_are_refused_and_nothing_of_them_stays(tmp_path: Path) -> None:
    with archive.opened(FIRST) as first, scratch.alone() as server:
        with scratch.database(server) as name:
            scratch.within(name, lambda: dumping.make_schema(first.manifest.migrations))
            for number, (change, words) in enumerate(WRONG.values()):
                path = remade(tmp_path / str(number), rows=change)
                with archive.opened(path) as read, pytest.raises(NotABackup, match=words):
                    read.read_through()
                    dumping.copy_in(read, name)
            with psycopg.connect(scratch.address(name)) as connection:
                counted = connection.execute("SELECT count(*) FROM auth_user").fetchone()
        assert counted == (0,) and scratch.leftovers(server) == []


@pytest.mark.django_db
def test_a_backup_of_a_newer_version_is_refused_in_a_sentence(tmp_path: Path) -> None:
    def of_tomorrow(manifest: Manifest) -> None:
        manifest.vaultsite = "9.0.0"
        manifest.migrations["library"].append("9999_of_tomorrow")

    path = remade(tmp_path / "newer.zip", change=of_tomorrow)
    with pytest.raises(restore.CannotRestore, match=r"9\.0\.0.*newer.*library\.9999_of_tomorrow"):
        restore.restore(path)


@pytest.mark.django_db
def test_no_room_is_told_before_it_begins(settings: Settings) -> None:
    settings.FREE_DISK_MB = 2**40
    with pytest.raises(restore.CannotRestore, match="are free on the disk"):
        restore.restore(FIRST)


@pytest.mark.django_db
def test_what_a_killed_one_left_is_removed_each_hour(settings: Settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT, left = tmp_path, scratch.new_name("before")
    (tmp_path / "held-1").mkdir()
    with psycopg.connect(scratch.address("postgres"), autocommit=True) as server:
        server.execute(f"CREATE DATABASE {left}")
        assert scratch.leftovers(server) == [left]
        assert tasks.back_up_if_due() is False
        assert scratch.leftovers(server) == [] and not (tmp_path / "held-1").exists()


@pytest.mark.django_db
def test_only_one_at_a_time() -> None:
    with scratch.alone(), pytest.raises(scratch.Busy), scratch.alone():
        pass


@pytest.mark.django_db
def test_a_vault_with_content_is_not_overwritten(alice: User) -> None:
    with pytest.raises(restore.CannotRestore, match="add --replace"):
        restore.restore(FIRST)
    assert User.objects.get() == alice


@pytest.mark.django_db
def test_what_was_cut_off_is_told_before_anything_is_touched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cut.zip").write_bytes(FIRST.read_bytes()[:50_000])
    with pytest.raises(CommandError, match=r"is no backup of Vaultsite.*The vault is as it was"):
        call_command("restore", str(tmp_path / "cut.zip"), "--json")
    assert "is no backup of Vaultsite" in json.loads(capsys.readouterr().out)["error"]


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(restore.CannotRestore, match=r"nowhere\.zip: No such file"):
        restore.restore(tmp_path / "nowhere.zip")
