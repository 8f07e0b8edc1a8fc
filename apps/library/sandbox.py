"""Files are read in a child process that can be limited and killed.

A parser meets whatever bytes people have. Its process has a bounded memory, is killed with all it
started when it shows no sign of life, knows no secret of ours, and dies when its worker dies.
"""

import base64
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
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings

from apps.library.parsing import NotYet, Opened, ReadPart, Refusal, Skipped
from apps.llm import speech_weights
from apps.outbound import guard

__all__ = [
    "NotYet",
    "Opened",
    "ReadPart",
    "Refusal",
    "Skipped",
    "answers_of",
    "page_image",
    "passage_boxes",
    "read",
]

log = logging.getLogger(__name__)

BROKEN_PAGES = 5  # that are left out of a PDF before it is given up
LONGEST_ANSWER = 64 * 1024 * 1024  # bytes of one line
VIEW_SECONDS = 30  # for a page's image: somebody is waiting
WIDEST = 3000  # pixels of a page's image
# What a child needs to find Python, its libraries and Tesseract; nothing that could be a secret.
KEPT = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TESSDATA_PREFIX", "SYSTEMROOT")


class _Broke(Exception):
    """The child ended without an answer: too slow, too big, or crashed. For the reader."""


def read(
    path: Path, name: str, *, skip: int = 0, languages: str = "", spoken: str = ""
) -> Iterator[Opened | ReadPart | Skipped]:
    """One Opened, then parts from number `skip` on (counted from 0) and notices, as they are read.

    Raises Refusal where the file is at fault, NotYet where its reader is not there. A page of a
    PDF that breaks the parser is an empty part and a notice. Closing the generator kills the child.
    """
    opened: Opened | None = None
    done, broken = skip, 0
    while True:
        try:
            for piece in _pieces(path, name, done, languages, spoken):
                if isinstance(piece, Opened):
                    if opened is not None:
                        continue
                    opened = piece
                done += isinstance(piece, ReadPart)
                yield piece
        except _Broke as reason:
            broken += 1
            more = opened is not None and opened.format == "pdf" and done < (opened.total or 0)
            if not more or broken > BROKEN_PAGES:
                raise Refusal(f"{reason} Export or scan the document again, or split it.") from None
            done += 1
            yield ReadPart("page", done, f"page {done}", "")
            yield Skipped(f"page {done}", str(reason))
            if opened is not None and done == opened.total:
                return
        else:
            return


def page_image(path: Path, name: str, page: int, width: int) -> bytes:
    """A page of a PDF or image as PNG, `width` pixels wide; raises Refusal for other kinds."""
    return base64.b64decode(_result("page_image", path, name, page=page, width=min(width, WIDEST)))


def passage_boxes(
    path: Path, name: str, page: int, text: str
) -> list[tuple[float, float, float, float]]:
    """Where the text stands on the page: boxes of its lines (x0, y0, x1, y1) from 0 to 1.

    Empty where it is not found; raises Refusal for what has no pages.
    """
    return [
        (x0, y0, x1, y1)
        for x0, y0, x1, y1 in _result("passage_boxes", path, name, page=page, text=text)
    ]


def try_out(purpose: str) -> bool:
    """Of the self-test: whether a parser that tries to leave is refused."""
    return bool(_result("try_out", Path(), purpose))


def answers_of(
    module: str, path: Path, name: str, seconds: float
) -> Generator[dict[str, Any], None, None]:
    """What another room's reader makes of a file, in a child limited like the parsers.

    `python -m module` reads one order and answers in JSON lines as they do; see
    `parsing.__main__`. Raises Refusal, also when no answer comes for so many seconds.
    """
    try:
        with contextlib.closing(_answers(_order("read", path, name), seconds, module)) as answers:
            yield from answers
    except _Broke as reason:
        raise Refusal(str(reason)) from None


def _result(task: str, path: Path, name: str, **details: Any) -> Any:
    order = _order(task, path, name) | details
    try:
        with contextlib.closing(_answers(order, VIEW_SECONDS)) as answers:
            for answer in answers:
                if "result" in answer:
                    return answer["result"]
    except _Broke as reason:
        raise Refusal(str(reason)) from None
    raise Refusal("The page cannot be shown.")


