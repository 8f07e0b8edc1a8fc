"""The processes that read files: limited, killable, without secrets, and gone with their parent.

One has a bounded memory and time, is killed with all it started when it shows no sign of life, and
sees a folder of its own. Starting one takes 50 ms, so one that has read a small text may wait for
the next: see `take` and `keep`.
"""

import atexit
import contextlib
import json
import logging
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings

from apps.web.telling import gettext as _

log = logging.getLogger(__name__)

LONGEST_ANSWER = 64 * 1024 * 1024  # bytes of one line
MOST_FILES = 200  # that one process reads
# What a child needs to find Python, its libraries and Tesseract; nothing that could be a secret.
KEPT = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TESSDATA_PREFIX", "SYSTEMROOT")

_waiting: list["Child"] = []  # at most one
_lock = threading.Lock()


class Broke(Exception):
    """The child ended without an answer: too slow, too big, or crashed. For the reader."""


class Child:
    """`python -m module`, which answers each order in JSON lines."""

    def __init__(self, module: str) -> None:
        self._folder = tempfile.mkdtemp(prefix="vault-parse-")
        self._parent, self._thread = os.getpid(), threading.get_native_id()
        self.orders = 0
        environment = {name: os.environ[name] for name in KEPT if name in os.environ}
        environment |= {
            "PYTHONPATH": str(settings.BASE_DIR), "HOME": self._folder, "TMPDIR": self._folder,
            "PYTHONDONTWRITEBYTECODE": "1",
        }  # fmt: skip
        with (Path(self._folder) / "errors").open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", module],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
                cwd=self._folder, env=environment, start_new_session=True, close_fds=True,
            )  # fmt: skip

    def send(self, order: dict[str, Any]) -> None:
        """Give it the next order; an order that is not `warm` is its last."""
        self.orders += 1
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it has ended, which is told when it is read
            self.process.stdin.write(json.dumps(order).encode() + b"\n")
            self.process.stdin.flush()
            if not order.get("warm"):
                self.process.stdin.close()

    def answers(self, seconds: float) -> Iterator[dict[str, Any]]:
        """What it says; raises Broke when nothing comes in time. Only waiting counts as time."""
        assert self.process.stdout is not None
        descriptor = self.process.stdout.fileno()
        poll = select.poll()
        poll.register(descriptor, select.POLLIN | select.POLLHUP)
        held = bytearray()
        until = time.monotonic() + seconds
        while True:
            if not poll.poll(max(0.0, until - time.monotonic()) * 1000):
                raise Broke(
                    _("Reading took longer than %(seconds)s seconds and was stopped.")
                    % {"seconds": f"{seconds:g}"}
                )
            data = os.read(descriptor, 1 << 20)
            if not data:
                return
            held += data
            *whole, rest = held.split(b"\n")
            held = bytearray(rest)
            if len(held) > LONGEST_ANSWER:
                raise Broke(too_big())
            for line in whole:
                yield json.loads(line)
            if whole:
                until = time.monotonic() + seconds

    def raise_for_end(self) -> None:
        """Say why it ended before it was done."""
        status = self.process.wait()
        errors = Path(self._folder) / "errors"
        said = errors.read_bytes()[-4000:].decode("utf-8", "replace").strip()
        log.warning("a parser ended with status %s: %s", status, said)
        if status == -signal.SIGKILL:
            # Nobody here did that: the machine is out of memory, or somebody stops things.
            raise ChildProcessError(_("The reader was killed from outside. Try again."))
        if status == -signal.SIGXCPU:
            raise Broke(_("Reading used too much computing time and was stopped."))
        if "MemoryError" in said or "bad_alloc" in said or "malloc" in said:
            raise Broke(too_big())
        if status > 0 and ("ModuleNotFoundError" in said or "ImportError" in said):
            raise ChildProcessError(
                _("A library is missing: %(what)s") % {"what": said.splitlines()[-1]}
            )
        raise Broke(_("The file is damaged in a way that breaks its reader."))

    def end(self) -> None:
        """Kill it and all it started: its group outlives it when it has left something behind."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self.process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def is_usable(self) -> bool:
        """Whether it lives, and as long as this thread does: the kernel ties it to that."""
        return self._thread == threading.get_native_id() and self.process.poll() is None

    @property
    def is_of_this_process(self) -> bool:
        """False after a fork: then it is the parent's, and not to be touched."""
        return self._parent == os.getpid()


def take() -> Child | None:
    """A process that waits, for this thread alone; None where there is none."""
    with _lock:
        child = _waiting.pop() if _waiting else None
    if child is None or not child.is_of_this_process:
        return None
    if child.is_usable:
        return child
    child.end()
    return None


def keep(child: Child) -> None:
    """Let a process that has done its order wait for the next, if it is not time for a new one."""
    with _lock:
        if not _waiting and child.orders < MOST_FILES:
            _waiting.append(child)
            return
    child.end()


def rest() -> None:
    """Nothing is to be read for now: no process waits, for it would hold memory."""
    with _lock:
        waiting, _waiting[:] = list(_waiting), []
    for child in waiting:
        if child.is_of_this_process:
            child.end()


atexit.register(rest)


def too_big() -> str:
    """The reason where memory was not enough."""
    return _("Reading needs more than the %(limit)s MB of memory it may use.") % {
        "limit": settings.PARSE_MEMORY_MB
    }
