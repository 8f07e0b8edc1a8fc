"""Speech as text: a recording is heard by a child process, which holds the model and is limited.

Nothing is kept in memory between two recordings; to load the model takes about a second.
"""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from django.conf import settings

from apps.llm import downloads, speech_weights
from apps.outbound import guard
from apps.web.telling import gettext as _

State = Literal["ready", "absent", "loading"]

SECONDS = 60.0  # without a sign of life
BEAT = 1.0  # seconds between two looks at who listens
LONGEST_CPU = 4 * 3600  # seconds of computing a recording may take
KEPT = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH")


class SpeechError(Exception):
    """Nothing could be heard; str() is for the reader: what, and what to do next."""


@dataclass(frozen=True, slots=True)
class Segment:
    """What was said from second `start` to second `end`.

    `language` is ISO 639-1; `confidence` is from 0 to 1.
    """

    start: float
    end: float
    text: str
    language: str
    confidence: float


def state() -> State:
    """Whether the speech model is there, on its way, or neither."""
    if speech_weights.are_there():
        return "ready"
    pull = downloads.record(speech_weights.NAME)
    return "loading" if pull and pull.state == "running" else "absent"


def missing() -> str:
    """Why nothing can be heard yet and what will be, in a sentence; "" where it can."""
    match state():
        case "ready":
            return ""
        case "loading":
            return _("The speech model is being downloaded; it can be used once it is here.")
        case _:
            return _("The speech model is not here yet. Pull it on the models page.")


def transcribe(
    path: Path, *, language: str = "", expected: Iterable[str] = (), seconds: float = SECONDS
) -> Iterator[Segment]:
    """What is said in a recording, as it is heard, about half a minute at a time.

    `language` (ISO 639-1) is taken as given; else it is detected, and where that is not sure it
    is one of those `expected`. Closing the generator ends the child. Raises SpeechError where
    the model is missing, the file is no recording, or no word comes for so many seconds.
    """
    pieces = transcribe_alive(path, language=language, expected=expected, seconds=seconds)
    with closing(pieces):
        yield from (piece for piece in pieces if piece)


def transcribe_alive(
    path: Path, *, language: str = "", expected: Iterable[str] = (), seconds: float = SECONDS
) -> Generator[Segment | None, None, None]:
    """As `transcribe`, with None each second in which nothing was heard.

    So a reader who has left is noticed while the child still listens.
    """
    if reason := missing():
        raise SpeechError(reason)
    order = {
        "path": str(path.resolve()), "language": language, "expected": list(expected),
        "weights": str(speech_weights.folder()), "memory_mb": settings.PARSE_MEMORY_MB,
        "cpu_seconds": LONGEST_CPU, "parent": os.getpid(), "ledger": str(guard.ledger_file()),
    }  # fmt: skip
    with closing(_answers(order, seconds)) as answers:
        for answer in answers:
            if not answer:
                yield None
            elif heard := answer.get("heard"):
                if heard["text"]:
                    heard.pop("sure")
                    yield Segment(**heard)
            elif "error" in answer:
                raise SpeechError(
                    _("%(error)s Record or export it again.") % {"error": _(answer["error"])}
                )
            elif "done" in answer:
                return
    raise SpeechError(_("The speech model broke off. Try again."))


def _answers(order: dict[str, Any], seconds: float) -> Generator[dict[str, Any], None, None]:
    with tempfile.TemporaryDirectory(prefix="vault-speech-") as folder:
        child = _started(folder)
        try:
            assert child.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                child.stdin.write(json.dumps(order).encode() + b"\n")
                child.stdin.close()
            for line in _lines(child, seconds):
                yield json.loads(line) if line else {}
        finally:
            _end(child)


def _started(folder: str) -> subprocess.Popen[bytes]:
    environment = {name: os.environ[name] for name in KEPT if name in os.environ}
    environment |= {"PYTHONPATH": str(settings.BASE_DIR), "HOME": folder, "TMPDIR": folder}
    environment |= {"PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", "apps.llm.hearing"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        cwd=folder, env=environment, start_new_session=True, close_fds=True,
    )  # fmt: skip


def _lines(child: subprocess.Popen[bytes], seconds: float) -> Iterator[bytes]:
    """Whole lines, and an empty one each second; raises SpeechError when none comes in time."""
    assert child.stdout is not None
    descriptor, held = child.stdout.fileno(), b""
    until = time.monotonic() + seconds
    while True:
        left = until - time.monotonic()
        ready, *_rest = select.select([descriptor], [], [], max(0.0, min(BEAT, left)))
        if not ready and left <= BEAT:
            raise SpeechError(
                _("Nothing was heard for %(seconds)s seconds. Try a shorter one.")
                % {"seconds": f"{seconds:g}"}
            )
        if not ready:
            yield b""
            continue
        if not (data := os.read(descriptor, 1 << 16)):
            return
        *whole, held = (held + data).split(b"\n")
        yield from whole
        until = time.monotonic() + seconds


def _end(child: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
    child.wait()