def _pieces(
    path: Path, name: str, skip: int, languages: str, spoken: str
) -> Iterator[Opened | ReadPart | Skipped]:
    order = _order("read", path, name)
    order |= {"skip": skip, "languages": languages, "spoken": spoken}
    with contextlib.closing(_answers(order, settings.PARSE_SECONDS)) as answers:
        for answer in answers:
            match answer:
                case {"readpart": fields}:
                    yield ReadPart(**fields)
                case {"opened": fields}:
                    yield Opened(**fields)
                case {"skipped": fields}:
                    yield Skipped(**fields)


def _order(task: str, path: Path, name: str) -> dict[str, Any]:
    return {
        "task": task, "path": str(Path(path).resolve()), "name": name, "skip": 0, "languages": "",
        "spoken": "", "weights": str(speech_weights.folder()),
        "memory_mb": settings.PARSE_MEMORY_MB, "cpu_seconds": settings.PARSE_SECONDS * 30,
        "parent": os.getpid(), "ledger": str(guard.ledger_file()),
    }  # fmt: skip


def _answers(
    order: dict[str, Any], seconds: float, module: str = "apps.library.parsing"
) -> Generator[dict[str, Any], None, None]:
    """The child's answers until it is done; it is gone, with its folder, when this ends."""
    folder = tempfile.mkdtemp(prefix="vault-parse-")
    child = _started(folder, module)
    try:
        assert child.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            child.stdin.write(json.dumps(order).encode() + b"\n")
            child.stdin.close()
        for line in _lines(child, seconds):
            answer = json.loads(line)
            if "refused" in answer:
                raise Refusal(answer["refused"])
            if "waiting" in answer:
                raise NotYet(answer["waiting"])
            if "exhausted" in answer:
                raise _Broke(_too_big())
            if "done" in answer:
                return
            yield answer
        _raise_for_end(child, Path(folder) / "errors")
    finally:
        _kill(child)
        shutil.rmtree(folder, ignore_errors=True)


def _started(folder: str, module: str) -> subprocess.Popen[bytes]:
    environment = {name: os.environ[name] for name in KEPT if name in os.environ}
    environment |= {
        "PYTHONPATH": str(settings.BASE_DIR), "HOME": folder, "TMPDIR": folder,
        "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    with (Path(folder) / "errors").open("wb") as errors:
        return subprocess.Popen(
            [sys.executable, "-m", module],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
            cwd=folder, env=environment, start_new_session=True, close_fds=True,
        )  # fmt: skip


def _lines(child: subprocess.Popen[bytes], seconds: float) -> Iterator[bytes]:
    """Whole lines; raises _Broke when none comes in time. Only waiting here counts as time."""
    assert child.stdout is not None
    descriptor = child.stdout.fileno()
    poll = select.poll()
    poll.register(descriptor, select.POLLIN | select.POLLHUP)
    held = bytearray()
    until = time.monotonic() + seconds
    while True:
        if not poll.poll(max(0.0, until - time.monotonic()) * 1000):
            raise _Broke(f"Reading took longer than {seconds:g} seconds and was stopped.")
        data = os.read(descriptor, 1 << 20)
        if not data:
            return
        held += data
        *whole, rest = held.split(b"\n")
        held = bytearray(rest)
        if len(held) > LONGEST_ANSWER:
            raise _Broke(_too_big())
        yield from map(bytes, whole)
        if whole:
            until = time.monotonic() + seconds


def _too_big() -> str:
    return f"Reading needs more than the {settings.PARSE_MEMORY_MB} MB of memory it may use."


def _raise_for_end(child: subprocess.Popen[bytes], errors: Path) -> None:
    status = child.wait()
    said = errors.read_bytes()[-4000:].decode("utf-8", "replace").strip()
    log.warning("a parser ended with status %s: %s", status, said)
    if status == -signal.SIGKILL:
        # Nobody here did that: the machine is out of memory, or somebody stops things.
        raise ChildProcessError("The reader was killed from outside. Try again.")
    if status == -signal.SIGXCPU:
        raise _Broke("Reading used too much computing time and was stopped.")
    if "MemoryError" in said or "bad_alloc" in said or "malloc" in said:
        raise _Broke(_too_big())
    if status > 0 and ("ModuleNotFoundError" in said or "ImportError" in said):
        raise ChildProcessError(f"A library is missing: {said.splitlines()[-1]}")
    raise _Broke("The file is damaged in a way that breaks its reader.")


def _kill(child: subprocess.Popen[bytes]) -> None:
    """The child and all it started; its group outlives it when it has left something behind."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
    child.wait()
