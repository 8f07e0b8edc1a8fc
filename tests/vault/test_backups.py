"""Backups that the vault keeps by itself, and their page."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import translation
from django_q.models import OrmQ, Schedule
from pytest_django import Settings

from apps.vault import archive, backup, backups


@pytest.fixture(autouse=True)
def folders(settings: Settings, tmp_path: Path) -> Path:
    settings.BACKUP_DIR = tmp_path / "backups"
    settings.RUN_DIR = tmp_path / "run"
    settings.BACKUP_EVERY, settings.BACKUP_KEEP = 24, 2
    settings.BACKUP_DIR.mkdir()
    return settings.BACKUP_DIR


def there(folder: Path, hours: float) -> Path:
    """A backup of so many hours ago."""
    at = datetime.now(UTC) - timedelta(hours=hours)
    path = folder / f"vaultsite-{at:%Y%m%dT%H%M%S}Z.zip"
    path.write_bytes(b"x" * 2048)
    return path


def said(state: str, minutes: float, words: str = "", pid: int = 1) -> None:
    """What the last try has left word of."""
    backups._note(state, words)
    told = json.loads(backups._state().read_text())
    told |= {"at": (datetime.now(UTC) - timedelta(minutes=minutes)).isoformat(), "pid": pid}
    backups._state().write_text(json.dumps(told))


def test_one_is_due_where_there_is_none_or_the_newest_is_old(folders: Path) -> None:
    assert backups.is_due()
    there(folders, 25)
    assert backups.is_due()
    there(folders, 23)
    assert not backups.is_due()


def test_none_is_due_where_no_folder_is_named(settings: Settings) -> None:
    settings.BACKUP_EVERY = 0
    assert not backups.is_due()
    assert backups.check().state == "absent"


def test_a_failed_one_is_tried_again_after_half_an_hour() -> None:
    said("failed", 10)
    assert not backups.is_due()
    said("failed", 40)
    assert backups.is_due()


def test_one_whose_process_is_gone_has_failed() -> None:
    said("running", 90, pid=2**22)
    assert backups.last().state == "failed"


def test_health_tells_of_the_newest_and_of_trouble(folders: Path) -> None:
    there(folders, 2)
    assert backups.check().state == "ok" and "1 in" in backups.check().detail
    said("failed", 5, "Only 3 MB are free.")
    assert (backups.check().state, backups.check().fix) == ("degraded", "Only 3 MB are free.")
    said("done", 5)
    for path in folders.iterdir():
        path.unlink()
    there(folders, 60)
    assert backups.check().state == "degraded" and "too old" in backups.check().detail


@pytest.mark.django_db(transaction=True)
def test_a_new_one_is_whole_and_the_oldest_goes(folders: Path, reader: Client) -> None:
    oldest, older = there(folders, 60), there(folders, 30)
    (folders / "mine.zip").write_bytes(b"not one of them")
    made = backups.make()
    assert {path.name for path in folders.iterdir()} == {made.path.name, older.name, "mine.zip"}
    assert not oldest.exists()
    with archive.opened(made.path) as found:
        found.read_through()
        rows = {table.name: table.rows for table in found.manifest.tables}
    assert rows["auth_user"] == 1 and "web_session" not in rows
    assert backups.last().state == "done" and "tried out" in backups.last().words
    page = reader.get("/backups/").content.decode()
    assert made.path.name in page
    answer = reader.get(f"/backups/{made.path.name}/")
    assert b"".join(answer) == made.path.read_bytes()
    assert "attachment" in answer.headers["Content-Disposition"]
    assert reader.get("/backups/mine.zip/").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_no_room_is_told_before_it_begins(settings: Settings, folders: Path) -> None:
    settings.FREE_DISK_MB = 2**40
    with pytest.raises(backup.CannotBackUp, match="must stay free"):
        backups.make()
    assert list(folders.iterdir()) == [] and "must stay free" in backups.last().words


@pytest.mark.django_db
def test_a_place_that_cannot_be_written_to_is_told(folders: Path) -> None:
    for place in (Path("/proc/backup.zip"), folders / "nowhere" / "backup.zip"):
        with pytest.raises(backup.CannotBackUp, match=f"{place}.part could not be written"):
            backup.back_up(place)
    with pytest.raises(backup.CannotBackUp, match="is a folder"):
        backup.back_up(folders)


def test_why_one_failed_is_told_in_the_readers_language(folders: Path) -> None:
    with pytest.raises(archive.NotABackup) as reason, archive.opened(there(folders, 2)):
        pass
    said("failed", 1, str(reason.value))
    assert "is no backup of Vaultsite" in backups.last().words
    with translation.override("de"):
        assert "ist keine Sicherung von Vaultsite" in backups.last().words


def test_the_button_asks_the_worker_and_the_page_follows(reader: Client) -> None:
    answer = reader.post("/backups/make/", follow=True)
    assert "A backup waits for the worker." in answer.content.decode()
    assert OrmQ.objects.count() == 1
    said("failed", 1, "Only 3 MB are free.")
    assert "failed: Only 3 MB are free." in reader.get("/backups/").content.decode()


@pytest.mark.django_db
def test_the_worker_looks_each_hour() -> None:
    schedule = Schedule.objects.get(name="vault: backup")
    assert (schedule.func, schedule.schedule_type) == ("apps.vault.tasks.back_up_if_due", "H")
