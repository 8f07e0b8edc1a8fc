"""Files that go along with a question: taken within limits, read in the sandbox, let go again."""

import contextlib
import logging
import threading
import time
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO, cast

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils import timezone, translation
from django.utils.formats import number_format
from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_noop as noop

from apps.chat.halting import Halt
from apps.chat.models import Attachment
from apps.library import files, ingestion, labels, sandbox, storing
from apps.library.models import Document, Workspace
from apps.library.sandbox import Opened, ReadPart, Refusal, Skipped
from apps.web.database import borrowed
from apps.web.telling import gettext as _
from apps.web.telling import joined

MOST = 5  # a message
LARGEST = 20_000_000  # bytes
LARGEST_IMAGE = 10_000_000
ENDINGS_OF_IMAGES = (".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff")
LONGEST = 400_000  # characters kept of a file
THUMBNAIL = 160  # pixels
LIKE_A_PICTURE = {"image", "pdf"}  # formats of which a thumbnail is drawn
UNSENT = timedelta(days=1)  # until a file whose question was never asked is let go
ABANDONED = 3600  # seconds after which a file that no row knows is a crash's left-over
PATIENCE = 60  # seconds a question waits for its files
LONGEST_READING = 600  # seconds; what was read until then is kept
NOT_READ = noop("Its reader was interrupted. Attach it again.")
STILL_READING = gettext_lazy(
    "It is still being read. Ask again in a minute, or add it to the library."
)

log = logging.getLogger(__name__)


class NotTaken(Exception):
    """The file was not taken; str() says why and what to do instead."""


