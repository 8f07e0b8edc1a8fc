"""Archives from anybody: what is not exactly what its manifest says is refused."""

import io
import json
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from apps.vault import archive
from apps.vault.archive import FileEntry, Manifest, NotABackup, TableEntry

NAME = "documents/0123456789abcdef0123456789abcdef"
EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    """An archive with one table of three rows and one file."""
    path = tmp_path / "backup.zip"
    manifest = Manifest("0.1.0", "2026-11-30T01:00:00+00:00", "18.6", {"library": ["0001_initial"]})
    with path.open("wb") as out:
        writer = archive.Writer(out, lambda: None)
        with writer.table("library_chunk") as rows:
            rows.write(b"1\ta\n2\tb\n3\tc\n")
        manifest.tables.append(
            TableEntry("library_chunk", ["id", "text"], rows.lines, rows.size, rows.sha256)
        )
        manifest.files.append(writer.file(NAME, io.BytesIO(b"A lease. " * 5000)))
        writer.close(manifest)
    return path


def read(path: Path) -> Manifest:
    with archive.opened(path) as found:
        found.read_through()
        return found.manifest


def rewritten(
    path: Path,
    change: Callable[[dict[str, Any]], object] = lambda said: None,
    members: Callable[[dict[str, bytes]], object] = lambda members: None,
) -> Path:
    """The archive with its manifest or its members changed, otherwise well made."""
    with zipfile.ZipFile(path) as old:
        kept = {name: old.read(name) for name in old.namelist()}
    said = json.loads(kept[archive.MANIFEST])
    change(said)
    kept[archive.MANIFEST] = json.dumps(said).encode()
    members(kept)
    with zipfile.ZipFile(path, "w") as new:
        for name, body in kept.items():
            new.writestr(name, body)
    return path


def test_what_was_written_is_read(backup: Path) -> None:
    manifest = read(backup)
    assert [(table.name, table.rows) for table in manifest.tables] == [("library_chunk", 3)]
    assert manifest.files == [FileEntry(NAME, 45_000, manifest.files[0].sha256)]
    rows: list[bytes] = []
    with archive.opened(backup) as found:
        found.table(manifest.tables[0], rows.append)
    assert b"".join(rows) == b"1\ta\n2\tb\n3\tc\n"


def test_a_person_takes_documents_out_with_any_zip_program(backup: Path) -> None:
    with zipfile.ZipFile(backup) as found:
        assert found.read(f"files/{NAME}").startswith(b"A lease.")


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_an_archive_that_was_cut_off_is_refused(backup: Path, share: float) -> None:
    whole = backup.read_bytes()
    backup.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(NotABackup):
        read(backup)


def test_a_flipped_bit_anywhere_is_refused_or_harmless(backup: Path) -> None:
    """Harmless is what tells the same: bits of times and attributes that nobody reads."""
    whole, manifest = backup.read_bytes(), read(backup)
    for place in range(0, len(whole), 97):
        spoilt = bytearray(whole)
        spoilt[place] ^= 0x10
        backup.write_bytes(spoilt)
        try:
            assert read(backup) == manifest
        except NotABackup:
            continue


def entry(name: str) -> dict[str, Any]:
    return {"name": name, "size": 0, "sha256": EMPTY}


