"""The files of the vault, wherever its storage keeps them.

Rows name files, never paths. A file is written once, under a name nobody has chosen, and is never
changed: another revision is another file.
"""

import contextlib
import hashlib
import os
import shutil
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.files.storage import default_storage

HOLDING = "held-"  # begins the names of folders of files on their way out or in


class Vanished(Exception):
    """A file was deleted while it was about to be read."""


def exists(name: str) -> bool:
    return default_storage.exists(name)


def put(written: Path, name: str) -> None:
    """Move a file that is whole and on the disk of the vault to its name in the storage."""
    place = Path(default_storage.path(name))
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    written.replace(place)


def remove(name: str) -> None:
    """Delete a file; one that is not there is content with that."""
    default_storage.delete(name)


def sha256(name: str) -> str:
    """Of what is really there, whatever rows say."""
    with default_storage.open(name, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def names() -> Iterator[str]:
    """Every file that is there."""
    root = Path(settings.MEDIA_ROOT)
    for path in root.rglob("*"):
        inside = path.relative_to(root)
        if path.is_file() and not inside.parts[0].startswith(("incoming", HOLDING)):
            yield str(inside)


class Held:
    """Files that can be read although somebody deletes them meanwhile."""

    def __init__(self, paths: dict[str, Path]) -> None:
        self._paths = paths
        self.names = sorted(paths)

    def open(self, name: str) -> IO[Any]:
        try:
            return self._paths[name].open("rb")
        except FileNotFoundError:
            raise Vanished(name) from None


@contextlib.contextmanager
def held(wanted: Iterable[str]) -> Iterator[Held]:
    """Give each of these files a second name for as long as the block runs; absent ones are left
    out. On a disk that knows no second names, a file that vanishes raises Vanished later."""
    with holding() as folder:
        paths: dict[str, Path] = {}
        for number, name in enumerate(wanted):
            place, second = Path(default_storage.path(name)), folder / str(number)
            try:
                os.link(place, second)
                paths[name] = second
            except FileNotFoundError:
                continue
            except OSError:  # no second names here
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
    """Remove the folders that a crash has left."""
    for folder in Path(settings.MEDIA_ROOT).glob(f"{HOLDING}*"):
        shutil.rmtree(folder, ignore_errors=True)
