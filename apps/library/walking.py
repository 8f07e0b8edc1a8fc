"""Walk a folder: which of its files are documents, and why the others are left out."""

import os
import stat
from collections.abc import Generator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import psutil
from django.conf import settings

from apps.web.telling import gettext as _

# Kinds of file nothing is read from; to store them would only fill the disk.
UNREAD = frozenset(
    ("exe", "dll", "so", "dylib", "bin", "o", "a", "class", "pyc", "jar", "apk", "msi", "deb",
     "rpm", "dmg", "iso", "img", "vdi", "qcow2", "zip", "gz", "tgz", "bz2", "xz", "7z", "rar",
     "tar", "zst", "gif", "bmp", "svg", "ico", "heic", "avif", "psd", "raw", "cr2", "nef", "avi",
     "mov", "mkv", "wmv", "ttf", "otf", "woff", "woff2", "db", "sqlite", "sqlite3", "mdb", "gguf",
     "safetensors", "parquet", "npy", "npz", "pkl", "pt", "onnx")
)  # fmt: skip
SYSTEM = frozenset(("thumbs.db", "desktop.ini", "icon\r", "ehthumbs.db"))
SYSTEM_FOLDERS = frozenset(
    ("node_modules", "__pycache__", "$recycle.bin", "system volume information", "lost+found")
)
UNFINISHED = (".tmp", ".temp", ".part", ".partial", ".crdownload", ".swp", ".lock", "~")
NETWORK = frozenset(
    ("nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "9p", "afpfs", "webdav", "davfs",
     "fuse.sshfs", "fuse.rclone", "fuse.davfs2", "fuse.glusterfs", "ceph", "glusterfs", "virtiofs",
     "vboxsf", "fakeowner", "fuse.gvfsd-fuse")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """A file below a folder, or a folder that is not walked; left out where it has a reason."""

    path: str  # below the folder, a folder's ends in "/"
    size: int = 0
    changed: int = 0
    reason: str = ""


class FolderGone(Exception):
    """The folder cannot be walked; str() says why."""


def walk(root: Path, include: list[str], exclude: list[str]) -> Generator[Found, None, None]:
    """Every file below, in order of folders. Raises FolderGone where the folder is not there.

    No link is followed out of the folder, and none to a folder at all: what it leads to inside is
    walked where it is.
    """
    if not root.is_dir():
        raise FolderGone(_("%(path)s is not there, or not mounted.") % {"path": root})
    waiting = [""]
    while waiting:
        below = waiting.pop()
        try:
            entries = sorted(os.scandir(root / below), key=lambda entry: entry.name)
        except OSError as error:
            if not below:
                raise FolderGone(
                    _("%(path)s cannot be read: %(reason)s.")
                    % {"path": root, "reason": error.strerror}
                ) from None
            reason = _("The folder cannot be read: %(reason)s.") % {"reason": error.strerror}
            yield Found(f"{below}/", reason=reason)
            continue
        folders = []
        for entry in entries:
            path = f"{below}/{entry.name}" if below else entry.name
            if entry.is_dir(follow_symlinks=False):
                if reason := _of_folder(entry.name, path, exclude):
                    yield Found(f"{path}/", reason=reason)
                else:
                    folders.append(path)
            else:
                yield _found(root, entry, path, include, exclude)
        waiting += reversed(folders)


def _of_folder(name: str, path: str, exclude: list[str]) -> str:
    """Why a folder is not walked, "" where it is."""
    if name.startswith("."):
        return _("A hidden folder.")
    if name.lower() in SYSTEM_FOLDERS:
        return _("A folder of programs, not of documents.")
    return _("Left out by a pattern.") if matches(f"{path}/", exclude) else ""


def _found(
    root: Path, entry: "os.DirEntry[str]", path: str, include: list[str], exclude: list[str]
) -> Found:
    name = entry.name
    try:
        if entry.is_symlink() and (reason := _of_link(root, root / path)):
            return Found(path, reason=reason)
        status = entry.stat()
    except OSError as error:
        reason = _("It cannot be read: %(reason)s.") % {"reason": error.strerror}
        return Found(path, reason=reason)
    reason = _of_file(name, path, status, include, exclude)
    return Found(path, status.st_size, status.st_mtime_ns, reason)


def _of_link(root: Path, path: Path) -> str:
    target = Path(os.path.realpath(path))
    if not target.is_relative_to(root):
        return _("A link that leads out of the folder.")
    if target.is_dir():
        return _("A link to a folder, which is walked where it is.")
    return "" if target.exists() else _("A link that leads nowhere.")


def _of_file(
    name: str, path: str, status: os.stat_result, include: list[str], exclude: list[str]
) -> str:
    """Why a file is left out, "" where it is not."""
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    if name.startswith("."):
        return _("A hidden file.")
    if name.lower() in SYSTEM:
        return _("A file of the system.")
    if name.startswith("~$") or name.lower().endswith(UNFINISHED):
        return _("A temporary file.")
    if not stat.S_ISREG(status.st_mode):
        return _("No file: a socket, pipe or device.")
    if matches(path, exclude) or (include and not matches(path, include)):
        return _("Left out by a pattern.")
    if ending in UNREAD:
        return _("A kind of file that is not read (.%(ending)s).") % {"ending": ending}
    if status.st_size == 0:
        return _("The file is empty.")
    if status.st_size > settings.UPLOAD_LIMIT_MB << 20:
        limit = settings.UPLOAD_LIMIT_MB
        return _("Larger than %(limit)s MB, the limit of this vault.") % {"limit": limit}
    return ""


def matches(path: str, patterns: list[str]) -> bool:
    """Whether a path below the folder fits one of the patterns.

    `*.pdf` is about names anywhere, `drafts/` about folders of that name and all in them,
    `2024/*.pdf` about paths from the folder on. Case does not matter.
    """
    path = path.lower()
    name = path.rstrip("/").rpartition("/")[2]
    for pattern in patterns:
        if pattern.endswith("/"):
            if f"/{pattern.lstrip('/')}" in f"/{path}":
                return True
        elif "/" in pattern:
            if fnmatchcase(path, pattern.lstrip("/")):
                return True
        elif fnmatchcase(name, pattern):
            return True
    return False


def patterns(text: str) -> list[str]:
    """The patterns of a field: one a line, or by commas."""
    found = (each.strip().lower() for each in text.replace(",", "\n").splitlines())
    return [each for each in found if each]


def is_on_network(path: Path) -> bool:
    """Whether a folder is on a mount that does not tell this machine of changes."""
    mounts = {Path(each.mountpoint): each.fstype for each in psutil.disk_partitions(all=True)}
    for place in (path, *path.parents):
        if place in mounts:
            return mounts[place].lower() in NETWORK
    return False
