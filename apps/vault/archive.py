"""The file a backup is: a zip with the documents as they are, each table packed, and a manifest.

A person can take documents out of it with any zip program. An archive is a stranger's until it has
been read through once: `opened` refuses what is not exactly what its manifest says.
"""

import hashlib
import json
import re
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

import zstandard

from apps.web.telling import gettext as _

FORMAT, FORMAT_VERSION = "Vaultsite backup", 1
MANIFEST = "manifest.json"
MOST_MANIFEST = 256 << 20  # bytes; a million files are described in 150 MB
PIECE = 1 << 20
TABLE_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")
FILE_NAME = re.compile(r"(?:[a-z0-9_-]{1,40}/){1,4}[A-Za-z0-9_-][A-Za-z0-9._-]{0,120}")
DIGEST = re.compile(r"[0-9a-f]{64}")
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+]00:00")

Write = Callable[[bytes], object]


class NotABackup(Exception):
    """The archive is refused; the message says why, for a person."""


@dataclass(frozen=True, slots=True)
class TableEntry:
    """A table as text of COPY: `rows` lines of `columns`, `size` bytes with this SHA-256.

    `sequences` says of each column that counts up what was given last, and whether it was.
    """

    name: str
    columns: list[str]
    rows: int
    size: int
    sha256: str
    sequences: dict[str, list[Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FileEntry:
    name: str  # in the vault's storage
    size: int
    sha256: str


@dataclass(slots=True)
class Manifest:
    """What is in an archive. `migrations` are those applied, by app; `missing` are files that rows
    named but that were not there when the backup was made."""

    vaultsite: str
    created: str  # UTC, to the second
    postgresql: str
    migrations: dict[str, list[str]]
    tables: list[TableEntry] = field(default_factory=list)
    files: list[FileEntry] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables)

    @property
    def file_bytes(self) -> int:
        return sum(file.size for file in self.files)

    @property
    def bytes(self) -> int:
        """Of everything in it, unpacked."""
        return self.file_bytes + sum(table.size for table in self.tables)

    def text(self) -> str:
        said = {"format": FORMAT, "format_version": FORMAT_VERSION, **asdict(self)}
        return json.dumps(said, ensure_ascii=False, indent=1)


class Measured:
    """Counts and hashes what passes, on its way to somewhere."""

    def __init__(self, write: Write) -> None:
        self._write = write
        self._digest = hashlib.sha256()
        self.size = self.lines = 0

    def write(self, piece: bytes) -> int:
        self._digest.update(piece)
        self.size += len(piece)
        self.lines += piece.count(b"\n")
        self._write(piece)
        return len(piece)

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()


# --- writing ---------------------------------------------------------------------------------
class Writer:
    """Adds tables and files to an archive that is being made; nothing is held in memory."""

    def __init__(self, out: IO[bytes], look: Callable[[], None]) -> None:
        self._zip = zipfile.ZipFile(out, "w", zipfile.ZIP_STORED, allowZip64=True)
        self._look = look  # called between pieces: raises where the disk becomes too full

    @contextmanager
    def _member(self, name: str) -> Iterator[Write]:
        entry = zipfile.ZipInfo(name)  # without a time of its own: equal vaults, equal bytes
        entry.external_attr = (stat.S_IFREG | 0o600) << 16
        with self._zip.open(entry, "w", force_zip64=True) as member:
            unlooked = 0

            def write(piece: bytes) -> None:
                nonlocal unlooked
                unlooked += len(piece)
                if unlooked > 16 * PIECE:
                    self._look()
                    unlooked = 0
                member.write(piece)

            yield write

    @contextmanager
    def table(self, name: str) -> Iterator[Measured]:
        packer = zstandard.ZstdCompressor(level=3).compressobj()
        with self._member(_table_member(name)) as write:
            measured = Measured(lambda piece: write(packer.compress(piece)))
            yield measured
            write(packer.flush())

    def file(self, name: str, stream: IO[bytes]) -> FileEntry:
        with self._member(_file_member(name)) as write:
            measured = Measured(write)
            while piece := stream.read(PIECE):
                measured.write(piece)
        return FileEntry(name, measured.size, measured.sha256)

    def close(self, manifest: Manifest) -> None:
        """Write the manifest, which is what makes it an archive."""
        with self._member(MANIFEST) as write:
            write(manifest.text().encode())
        self._zip.close()


def _table_member(name: str) -> str:
    return f"tables/{name}.zst"


def _file_member(name: str) -> str:
    return f"files/{name}"


# --- reading ---------------------------------------------------------------------------------
class Archive:
    """An archive whose manifest fits its members; their bytes are checked as they are read."""

    def __init__(self, opened: zipfile.ZipFile, manifest: Manifest) -> None:
        self._zip = opened
        self.manifest = manifest

    def table(self, entry: TableEntry, write: Write) -> None:
        """Hand over a table's text; raises NotABackup where it is not what the manifest says."""
        with _trouble_told(entry.name), self._zip.open(_table_member(entry.name)) as packed:
            stream = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(packed)
            measured = _pass_on(stream, write, entry.size)
        if (measured.size, measured.sha256, measured.lines) != (
            entry.size,
            entry.sha256,
            entry.rows,
        ):
            told = _("The table %(name)s in it is not the one its manifest tells of.")
            raise NotABackup(told % {"name": entry.name})

    def file(self, entry: FileEntry, write: Write) -> None:
        """Hand over a file's bytes; raises NotABackup where they are not the manifest's."""
        with _trouble_told(entry.name), self._zip.open(_file_member(entry.name)) as stream:
            measured = _pass_on(stream, write, entry.size)
        if (measured.size, measured.sha256) != (entry.size, entry.sha256):
            told = _("The file %(name)s in it is not the one its manifest tells of.")
            raise NotABackup(told % {"name": entry.name})

    def read_through(self) -> None:
        """Check every byte; raises NotABackup."""
        for table in self.manifest.tables:
            self.table(table, lambda piece: None)
        for file in self.manifest.files:
            self.file(file, lambda piece: None)


@contextmanager
def opened(path: Path) -> Iterator[Archive]:
    """The archive in a file. Raises NotABackup for what is none, OSError for what is not there."""
    with path.open("rb") as stream:
        try:
            archive = zipfile.ZipFile(stream)
        except (zipfile.BadZipFile, zipfile.LargeZipFile, ValueError) as fault:
            told = _("%(path)s is no backup of Vaultsite, or its end is missing (%(reason)s).")
            raise NotABackup(told % {"path": path, "reason": fault}) from None
        with archive:
            members = _members(archive)
            manifest = _manifest(archive, members)
            _compare(members, manifest)
            yield Archive(archive, manifest)


def _members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Its members by name: plain files, each once, none packed by the zip itself or encrypted."""
    found: dict[str, zipfile.ZipInfo] = {}
    for member in archive.infolist():
        kind = stat.S_IFMT(member.external_attr >> 16)
        name = {"name": member.filename[:200]}
        if member.filename in found:
            raise NotABackup(_("“%(name)s” is in it twice.") % name)
        if member.is_dir() or kind not in (0, stat.S_IFREG):
            raise NotABackup(_("“%(name)s” in it is not a plain file.") % name)
        if member.compress_type != zipfile.ZIP_STORED or member.flag_bits & 1:
            raise NotABackup(_("“%(name)s” in it is packed as no backup is.") % name)
        if member.file_size != member.compress_size:
            raise NotABackup(_("“%(name)s” in it lies about its size.") % name)
        found[member.filename] = member
    return found


def _manifest(archive: zipfile.ZipFile, members: dict[str, zipfile.ZipInfo]) -> Manifest:
    if MANIFEST not in members:
        raise NotABackup(_("It has no manifest, so it is no backup of Vaultsite."))
    if members[MANIFEST].file_size > MOST_MANIFEST:
        raise NotABackup(_("Its manifest is too large to be one."))
    with _trouble_told(MANIFEST):
        said = json.loads(archive.read(MANIFEST))
        if not isinstance(said, dict) or said.pop("format", "") != FORMAT:
            raise NotABackup(_("Its manifest is not one of Vaultsite."))
        version = said.pop("format_version", 0)
        if version != FORMAT_VERSION:
            told = _(
                "It was written in format %(its)s, and this Vaultsite reads format %(ours)s."
                " Update Vaultsite, then restore it."
            )
            raise NotABackup(told % {"its": version, "ours": FORMAT_VERSION})
        said["tables"] = [TableEntry(**table) for table in said["tables"]]
        said["files"] = [FileEntry(**file) for file in said["files"]]
        manifest = Manifest(**said)
        _check(manifest)
    return manifest


def _check(manifest: Manifest) -> None:
    """Raises ValueError where something in it is of the wrong kind."""
    texts: list[Any] = [manifest.vaultsite, manifest.postgresql, *manifest.missing]
    texts += [name for names in manifest.migrations.values() for name in names]
    numbers: list[Any] = []
    for table in manifest.tables:
        numbers += [table.rows, table.size]
        for last, given in table.sequences.values():
            numbers.append(last)
            if type(given) is not bool:
                raise ValueError("a sequence")
        for name in (table.name, *table.columns, *table.sequences):
            _match(TABLE_NAME, name)
    for file in manifest.files:
        numbers.append(file.size)
        _match(FILE_NAME, file.name)
    for digest in [t.sha256 for t in manifest.tables] + [f.sha256 for f in manifest.files]:
        _match(DIGEST, digest)
    _match(MOMENT, manifest.created)
    if any(type(text) is not str or len(text) > 1000 for text in texts):
        raise ValueError("a text")
    if any(type(number) is not int or not 0 <= number < 2**63 for number in numbers):
        raise ValueError("a number")


def _match(pattern: re.Pattern[str], text: Any) -> None:
    if not isinstance(text, str) or not pattern.fullmatch(text):
        raise ValueError(f"{str(text)[:200]!r}")


def _compare(members: Iterable[str], manifest: Manifest) -> None:
    """Each thing the manifest tells of is there once, and nothing else is."""
    told = [_table_member(table.name) for table in manifest.tables]
    told += [_file_member(file.name) for file in manifest.files] + [MANIFEST]
    if odd := sorted(set(members) ^ set(told)):
        only = _("“%(name)s” is either in it or in its manifest, not in both.")
        raise NotABackup(only % {"name": odd[0][:200]})
    if len(told) != len(set(told)):
        raise NotABackup(_("Its manifest tells of something twice."))


def _pass_on(stream: Any, write: Write, most: int) -> Measured:
    """Read a stream to its end, and not beyond what it should have."""
    measured = Measured(write)
    while piece := stream.read(min(PIECE, most - measured.size + 1)):
        if measured.size + len(piece) > most:
            raise NotABackup(_("Something in it is larger than its manifest tells."))
        measured.write(piece)
    return measured


@contextmanager
def _trouble_told(name: str) -> Iterator[None]:
    """Whatever breaks while a member is read is the archive's fault."""
    try:
        yield
    except (
        zipfile.BadZipFile,
        zstandard.ZstdError,
        zlib.error,
        EOFError,
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
        RecursionError,
        NotImplementedError,
    ) as fault:
        told = _("“%(name)s” in it cannot be read (%(reason)s).")
        raise NotABackup(told % {"name": name, "reason": str(fault)[:200]}) from None
