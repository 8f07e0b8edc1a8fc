"""Start the server: python -m apps.llm.bundled --port 0 --models DIR [--url-file FILE] …"""

import argparse
import contextlib
import os
import shutil
import signal
import tempfile
import threading
import time
from pathlib import Path

from apps.llm.bundled.pulling import catalogue
from apps.llm.bundled.state import State
from apps.llm.bundled.web import Server
from apps.outbound import guard

CATALOGUE = Path(__file__).with_name("catalogue.json")
WORKPLACE = "vault-models-"  # temporary folders begin so, then comes the process id


def main() -> None:
    """Say the address, serve until SIGTERM or SIGINT, then end at once, whatever is written."""
    guard.arm("models", reach="loopback")
    given = _arguments()
    _sweep()
    workplace = Path(tempfile.mkdtemp(prefix=f"{WORKPLACE}{os.getpid()}-"))
    tempfile.tempdir = str(workplace)
    state = State(given.models, catalogue(given.catalogue), given.threads)
    server = Server(given.port, state)

    def leave(*_: object) -> None:
        # Native threads may be in the middle of a sentence; waiting is what "at once" forbids.
        if given.url_file and _read(given.url_file) == server.address:
            given.url_file.unlink(missing_ok=True)
        shutil.rmtree(workplace, ignore_errors=True)
        os._exit(0)

    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGINT, leave)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    if given.url_file:
        _announce(given.url_file, server.address)
    with contextlib.suppress(OSError):
        print(server.address, flush=True)  # noqa: T201 - the one thing it says
    while not given.parent or os.getppid() == given.parent:
        time.sleep(1)
    leave()


def _arguments() -> argparse.Namespace:
    words = argparse.ArgumentParser(prog="python -m apps.llm.bundled", description=__doc__)
    words.add_argument("--port", type=int, default=0, help="0 picks a free one")
    words.add_argument("--models", type=Path, required=True, help="folder of GGUF files")
    words.add_argument("--catalogue", type=Path, default=CATALOGUE, help="what can be pulled")
    words.add_argument("--url-file", type=Path, help="write the address here once it listens")
    words.add_argument("--parent", type=int, help="end when the parent is no longer this process")
    words.add_argument("--threads", type=int, default=_cores())
    return words.parse_args()


def _cores() -> int:
    """Cores this process may use, at most eight: more do not help models of this size."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(8, usable or 1))


def _announce(file: Path, address: str) -> None:
    """Write so that a reader sees a whole address or none."""
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(f"{file.name}.{os.getpid()}")
    fresh.write_text(address)
    fresh.replace(file)


def _read(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError:
        return ""


def _sweep() -> None:
    """Remove the temporary folders of servers that were killed."""
    for left in Path(tempfile.gettempdir()).glob(f"{WORKPLACE}*-*"):
        owner = left.name.removeprefix(WORKPLACE).split("-")[0]
        if owner.isdigit() and not _alive(int(owner)):
            shutil.rmtree(left, ignore_errors=True)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


if __name__ == "__main__":
    main()
