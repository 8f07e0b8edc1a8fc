"""The files of the vault, wherever they are kept: in its folder, or in an S3-compatible storage.

Rows name files, never paths. A file is written once, under a name nobody has chosen, and is never
changed: another revision is another file. Whoever needs a path gets one for a while.
"""

import contextlib
import errno
import hashlib
import os
import shutil
import tempfile
import time
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.files import File
from django.core.files.storage import FileSystemStorage, default_storage

HOLDING = "held-"  # begins the names of folders of files on their way out or in
PIECE = 1 << 20


class Vanished(Exception):
    """A file was deleted while it was about to be read."""


def are_local() -> bool:
    """Whether they lie in the vault's own folder."""
    return isinstance(default_storage, FileSystemStorage)


def exists(name: str | None) -> bool:
    return bool(name) and default_storage.exists(str(name))


def put(written: Path, name: str) -> None:
    """Move a file that is whole and on the vault's own disk to where its name says."""
    if are_local():
        place = Path(default_storage.path(name))
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        written.replace(place)
        return
    with written.open("rb") as stream, _told_as_of_a_disk():
        default_storage.save(name, File(stream))
    written.unlink()


def remove(name: str | None) -> None:
    """Delete a file; one that is not there is no matter."""
    if name:
        default_storage.delete(name)


@contextlib.contextmanager
def _told_as_of_a_disk() -> Iterator[None]:
    """Whatever a storage beyond this machine has to say becomes an OSError."""
    try:
        yield
    except OSError:
        raise
    except Exception as fault:  # of a library that need not be installed here
        if not type(fault).__module__.startswith(("boto", "s3transfer", "urllib3")):
            raise
        raise OSError(errno.EIO, f"the file storage did not go along: {fault}") from fault


@contextlib.contextmanager
def on_disk(name: str | None) -> Iterator[Path]:
    """A file as a path to read from, for a program that takes no streams.

    From another storage it is fetched for as long as the block runs. Raises FileNotFoundError.
    """
    if not name:
        raise FileNotFoundError("a document without a file")
    if are_local():
        path = Path(default_storage.path(name))
        path.stat()
        yield path
        return
    passing = Path(settings.MEDIA_ROOT) / "incoming"
    passing.mkdir(parents=True, exist_ok=True, mode=0o700)
    with tempfile.TemporaryDirectory(dir=passing, ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "0"
        with (
            _told_as_of_a_disk(),
            default_storage.open(name, "rb") as stream,
            path.open("xb") as copy,
        ):
            shutil.copyfileobj(stream, copy, PIECE)
        yield path


def sha256(name: str) -> str:
    """Of what is really there, whatever rows say."""
    with default_storage.open(name, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def names(folder: str = "") -> Iterator[str]:
    """Every file that is there, those on their way left out."""
    try:
        folders, found = default_storage.listdir(folder)
    except FileNotFoundError:
        return
    yield from (f"{folder}/{name}" for name in found if folder and name)
    for each in folders:
        if folder or not each.startswith(("incoming", HOLDING)):
            yield from names(f"{folder}/{each}" if folder else each)


def age(name: str) -> float:
    """Seconds since it was written."""
    return time.time() - default_storage.get_modified_time(name).timestamp()


# --- while a backup or a restore is under way ----------------------------------------------------
class Held:
    """Files that can be read although somebody deletes them meanwhile."""

    def __init__(self, paths: dict[str, Path | None]) -> None:
        self._paths = paths
        self.names = sorted(paths)

    def open(self, name: str) -> IO[Any]:
        """For reading; raises Vanished where it was not held after all, and is gone."""
        path = self._paths[name]
        try:
            return path.open("rb") if path else default_storage.open(name, "rb")
        except FileNotFoundError:
            raise Vanished(name) from None


@contextlib.contextmanager
def held(wanted: Iterable[str]) -> Iterator[Held]:
    """Give each of these files a second name for as long as the block runs; absent ones are left
    out. Where there are no second names, a file that is deleted raises Vanished later."""
    paths: dict[str, Path | None] = {}
    with holding() as folder:
        for number, name in enumerate(wanted):
            if not are_local():
                if default_storage.exists(name):
                    paths[name] = None
                continue
            place, second = Path(default_storage.path(name)), folder / str(number)
            try:
                os.link(place, second)
                paths[name] = second
            except FileNotFoundError:
                continue
            except OSError:  # this disk knows no second names
                paths[name] = place
        yield Held(paths)


@contextlib.contextmanager
def holding() -> Iterator[Path]:
    """An empty folder on the vault's own disk, which is gone at the end."""
    folder = Path(settings.MEDIA_ROOT) / f"{HOLDING}{uuid.uuid4().hex}"
    folder.mkdir(parents=True, mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def let_go_all() -> None:
    """Remove the folders that a crash has left; for the one who alone holds files now."""
    for folder in Path(settings.MEDIA_ROOT).glob(f"{HOLDING}*"):
        shutil.rmtree(folder, ignore_errors=True)
