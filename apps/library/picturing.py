"""Pictures of pages and the places of passages on them, drawn once and kept."""

import json
import secrets
import threading
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from django.conf import settings

from apps.library import files, sandbox
from apps.library.models import Chunk, Document
from apps.library.parsing import Refusal

THUMBNAIL, WIDTHS = 180, (180, 800, 1200, 1800)  # pixels
USUAL = 1200
# Each drawing is a process with a parser in it; the page that is read waits for no thumbnail.
AT_ONCE = threading.BoundedSemaphore(2)
THUMBNAILS_AT_ONCE = threading.BoundedSemaphore(1)

Box = tuple[float, float, float, float]


def page_picture(document: Document, page: int, width: int) -> bytes:
    """A page as PNG in one of WIDTHS, the next wider one; raises Refusal where there is none."""
    width = next((known for known in WIDTHS if known >= width), WIDTHS[-1])
    return _kept(
        _folder(document) / f"{document.revision}-page-{page}-{width}.png",
        lambda: _drawn(document, page, width),
        THUMBNAILS_AT_ONCE if width == THUMBNAIL else AT_ONCE,
    )


def _drawn(document: Document, page: int, width: int) -> bytes:
    with files.on_disk(document.file.name) as path:
        return sandbox.page_image(path, document.name, page, width)


def boxes(chunk: Chunk, sentence: str = "") -> list[Box]:
    """Where a passage, or a sentence of it, stands on its page, in fractions of that.

    None where nobody can tell.
    """
    document = chunk.document
    text, digest = chunk.text, chunk.digest
    if sentence:
        text, digest = sentence, sha256(sentence.encode()).hexdigest()

    def find() -> bytes:
        with files.on_disk(document.file.name) as path:
            found = sandbox.passage_boxes(path, document.name, chunk.number, text)
        return json.dumps(found).encode()

    kept = _folder(document) / f"{document.revision}-passage-{chunk.number}-{digest[:20]}"
    try:
        return [tuple(box) for box in json.loads(_kept(kept, find, AT_ONCE))]
    except (Refusal, OSError):
        return []


def _folder(document: Document) -> Path:
    return Path(settings.DERIVED_DIR) / str(document.pk)


def _kept(path: Path, make: Callable[[], bytes], turns: threading.BoundedSemaphore) -> bytes:
    """What is in the file, made and put there whole if it is not there."""
    if path.exists():
        return path.read_bytes()
    with turns:
        if path.exists():  # made while this one waited
            return path.read_bytes()
        made = make()
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    half.write_bytes(made)
    half.replace(path)
    return made
