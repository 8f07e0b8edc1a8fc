"""Starts the bundled server, and finds the one that runs.

`vault up` keeps one running as a process of its own (`command()`); a command that needs a model
while no vault is up brings one along for as long as it works (`in_use()`).
"""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import fasteners
import httpx
from django.conf import settings

START_SECONDS = 20.0
KNOCK_SECONDS = 1.0
HOME = Path(__file__).resolve().parents[3]  # where `apps` is


class NotStarted(Exception):
    """The bundled server did not come up; the text says where to look."""


def url_file() -> Path:
    """Where the running server has written its address."""
    return Path(settings.RUN_DIR) / "models.url"


def command() -> list[str]:
    """How to start the server, from the folder of the repository; it writes `url_file()`.

    It ends on SIGTERM, and by itself when the process that started it is gone.
    """
    program = [sys.executable, "-m", "apps.llm.bundled", "--port", "0"]
    places = ["--models", str(settings.MODELS_DIR), "--url-file", str(url_file())]
    return [*program, *places, "--parent", str(os.getpid())]


def running() -> str:
    """The address of the bundled server that answers, empty where none does."""
    try:
        address = url_file().read_text().strip()
    except OSError:
        return ""
    return address if address and answers(address, or_is_busy=True) else ""


def answers(address: str, seconds: float = KNOCK_SECONDS, *, or_is_busy: bool = False) -> bool:
    """Does a server of the protocol answer there, within that time?

    With `or_is_busy` one counts too that takes the call and does not answer in time: where the
    processor is wanted by others, a second is soon over.
    """
    try:
        reply = httpx.get(f"{address}/api/version", timeout=seconds, trust_env=False)
    except httpx.ReadTimeout:
        return or_is_busy
    except (httpx.HTTPError, httpx.InvalidURL):
        return False
    return reply.status_code == httpx.codes.OK and "version" in reply.text


def ensure_server() -> str:
    """The address of the bundled server; starts one, which ends with this process, where none is.

    Raises NotStarted.
    """
    return _ensure()[0]


@contextlib.contextmanager
def in_use() -> Iterator[str]:
    """The address of the bundled server for a block. One that had to be started ends with it."""
    address, started = _ensure()
    try:
        yield address
    finally:
        if started:
            started.terminate()
            started.wait(10)


def _ensure() -> tuple[str, "subprocess.Popen[bytes] | None"]:
    folder = Path(settings.RUN_DIR)
    folder.mkdir(parents=True, exist_ok=True)
    with fasteners.InterProcessLock(folder / "models.lock"):  # of two who ask, one starts it
        if address := running():
            return address, None
        url_file().unlink(missing_ok=True)
        place = {**os.environ, "VAULT_DATA": str(settings.DATA_DIR)}  # which may be relative
        with (folder / "models.log").open("ab") as log:
            server = subprocess.Popen(
                command(), cwd=HOME, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=place
            )
        return _address(server), server


def _address(server: "subprocess.Popen[bytes]") -> str:
    """Wait until it listens."""
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and server.poll() is None:
        if address := running():
            return address
        time.sleep(0.05)
    if server.poll() is None:
        server.kill()
        server.wait()
    log = Path(settings.RUN_DIR) / "models.log"
    raise NotStarted(f"The bundled model server did not start; {log} says why.")
