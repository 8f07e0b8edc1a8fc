"""The parts of a running vault, each of which is started again if it ends."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Protocol
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

import psutil
from django.conf import settings

from vaultsite.runtime import postgres

TIED = ["-m", "vaultsite.runtime.tied"]
LOG_BYTES = 5 * 2**20
LONGEST_PAUSE = 30.0  # seconds between two starts of a part that keeps ending
STEADY = 60.0  # seconds of life after which the pauses begin anew
OLLAMA = "http://127.0.0.1:11434"
RENEWED = {"vaultsite.serve", "vaultsite.runtime.worker"}
PATIENCE = 20.0  # seconds for a part to end when asked to; a slice of work takes five


class Part(Protocol):
    def tend(self) -> str:
        """Start the part again where it has ended; says what happened, or ""."""


class Child:
    """A module run as a process, in a group of its own, with a log of its own.

    `name` is what people read; `descriptor` is a listening socket that the process is handed.
    """

    def __init__(self, name: str, module: str, *arguments: str, descriptor: int = -1) -> None:
        self.name = name
        self.log: Path = settings.LOG_DIR / f"{name.lower()}.log"
        self.command = [sys.executable, *TIED, str(settings.RUN_DIR), module, *arguments]
        self.descriptor = descriptor
        self.process: subprocess.Popen[bytes] | None = None
        self.starts = 0
        self.began = self.due = 0.0
        self.pause = 0.25

    def start(self) -> None:
        """Start it now. From the main thread only: the kernel ties a child to a thread."""
        self._rotate()
        environment = {
            **os.environ,
            "PYTHONUNBUFFERED": "1",
            "VAULT_DATA": str(settings.DATA_DIR),  # may have been relative to another folder
            "VAULT_MODELS": str(settings.MODELS_DIR),
        }
        handed = []
        if self.descriptor >= 0:
            environment["VAULT_SOCKET"] = str(self.descriptor)
            handed = [self.descriptor]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=settings.BASE_DIR,
                env=environment,
                pass_fds=handed,
                start_new_session=True,
            )
        self.starts += 1
        self.began = time.monotonic()

    def tend(self) -> str:
        self._rotate()
        if self.process is None:
            if time.monotonic() < self.due:
                return ""
            self.start()
            return f"{self.name} is started again."
        status = self.process.poll()
        if status is None:
            return ""
        self.kill()
        steady = time.monotonic() - self.began > STEADY
        self.pause = 0.5 if steady else min(self.pause * 2, LONGEST_PAUSE)
        self.due = time.monotonic() + self.pause
        how = signal.Signals(-status).name if status < 0 else f"status {status}"
        words = "" if status == -signal.SIGKILL else f" Its last words:\n{self._last_words()}"
        return f"{self.name} has ended ({how}).{words}"

    def ask_to_end(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)

    def has_ended(self) -> bool:
        return self.process is None or self.process.poll() is not None

    def kill(self) -> None:
        """End it and all it has started: the children of a worker would outlive it."""
        if self.process:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None

    def _rotate(self) -> None:
        """Keep the log and one before it small; the process appends, so it may be cut."""
        if self.log.exists() and self.log.stat().st_size > LOG_BYTES:
            self.log.with_suffix(".old.log").write_bytes(self.log.read_bytes())
            os.truncate(self.log, 0)

    def _last_words(self, lines: int = 12) -> str:
        said = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        return "\n".join(f"    {line}" for line in said[-lines:])


class Database:
    """The embedded server, which is nobody's child."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.due = 0.0

    def tend(self) -> str:
        if self._lives() or time.monotonic() < self.due:
            return ""
        self.due = time.monotonic() + 5
        try:
            postgres.ensure_server(self.data)
        except (postgres.PostgresError, OSError) as problem:
            return f"Database has ended and cannot be started: {problem}"
        return "Database has ended and is started again."

    def _lives(self) -> bool:
        """By its pid, for speed: a lie here costs one needless `ensure_server`."""
        with contextlib.suppress(OSError, ValueError, IndexError, psutil.Error):
            pid = int((self.data / "postmaster.pid").read_text().split()[0])
            return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
        return False


def local_ollama() -> str:
    """The address of an Ollama on this machine, or "" where none answers."""
    opener = build_opener(ProxyHandler({}))
    with contextlib.suppress(URLError, OSError):
        opener.open(f"{OLLAMA}/api/version", timeout=0.5).close()
        return OLLAMA
    return ""


def kill_leftovers(run: Path) -> None:
    """Kill what an earlier `up` on this folder has left behind, if it was killed itself."""
    left = _tied(run)
    for process in left:
        with contextlib.suppress(psutil.Error):
            process.kill()
    psutil.wait_procs(left, timeout=5)


def start_again(run: Path) -> None:
    """Let the web and the worker of a running `up` on this folder begin anew.

    What these have forked has the same command line and is left to them: killed in the middle
    of a lock that it shares with the worker, it would keep the worker from ever ending.
    """
    tied = _tied(run)
    pids = {process.pid for process in tied}
    asked = []
    for process in tied:
        with contextlib.suppress(psutil.Error):
            what = {*process.info["cmdline"][4:5]}
            if RENEWED & what and process.ppid() not in pids:
                process.terminate()
                asked.append(process)
    for process in psutil.wait_procs(asked, timeout=PATIENCE)[1]:
        with contextlib.suppress(psutil.Error):
            process.kill()


def _tied(run: Path) -> list[psutil.Process]:
    """The processes that an `up` on this folder has started."""
    return [
        process
        for process in psutil.process_iter(["cmdline"])
        if (process.info["cmdline"] or [])[1:4] == [*TIED, str(run)]
    ]
