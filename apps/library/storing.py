"""Take a file in: stored whole or not at all, and known by its bytes."""

import contextlib
import hashlib
import os
import shutil
import time
import unicodedata
import uuid
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from apps.library import dating, files, indexing, queue
from apps.library.models import Category, Document, Workspace, stored_name
from apps.web.telling import gettext as _

PIECE = 1 << 20  # bytes read at once
LOOK_AT_DISK = 64  # pieces between two looks at the free space
ABANDONED = 3600  # seconds after which a file that no row knows is a crash's left-over
DIRECTIONS = frozenset(
    "\u200e\u200f\u061c" + "".join(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A))))
)


class NotAccepted(Exception):
    """The file was not taken in; the message tells the person why and what to do."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """What became of a file: `queued`, or `unchanged` where its bytes are known already.

    `twin` is another document of the same person with the same bytes, if there is one.
    """

    document: Document
    status: str
    twin: Document | None = None


@dataclass(frozen=True, slots=True)
class Stored:
    """A whole file under its final name, which no row knows yet."""

    name: str  # in the storage
    size: int
    sha256: str


def accept(
    workspace: Workspace,
    stream: BinaryIO,
    name: str,
    *,
    category: Category | None = None,
    source: str = "",
    changed: datetime | None = None,
) -> Accepted:
    """Store a file, which was last `changed` then, and ask the worker to read it.

    A file with the same source, or without one the same name in the same category, is the same
    document: unchanged where the bytes are the same, else its next revision. Raises NotAccepted
    for a file that is too large, and for a disk that is too full.
    """
    stored = store(stream)
    try:
        with transaction.atomic():
            # Two uploads of one name at the same moment become one document.
            Workspace.objects.select_for_update(no_key=True).get(pk=workspace.pk)
            accepted = _enter(
                workspace, stored, clean(name), category, storable(source), dating.credible(changed)
            )
    except BaseException:
        files.remove(stored.name)
        raise
    if accepted.document.file.name != stored.name:
        files.remove(stored.name)
    return accepted


def store(stream: BinaryIO) -> Stored:
    """Write a stream to the disk while hashing it; it gets its name once it is whole."""
    root = Path(settings.MEDIA_ROOT)
    temporary = root / "incoming" / uuid.uuid4().hex
    try:
        for folder in (root / "incoming", root / "documents"):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with temporary.open("xb") as out:
            size, sha256 = _copy(stream, out)
            out.flush()
            os.fsync(out.fileno())
        stored = Stored(stored_name(Document(), ""), size, sha256)
        files.put(temporary, stored.name)
    except OSError as error:
        raise NotAccepted(
            _("The file could not be stored (%(reason)s). Make room on the disk, try again.")
            % {"reason": error.strerror}
        ) from error
    finally:
        with contextlib.suppress(OSError):  # a disk that takes nothing may not be looked at either
            temporary.unlink(missing_ok=True)
    return stored


def _copy(stream: BinaryIO, out: BinaryIO) -> tuple[int, str]:
    limit: int = settings.UPLOAD_LIMIT_MB << 20
    size, pieces, digest = 0, 0, hashlib.sha256()
    while piece := stream.read(PIECE):
        if pieces % LOOK_AT_DISK == 0:
            _look_at_disk()
        pieces += 1
        size += len(piece)
        if size > limit:
            raise NotAccepted(
                _(
                    "The file is larger than %(limit)s MB, the limit of this vault."
                    " Split it, or raise VAULT_UPLOAD_LIMIT_MB."
                )
                % {"limit": settings.UPLOAD_LIMIT_MB}
            )
        digest.update(piece)
        out.write(piece)
    return size, digest.hexdigest()


def _look_at_disk() -> None:
    free = shutil.disk_usage(settings.MEDIA_ROOT).free >> 20
    if free < settings.FREE_DISK_MB:
        raise NotAccepted(
            _(
                "Only %(free)s MB are free on the disk of this vault, and %(kept)s MB"
                " must stay free. Make room, try again."
            )
            % {"free": free, "kept": settings.FREE_DISK_MB}
        )


def _enter(
    workspace: Workspace,
    stored: Stored,
    name: str,
    category: Category | None,
    source: str,
    changed: datetime | None,
) -> Accepted:
    document = known(workspace, stored, name, category, source)
    twin = (
        Document.objects.filter(workspace__owner_id=workspace.owner_id, sha256=stored.sha256)
        .exclude(pk=document.pk if document else 0)
        .exclude(state=Document.State.DELETING)
        .first()
    )
    if document is None:
        document = Document(workspace=workspace, name=name, source=source, category=category)
    elif document.sha256 == stored.sha256 and files.exists(document.file.name):
        document.changed_at = dating.earlier(document.changed_at, changed)
        return Accepted(document, _meet_again(document, name, category, source), twin)
    else:
        old = document.file.name
        transaction.on_commit(lambda: files.remove(old))
        document.revision += 1
        document.name = name
        document.category = category or document.category
    document.file.name = stored.name
    document.size, document.sha256 = stored.size, stored.sha256
    document.changed_at, document.written_at = changed, None
    begin_again(document)
    return Accepted(document, "queued", twin)


def known(
    workspace: Workspace, stored: Stored, name: str, category: Category | None, source: str
) -> Document | None:
    """The document that a file is: of the same place, or moved here from a place now empty."""
    documents = Document.objects.select_for_update(no_key=True).filter(workspace=workspace)
    documents = documents.exclude(state=Document.State.DELETING)
    if not source:
        return documents.filter(source="", name=name, category=category).first()
    if found := documents.filter(source=source).first():
        return found
    if not source.startswith("/"):  # a web page: pages do not move
        return None
    moved = documents.filter(sha256=stored.sha256, source__startswith="/")
    return next((each for each in moved if not Path(each.source).exists()), None)


def _meet_again(document: Document, name: str, category: Category | None, source: str) -> str:
    """The same bytes again: perhaps under another name; perhaps after something went wrong."""
    renamed = document.name != name
    document.name, document.source = name, source
    document.category = category or document.category
    if document.state in (Document.State.FAILED, Document.State.CANCELLED):
        begin_again(document)
        return "queued"
    document.save(update_fields=["name", "source", "category", "changed_at"])
    if renamed:
        indexing.rename(document)
    return "unchanged"


def begin_again(document: Document) -> None:
    """Queue a document and ask for work; what is stored of its present revision stays.

    One that never came is fetched: see `pages`.
    """
    state = Document.State
    document.state = state.FETCHING if document.never_came else state.QUEUED
    document.reason = ""
    document.done, document.total = 0, None
    document.attempts, document.next_try = 0, None
    document.stage_began = document.pulse = document.ready_at = None
    document.save()
    queue.ask_for_work()


def clean(name: str) -> str:
    """A file's name as it may be shown and kept: one line, 1 to 255 characters, never a path."""
    last = storable(name).replace("\\", "/").rstrip("/").rpartition("/")[2]
    # Characters that turn the direction of writing make "exe.pdf" of "fdp.exe".
    kept = "".join(
        sign for sign in last if unicodedata.category(sign) != "Cc" and sign not in DIRECTIONS
    )
    kept = unicodedata.normalize("NFC", kept).strip()
    if kept.strip(". ") == "":
        return "untitled"
    stem, dot, ending = kept.rpartition(".")
    if len(kept) > 255 and dot and len(ending) <= 16:
        return f"{stem[: 254 - len(ending)]}.{ending}"
    return kept[:255]


def storable(text: str) -> str:
    """Text without what PostgreSQL cannot keep: NUL, and bytes that were no UTF-8."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def tidy() -> None:
    """Remove files that no row knows: what a crash left between the file and the row."""
    for path in (Path(settings.MEDIA_ROOT) / "incoming").glob("*"):
        if path.stat().st_mtime > time.time() - ABANDONED:
            continue
        if path.is_dir():  # of a parser whose parent was killed
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    if files.are_local() or timezone.now().minute == 0:  # each look elsewhere is paid for
        there = {*files.names("documents")}
        for name in there.difference(Document.objects.values_list("file", flat=True)):
            with suppress(FileNotFoundError):
                if files.age(name) > ABANDONED:
                    files.remove(name)