def take(
    owner_id: int, uploaded: "UploadedFile[Any]", changed: datetime | None = None
) -> Attachment:
    """Store an uploaded file for a question to come and begin to read it. Raises NotTaken.

    `changed` is when the file itself was last changed, where that is known.
    """
    name, size = storing.clean(uploaded.name or ""), uploaded.size or 0
    image = name.lower().endswith(ENDINGS_OF_IMAGES)
    limit = LARGEST_IMAGE if image else LARGEST
    if size > limit:
        said = _("“%(name)s” is too large: a file for a question may have %(limit)s MB.")
        if image:
            said = _("“%(name)s” is too large: an image for a question may have %(limit)s MB.")
        said = said % {"name": name, "limit": limit // 1_000_000}
        instead = _("Add it to the library instead.")
        raise NotTaken(f"{said} {instead}")
    if not size:
        raise NotTaken(_("“%(name)s” is empty.") % {"name": name})
    if files.are_local():
        (Path(settings.MEDIA_ROOT) / "attachments").mkdir(parents=True, exist_ok=True, mode=0o700)
    attachment = Attachment(owner_id=owner_id, name=name, size=size, changed_at=changed)
    attachment.file.save(name, uploaded, save=False)
    attachment.save()
    _begin_reading(attachment)
    return attachment


def _begin_reading(attachment: Attachment) -> None:
    threading.Thread(
        target=read,
        args=(attachment.pk, translation.get_language() or ""),
        name=f"attachment-{attachment.pk}",
        daemon=True,
    ).start()


def read_on() -> int:
    """Read again what a server that was ended had not finished; returns how many files."""
    left = list(Attachment.objects.filter(state=Attachment.State.READING).defer("parts"))
    for attachment in left:
        _begin_reading(attachment)
    return len(left)


def read(attachment_id: int, spoken: str = "") -> None:
    """Read the file in the sandbox, and keep its parts or the reason why not, in that language."""
    with borrowed():
        attachment = Attachment.objects.filter(pk=attachment_id).first()
    if attachment is None:
        return
    try:
        with translation.override(spoken or settings.LANGUAGE_CODE):
            _read(attachment)
    except Refusal as refusal:
        attachment.state, attachment.reason = Attachment.State.REFUSED, str(refusal)
    except Exception:
        log.exception("Attachment %s could not be read.", attachment_id)
        attachment.state, attachment.reason = Attachment.State.REFUSED, _(NOT_READ)
    with borrowed():
        fields = ("state", "reason", "parts", "format", "ocr", "thumbnail")
        kept = {field: getattr(attachment, field) for field in fields}
        Attachment.objects.filter(pk=attachment_id).update(**kept)


def _read(attachment: Attachment) -> None:
    with files.on_disk(attachment.file.name) as path:
        _read_at(path, attachment)


def _read_at(path: Path, attachment: Attachment) -> None:
    left, notices = LONGEST, list[str]()
    until = time.monotonic() + LONGEST_READING
    with contextlib.closing(sandbox.read(path, attachment.name)) as pieces:  # type: ignore[type-var]
        for piece in pieces:
            match piece:
                case Opened(format=format):
                    attachment.format = format
                    if format == "audio":
                        raise Refusal(_("Recordings are heard in the library: add it there."))
                case Skipped(label, reason):
                    notices.append(joined(labels.said(label), reason, by=": "))
                case ReadPart():
                    attachment.ocr = attachment.ocr or piece.ocr
                    attachment.parts.append(_kept(piece, left))
                    left -= len(piece.text)
            if left <= 0:
                said = _("Only the first %(number)s characters were read.")
                notices.append(said % {"number": number_format(LONGEST, force_grouping=True)})
                break
            if time.monotonic() > until:
                said = _("Only what could be read in %(minutes)s minutes is used.")
                notices.append(said % {"minutes": LONGEST_READING // 60})
                break
    if attachment.format in LIKE_A_PICTURE:
        with contextlib.suppress(Refusal):
            attachment.thumbnail = sandbox.page_image(path, attachment.name, 1, THUMBNAIL)
    if not attachment.is_image and not any(part["text"].strip() for part in attachment.parts):
        raise Refusal(_("No text was found in it."))
    attachment.state, attachment.reason = Attachment.State.READY, joined(*notices[:3])


def _kept(part: ReadPart, left: int) -> dict[str, object]:
    return {
        "kind": part.kind,
        "place": part.number,
        "label": part.label[:500],
        "header": part.header,
        "first_line": part.first_line,
        "text": storing.storable(part.text[:left]),
    }


def await_reading(ids: tuple[int, ...], halt: Halt) -> list[Attachment]:
    """The files of a question once they are read, or as they are after a minute.

    Raises Halted when the question is stopped meanwhile.
    """
    until = timezone.now() + timedelta(seconds=PATIENCE)
    while True:
        with borrowed():
            found = list(Attachment.objects.filter(pk__in=ids).order_by("pk"))
        reading = any(each.state == Attachment.State.READING for each in found)
        if not reading or timezone.now() > until:
            return found
        halt.wait(0.2)


def remove(attachment: Attachment) -> None:
    """Let an unsent file go."""
    attachment.delete()
    files.remove(attachment.file.name)


def save_to_library(attachment: Attachment, workspace: Workspace) -> Document:
    """Make it a document of the workspace; saved twice, it is the same one. Raises NotAccepted."""
    with attachment.file.open("rb") as stored:
        accepted = ingestion.accept(
            workspace, cast(BinaryIO, stored), attachment.name, changed=attachment.changed_at
        )
    Attachment.objects.filter(pk=attachment.pk).update(document=accepted.document)
    return accepted.document


def unlink_later(attachments: Iterable[Attachment]) -> None:
    """Unlink the files of attachments once the transaction that deletes their rows is through."""
    names = [each.file.name for each in attachments]

    def unlink() -> None:
        for name in names:
            files.remove(name)

    transaction.on_commit(unlink)


def tidy() -> None:
    """Let go of files that were never sent, and of those whose row is gone with its workspace."""
    before = timezone.now() - UNSENT
    for attachment in Attachment.objects.filter(conversation=None, created_at__lt=before):
        remove(attachment)
    dead = timezone.now() - timedelta(seconds=2 * LONGEST_READING)
    reading = Attachment.objects.filter(state=Attachment.State.READING, created_at__lt=dead)
    reading.update(state=Attachment.State.REFUSED, reason=_(NOT_READ))
    known = set(Attachment.objects.values_list("file", flat=True))
    for name in list(files.names("attachments")):
        if name not in known and files.age(name) > ABANDONED:
            files.remove(name)
