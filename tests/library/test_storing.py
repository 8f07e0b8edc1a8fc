"""What becomes of a file on its way in."""

import hashlib
import io
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.library import storing
from apps.library.models import Category, Document
from apps.library.storing import NotAccepted, accept, clean


@pytest.fixture(autouse=True)
def folder(settings, tmp_path) -> Path:
    settings.MEDIA_ROOT = tmp_path / "files"
    return settings.MEDIA_ROOT


def files(folder: Path) -> list[bytes]:
    return sorted(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_a_file_is_stored_under_an_id_and_queued(workspace, folder):
    accepted = accept(workspace, io.BytesIO(b"The heron"), "../../etc/passwd")
    document = Document.objects.get()
    assert (accepted.status, accepted.document) == ("queued", document)
    assert (document.name, document.size, document.state) == ("passwd", 9, "queued")
    assert document.sha256 == hashlib.sha256(b"The heron").hexdigest()
    assert Path(document.file.path).read_bytes() == b"The heron"
    assert "passwd" not in document.file.path


def test_the_same_bytes_again_change_nothing(workspace, folder):
    first = accept(workspace, io.BytesIO(b"The heron"), "birds.txt")
    second = accept(workspace, io.BytesIO(b"The heron"), "birds.txt")
    assert (second.status, second.document) == ("unchanged", first.document)
    assert files(folder) == [b"The heron"]


@pytest.mark.django_db
def test_a_folder_that_a_killed_parser_left_is_swept(settings):
    left = Path(settings.MEDIA_ROOT) / "incoming" / "vault-parse-x"
    left.mkdir(parents=True)
    (left / "page").write_bytes(b"secret")
    os.utime(left, (0, 0))
    storing.tidy()
    assert not left.exists()


def test_other_bytes_under_the_name_are_the_next_revision(
    workspace, folder, django_capture_on_commit_callbacks
):
    first = accept(workspace, io.BytesIO(b"The heron"), "birds.txt").document
    with django_capture_on_commit_callbacks(execute=True):
        accepted = accept(workspace, io.BytesIO(b"The crane"), "birds.txt")
    assert (accepted.document.pk, accepted.status) == (first.pk, "queued")
    assert accepted.document.revision == 2
    assert files(folder) == [b"The crane"]


def test_the_same_name_in_another_category_is_another_document(workspace):
    birds = Category.objects.create(workspace=workspace, name="Birds")
    first = accept(workspace, io.BytesIO(b"The heron"), "notes.txt")
    second = accept(workspace, io.BytesIO(b"The heron"), "notes.txt", category=birds)
    assert second.status == "queued"
    assert second.twin == first.document


def test_a_strangers_same_file_is_nobodys_business(workspace, bob):
    mine = accept(workspace, io.BytesIO(b"The heron"), "birds.txt")
    theirs = accept(bob.workspaces.get(), io.BytesIO(b"The heron"), "birds.txt")
    assert theirs.document != mine.document
    assert theirs.twin is None


def test_a_file_with_a_source_is_known_by_its_place_and_changes_category(workspace, tmp_path):
    birds = Category.objects.create(workspace=workspace, name="Birds")
    path = tmp_path / "a.txt"
    path.write_bytes(b"The heron")
    first = accept(workspace, io.BytesIO(b"The heron"), "a.txt", source=str(path))
    again = accept(workspace, io.BytesIO(b"The heron"), "a.txt", source=str(path), category=birds)
    assert (again.document, again.status) == (first.document, "unchanged")
    assert Document.objects.get().category == birds


def test_a_file_that_moved_is_the_same_document(workspace, tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"The heron")
    (tmp_path / "b.txt").write_bytes(b"The heron")
    first = accept(workspace, io.BytesIO(b"The heron"), "a.txt", source=str(path))
    copied = accept(workspace, io.BytesIO(b"The heron"), "b.txt", source=str(tmp_path / "b.txt"))
    assert copied.document != first.document
    path.unlink()
    moved = accept(workspace, io.BytesIO(b"The heron"), "c.txt", source=str(tmp_path / "c.txt"))
    assert (moved.document, moved.status) == (first.document, "unchanged")
    assert (moved.document.name, moved.document.source) == ("c.txt", str(tmp_path / "c.txt"))


@pytest.mark.parametrize("state", ["failed", "cancelled"])
def test_the_same_bytes_again_are_a_new_try_where_the_last_one_went_wrong(workspace, state):
    document = accept(workspace, io.BytesIO(b"The heron"), "birds.txt").document
    Document.objects.update(state=state, reason="Something happened.")
    assert accept(workspace, io.BytesIO(b"The heron"), "birds.txt").status == "queued"
    document.refresh_from_db()
    assert (document.state, document.reason, document.revision) == ("queued", "", 1)


def test_a_lost_file_is_replaced_by_the_same_bytes(workspace):
    document = accept(workspace, io.BytesIO(b"The heron"), "birds.txt").document
    Path(document.file.path).unlink()
    assert accept(workspace, io.BytesIO(b"The heron"), "birds.txt").status == "queued"
    document.refresh_from_db()
    assert Path(document.file.path).read_bytes() == b"The heron"


def test_a_file_over_the_limit_is_refused_while_it_streams_and_harms_nothing(
    workspace, folder, settings
):
    accept(workspace, io.BytesIO(b"The heron"), "birds.txt")
    settings.UPLOAD_LIMIT_MB = 1
    endless = io.BytesIO(b"x" * (3 << 20))
    with pytest.raises(NotAccepted, match="larger than 1 MB"):
        accept(workspace, endless, "birds.txt")
    assert endless.tell() == 2 << 20
    assert files(folder) == [b"The heron"]
    assert Document.objects.get().revision == 1


def test_a_disk_that_is_nearly_full_takes_nothing(workspace, folder, settings):
    settings.FREE_DISK_MB = 1 << 40
    with pytest.raises(NotAccepted, match="must stay free"):
        accept(workspace, io.BytesIO(b"The heron"), "birds.txt")
    assert files(folder) == []
    assert not Document.objects.exists()


class BreaksOff(io.BytesIO):
    """A browser that goes away in the middle of an upload."""

    def read(self, size: int | None = -1) -> bytes:
        if self.tell():
            raise ConnectionError("gone")
        return super().read(3)


def test_an_upload_that_breaks_off_leaves_the_good_file(workspace, folder):
    accept(workspace, io.BytesIO(b"The heron"), "birds.txt")
    with pytest.raises((NotAccepted, ConnectionError)):
        accept(workspace, BreaksOff(b"The crane"), "birds.txt")
    assert files(folder) == [b"The heron"]


def test_what_a_crash_left_is_tidied_and_what_is_known_stays(workspace, folder):
    accept(workspace, io.BytesIO(b"The heron"), "birds.txt")
    (folder / "incoming" / "half").write_bytes(b"The")
    (folder / "documents" / "orphan").write_bytes(b"The crane")
    storing.tidy()
    assert len(files(folder)) == 3  # too young: perhaps its row is just being written
    for path in folder.rglob("*"):
        os.utime(path, (0, 0))
    storing.tidy()
    assert files(folder) == [b"The heron"]


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("C:\\Users\\me\\Lease.pdf", "Lease.pdf"),
        ("/etc/passwd", "passwd"),
        ("..", "untitled"),
        ("", "untitled"),
        ("a\x00b\r\nc.txt", "abc.txt"),
        ("rechnung\u202efdp.txt", "rechnungfdp.txt"),
        ("Bericht äöü.txt", "Bericht äöü.txt"),
        ("x" * 300 + ".pdf", "x" * 251 + ".pdf"),
        ("bytes\udcff.txt", "bytes?.txt"),
    ],
)
def test_a_name_is_one_line_and_never_a_path(name, kept):
    assert clean(name) == kept


@given(st.text())
def test_any_name_can_be_kept(name):
    kept = clean(name)
    assert 1 <= len(kept) <= 255
    assert "/" not in kept
    assert not any(ord(sign) < 32 for sign in kept)
    assert clean(kept) == kept
    kept.encode()
