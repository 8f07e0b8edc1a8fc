"""Import files and folders of this machine; what has not changed costs a hash and nothing more."""

import hashlib
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from apps.library import dating, ingestion
from apps.library.models import Category, Document, Workspace
from apps.library.storing import NotAccepted, storable
from apps.web.telling import gettext as _

PAUSE = 0.2  # seconds between two looks at a document another worker has
State = Document.State


@dataclass(slots=True)
class Imported:
    """What became of a file. `status` is ready, failed, refused, unchanged or queued."""

    path: str
    status: str
    reason: str = ""
    document: int | None = None
    language: str = ""
    parts: int = 0
    chunks: int = 0
    ocr_parts: int = 0
    seconds: float = 0.0


def files_below(paths: Iterable[Path]) -> list[Path]:
    """The files that paths name, folders walked in order, each once, as absolute paths.

    Hidden files and folders inside a folder are left out, and links that lead out of it. Raises
    FileNotFoundError for a path that is not there.
    """
    found: dict[Path, None] = {}
    for path in paths:
        root = path.resolve(strict=True)
        found.update(dict.fromkeys([root] if root.is_file() else _walk(root)))
    return list(found)


def _walk(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(folder, name)
            if name.startswith(".") or not path.is_file():
                continue
            if path.is_symlink():
                path = path.resolve()
                if not path.is_relative_to(root):
                    continue
            yield path


def import_files(
    workspace: Workspace, paths: Iterable[Path], category: Category | None = None
) -> list[Imported]:
    """Take in what is new or has changed, and tell of each file what became of it."""
    known = {
        document.source: document
        for document in Document.objects.filter(workspace=workspace)
        .exclude(source="")
        .exclude(state=State.DELETING)
    }
    return [_import(workspace, path, known.get(storable(str(path))), category) for path in paths]


def _import(
    workspace: Workspace, path: Path, known: Document | None, category: Category | None
) -> Imported:
    began = time.monotonic()
    try:
        if known and _settled(known, category) and _digest(path) == known.sha256:
            # What could not be read then cannot be read now: say so once more.
            status = "refused" if known.state == State.REFUSED else "unchanged"
            _date(known, path)
            return _told(path, known, status, began)
        with path.open("rb") as stream:
            changed = dating.stamped(os.fstat(stream.fileno()).st_mtime)
            accepted = ingestion.accept(
                workspace,
                stream,
                path.name,
                category=category,
                source=str(path),
                changed=changed,
            )
    except NotAccepted as error:
        return Imported(str(path), "refused", str(error), seconds=_since(began))
    except OSError as error:
        return Imported(str(path), "failed", f"{error.strerror}.", seconds=_since(began))
    return _told(path, accepted.document, accepted.status, began)


def _date(known: Document, path: Path) -> None:
    """Note when a file was last changed whose bytes are the same."""
    changed = dating.earlier(known.changed_at, dating.stamped(path.stat().st_mtime))
    if changed != known.changed_at:
        mine = Document.objects.filter(pk=known.pk, revision=known.revision)
        mine.update(changed_at=changed)


def _settled(document: Document, category: Category | None) -> bool:
    """Whether nothing is to be done about a document unless its bytes have changed."""
    stays = category is None or document.category_id == category.pk
    return stays and document.state not in (State.FAILED, State.CANCELLED)


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def wait_for(results: Iterable[Imported]) -> None:
    """Do the work of what is not done yet, beside any worker there is, and tell how it ended.

    A document whose embedding model does not answer stays queued, with the reason.
    """
    waiting = {each.document: each for each in unfinished(results) if each.document}
    while waiting:
        busy = True
        for document_id, result in list(waiting.items()):
            busy &= ingestion.work(document_id) == "busy"
            document = Document.objects.filter(pk=document_id).first()
            if document and document.state in Document.UNFINISHED and not document.next_try:
                continue
            del waiting[document_id]
            _finish(result, document)
        if busy and waiting:
            time.sleep(PAUSE)


def unfinished(results: Iterable[Imported]) -> list[Imported]:
    """The files of documents that are not yet at rest, just queued or long before."""
    found = {each.document: each for each in results if each.status in ("queued", "unchanged")}
    at_work = set(Document.objects.unfinished().values_list("pk", flat=True))
    return [each for document, each in found.items() if document in at_work]


def _finish(result: Imported, document: Document | None) -> None:
    if document is None:
        result.status, result.reason = "failed", _("It was deleted while it was read.")
        return
    status = "queued" if document.state in Document.UNFINISHED else str(document.state)
    if status == State.CANCELLED:
        status = "failed"
    told = _told(Path(result.path), document, status, time.monotonic())
    for name in ("status", "reason", "language", "parts", "chunks", "ocr_parts"):
        setattr(result, name, getattr(told, name))
    result.seconds = round(result.seconds + sum(document.timings.values()), 3)


def _told(path: Path, document: Document, status: str, began: float) -> Imported:
    reason = document.reason
    if not reason and document.state == State.CANCELLED:
        reason = _("It was cancelled.")
    return Imported(
        path=storable(str(path)),
        status=status,
        reason=reason,
        document=document.pk,
        language=document.language,
        parts=document.part_count,
        chunks=document.chunk_count,
        ocr_parts=document.ocr_count,
        seconds=_since(began),
    )


def _since(began: float) -> float:
    return round(time.monotonic() - began, 3)