TALES: dict[str, Callable[[dict[str, Any]], object]] = {
    "a path upwards": lambda m: m["files"].append(entry("documents/../../etc/passwd")),
    "a path from the root": lambda m: m["files"].append(entry("/etc/passwd")),
    "a path of Windows": lambda m: m["files"].append(entry("documents\\..\\x")),
    "a hidden file": lambda m: m["files"].append(entry("documents/.x")),
    "a file that is not there": lambda m: m["files"].append(entry("documents/x")),
    "a file twice": lambda m: m["files"].append(m["files"][0]),
    "a file less": lambda m: m["files"].clear(),
    "a wrong hash": lambda m: m["files"][0].update(sha256=EMPTY),
    "a wrong size": lambda m: m["files"][0].update(size=44_999),
    "a size that is no number": lambda m: m["files"][0].update(size="45000"),
    "a size below nothing": lambda m: m["files"][0].update(size=-1),
    "a wrong count of rows": lambda m: m["tables"][0].update(rows=4),
    "a wrong hash of rows": lambda m: m["tables"][0].update(sha256=EMPTY),
    "a table with a statement for a name": lambda m: m["tables"][0].update(name="x; DROP TABLE y"),
    "a column with a statement for a name": lambda m: m["tables"][0].update(columns=['"; --']),
    "a word too many": lambda m: m.update(hook="rm"),
    "a word too few": lambda m: m.pop("tables"),
    "tables that are none": lambda m: m.update(tables=7),
    "another program's": lambda m: m.update(format="Somebody's backup"),
    "a later format": lambda m: m.update(format_version=2),
    "a time that is none": lambda m: m.update(created="yesterday"),
    "a migration that is none": lambda m: m.update(migrations={"library": [7]}),
    "a sequence that is none": lambda m: m["tables"][0].update(sequences={"id": ["x", True]}),
}


@pytest.mark.parametrize("change", TALES.values(), ids=TALES)
def test_a_manifest_that_lies_is_refused(
    backup: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    with pytest.raises(NotABackup):
        read(rewritten(backup, change))


def bomb(members: dict[str, bytes]) -> None:
    members["tables/library_chunk.zst"] = zstandard.compress(b"\0" * (64 << 20))


MEMBERS: dict[str, Callable[[dict[str, bytes]], object]] = {
    "no manifest": lambda m: m.pop(archive.MANIFEST),
    "a manifest that is not JSON": lambda m: m.update({archive.MANIFEST: b"{"}),
    "a manifest that is a list": lambda m: m.update({archive.MANIFEST: b"[]"}),
    "a manifest too deep": lambda m: m.update({archive.MANIFEST: b"[" * 100_000}),
    "a stranger": lambda m: m.update({"files/documents/x": b"x"}),
    "a stranger outside": lambda m: m.update({"../../x": b"x"}),
    "a bomb": bomb,
    "a table that is not packed": lambda m: m.update({"tables/library_chunk.zst": b"1\ta\n"}),
    "nothing at all": lambda m: m.clear(),
}


@pytest.mark.parametrize("change", MEMBERS.values(), ids=MEMBERS)
def test_members_that_do_not_fit_are_refused(
    backup: Path, change: Callable[[dict[str, bytes]], object]
) -> None:
    with pytest.raises(NotABackup):
        read(rewritten(backup, members=change))


def again(
    name: str, kind: int = stat.S_IFREG, packing: int = zipfile.ZIP_STORED
) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr, info.compress_type = (kind | 0o644) << 16, packing
    return info


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    "info",
    [
        again(archive.MANIFEST),
        again("files/link", stat.S_IFLNK),
        again("files/folder/"),
        again("files/device", stat.S_IFBLK),
        again("files/packed", packing=zipfile.ZIP_DEFLATED),
    ],
    ids=["the manifest twice", "a link", "a folder", "a device", "packed by the zip"],
)
def test_a_member_that_no_backup_has_is_refused(backup: Path, info: zipfile.ZipInfo) -> None:
    with zipfile.ZipFile(backup, "a") as more:
        more.writestr(info, b"/etc/passwd")
    with pytest.raises(NotABackup):
        read(backup)


def test_a_bomb_is_never_unpacked_whole(backup: Path) -> None:
    unpacked: list[int] = []
    rewritten(backup, members=bomb)
    with archive.opened(backup) as found, pytest.raises(NotABackup):
        found.table(found.manifest.tables[0], lambda piece: unpacked.append(len(piece)))
    assert sum(unpacked) <= 12
