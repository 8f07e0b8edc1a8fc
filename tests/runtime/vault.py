"""A whole vault in a folder of its own, run by `manage.py up` for a test."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[2]
# What the tests themselves run with, and a vault of its own must not see.
HIDDEN = {"DATABASE_URL", "DATABASE_POOL", "SECRET_KEY", "OLLAMA_HOST", "VAULT_DATA"}


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        return int(sock.getsockname()[1])


def until(holds: Callable[[], object], seconds: float = 60) -> None:
    """Wait until it holds; fails after that time."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(0.05)


class Vault:
    """A data folder, a port, and the `up` that runs on them."""

    def __init__(self, data: Path) -> None:
        self.data, self.port = data, free_port()
        self.up: subprocess.Popen[str] | None = None
        self.said = data.with_name("said.txt")

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name not in HIDDEN}
        own = {"VAULT_DATA": str(self.data), "VAULT_PORT": str(self.port), "VAULT_PULL": "false"}
        return {**kept, **own}

    def command(self, *words: str) -> subprocess.CompletedProcess[str]:
        """`manage.py` with these words, to its end."""
        return subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def start(self, *program: str) -> None:
        """Run `up`, and wait until the vault is open."""
        # Under nohup a hang-up is ignored, by whatever is started from there too.
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        with self.said.open("w") as said:
            self.up = subprocess.Popen(
                program or [sys.executable, "manage.py", "up"],
                cwd=ROOT,
                env=self.environment,
                stdout=said,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
        self.wait_for("Vaultsite is open at")

    def wait_for(self, words: str, seconds: float = 300) -> None:
        """Wait until `up` has said it."""
        deadline = time.monotonic() + seconds
        while words not in self.words():
            assert self.up and self.up.poll() is None, f"up has ended:\n{self.words()}"
            assert time.monotonic() < deadline, f"no {words!r} in:\n{self.words()}"
            time.sleep(0.05)

    def words(self) -> str:
        return self.said.read_text() if self.said.exists() else ""

    def healthz(self) -> tuple[int, dict]:
        """Status and document of /healthz; 0 where nothing answers."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request("GET", "/healthz")
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        except (OSError, HTTPException):
            return 0, {}
        finally:
            connection.close()

    def is_well(self) -> bool:
        status, document = self.healthz()
        return status == 200 and "down" not in document["parts"].values()

    def stop(self, kind: signal.Signals = signal.SIGTERM) -> int:
        """Ask `up` to end, and wait for it."""
        assert self.up
        self.up.send_signal(kind)
        return self.up.wait(30)

    def kill(self) -> None:
        """kill -9 of `up` alone."""
        assert self.up
        self.up.kill()
        self.up.wait(10)

    def processes(self, words: str = "") -> list[psutil.Process]:
        """Everything that runs on this folder, or the part of it with these words."""
        found = []
        for process in psutil.process_iter(["cmdline"]):
            try:
                place, command = process.cwd(), " ".join(process.info["cmdline"] or [])
            except psutil.Error:
                continue
            of_here = str(self.data) in command or Path(place) == self.data / "postgres"
            if of_here and re.search(words, command):
                found.append(process)
        return found

    def main(self, module: str) -> psutil.Process:
        """The first process of a part: the one whose parent is `up`."""
        assert self.up
        found = [p for p in self.processes(module) if p.ppid() == self.up.pid]
        assert found, f"no {module} under {self.up.pid}"
        return found[0]

    def clean_up(self) -> None:
        if self.up and self.up.poll() is None:
            self.stop()
        for process in self.processes():
            process.kill()
