"""Models on their way: fetch one, tell every process how far it is, and stop it from any of them.

A download belongs to the process that asked for it. What it has come to stands in a file under
RUN_DIR, so that each page can show it; a mark beside the file asks it to end.
"""

import contextlib
import hashlib
import json
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Literal

import ollama
import psutil
from django.conf import settings
from django.utils.translation import gettext_noop as noop

from apps.llm import speech_weights
from apps.llm.bundled import launching
from apps.llm.client import ModelError, client, host, told
from apps.llm.interruptible import Interruptible
from apps.outbound import guard
from apps.web.telling import gettext as _
from apps.web.telling import restored, stored

State = Literal["running", "done", "failed", "cancelled"]
NOTE_SECONDS = 0.5  # between two notes in the file
CANCEL_SECONDS = 0.3  # between two looks at the mark


def _birth(process: int) -> float:
    """When that process began, 0 where there is none: a container gives ids out again."""
    try:
        return float(psutil.Process(process).create_time())
    except psutil.Error:
        return 0.0


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a download is. `completed` and `total` are bytes; `total` is 0 while unknown."""

    name: str
    status: str = noop("starting")
    completed: int = 0
    total: int = 0
    state: State = "running"
    error: str = ""
    process: int = field(default_factory=os.getpid)
    birth: float = field(default_factory=lambda: _birth(os.getpid()))

    @property
    def share(self) -> float | None:
        """From 0 to 1; None while the size is unknown."""
        return self.completed / self.total if self.total else None

    @property
    def percent(self) -> int:
        """From 0 to 100."""
        return int(100 * (self.share or 0))


def pull(name: str) -> Iterator[Progress]:
    """Fetch a model; gives how far it is, lastly "done" or "cancelled". Raises ModelError."""
    _refuse_remote(name)
    line = Interruptible()
    now = Progress(name)
    _mark(name).unlink(missing_ok=True)
    _note(now)
    noted = time.monotonic()
    try:
        with _stopped_by_mark(name, line), told(name):
            for row in _rows(name, line):
                now = _after(now, row)
                if time.monotonic() - noted > NOTE_SECONDS:
                    _note(now)
                    noted = time.monotonic()
                yield now
    except ModelError as error:
        if not line.stopped:
            reason = _in_words(name, error)
            _note(replace(now, state="failed", error=reason))
            raise ModelError(reason) from error
    except GeneratorExit:  # the one who asked has gone
        _note(replace(now, state="cancelled"))
        raise
    now = replace(now, state="cancelled" if line.stopped else "done")
    _note(now)
    yield now


def start(name: str) -> None:
    """Fetch a model in the background, unless that is happening. Errors are in `pulls()`."""
    _refuse_remote(name)
    running = record(name)
    if running is None or running.state != "running":
        _note(Progress(name))
        threading.Thread(target=_run, args=(name,), daemon=True, name=f"pull {name}").start()


def cancel(name: str) -> None:
    """Ask the process that fetches this model to stop; what is there already is kept."""
    running = record(name)
    if running and running.state == "running":
        _mark(name).touch()


def dismiss(name: str) -> None:
    """Forget how a download that is over ended."""
    ended = record(name)
    if ended and ended.state != "running":
        _file(name).unlink(missing_ok=True)


def forget_removed(name: str) -> None:
    """A model was deleted by a person: nobody shall fetch it again by itself."""
    _note(Progress(name, status="deleted", state="cancelled"))


def pulls() -> list[Progress]:
    """What is being fetched, by whichever process, and what ended badly."""
    try:
        files = sorted(_folder().glob("*.json"))
    except OSError:
        return []
    found = [progress for file in files if (progress := _read(file))]
    return [progress for progress in found if progress.state in ("running", "failed")]


def record(name: str) -> Progress | None:
    """What became of the last download of this model; None where there was none."""
    return _read(_file(name))


# --- the download ---------------------------------------------------------------------------
def _rows(name: str, line: Interruptible) -> Iterator[ollama.ProgressResponse]:
    if name == speech_weights.NAME:  # no model server knows it
        yield from speech_weights.rows(line)
        return
    if host() != launching.running():  # the bundled server notes what it fetches itself
        guard.note(f"pull {name}", "model registry, by Ollama")
    with client(event_hooks=line.hooks) as server:
        yield from server.pull(name, stream=True)


def _after(now: Progress, row: ollama.ProgressResponse) -> Progress:
    """Ollama tells of each layer by itself; the largest one is what takes the time."""
    status = noop("downloading") if row.digest else (row.status or now.status)
    if not row.total or row.total < now.total:
        return replace(now, status=status)
    return replace(now, status=status, total=row.total, completed=row.completed or 0)


def _run(name: str) -> None:
    with contextlib.suppress(ModelError):  # it stands in the file
        for _ in pull(name):
            pass


@contextlib.contextmanager
def _stopped_by_mark(name: str, line: Interruptible) -> Iterator[None]:
    """Hang up when the mark appears: the server may say nothing for minutes."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(CANCEL_SECONDS):
            if _mark(name).exists():
                _mark(name).unlink(missing_ok=True)
                line.stop()
                return

    threading.Thread(target=watch, daemon=True, name=f"watch {name}").start()
    try:
        yield
    finally:
        over.set()


def is_remote(name: str) -> bool:
    """Ollama also lists models that run on its makers' machines; what is asked leaves this one."""
    return name.endswith(("-cloud", ":cloud"))


def _refuse_remote(name: str) -> None:
    if not name.strip():
        raise ModelError(_("Say which model to pull, for example qwen2.5-coder:1.5b."))
    if is_remote(name):
        raise ModelError(
            _("%(name)s runs on somebody else's machine, so the vault does not use it.")
            % {"name": name}
        )


def _in_words(name: str, error: ModelError) -> str:
    said = str(error)
    if "file does not exist" in said:
        return _("Nobody offers a model named %(name)s. Choose one of the suggestions.") % {
            "name": name
        }
    return _("%(name)s could not be pulled. %(said)s Try again: what is there already is kept.") % {
        "name": name,
        "said": said,
    }


# --- the file -------------------------------------------------------------------------------
def _folder() -> Path:
    return Path(settings.RUN_DIR) / "pulls"


def _file(name: str) -> Path:
    return _folder() / f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.json"


def _mark(name: str) -> Path:
    return _file(name).with_suffix(".cancel")


def _note(progress: Progress) -> None:
    file = _file(progress.name)
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
    fresh.write_text(json.dumps(asdict(progress) | {"error": stored(progress.error)}))
    fresh.replace(file)


def _read(file: Path) -> Progress | None:
    try:
        found = Progress(**json.loads(file.read_text()))
        found = replace(found, error=restored(found.error))
    except (OSError, ValueError, TypeError, AttributeError):
        return None
    if found.state == "running" and _birth(found.process) != found.birth:
        return replace(
            found,
            state="failed",
            error=_("%(name)s was interrupted. Try again.") % {"name": found.name},
        )
    return found
