"""Read a document into parts and passages, one transaction a batch, going on from what is stored.

Where the bytes of a document changed, its passages are stored under the next revision. A passage
whose text is the same as one of an older revision is that one, moved: its row keeps its words,
its vectors and the citations that point to it. What is left of older revisions in the end is gone.
"""

import time
from collections import defaultdict
from collections.abc import Generator, Sequence
from contextlib import closing

from django.db.models import Max, Sum
from django.utils import timezone

from apps.library import analysis, dating, files, indexing, labels, likeness, measuring, sandbox
from apps.library.chunking import Cut, cut
from apps.library.locking import checkpoint
from apps.library.models import Chunk, ChunkWords, Document, Part, WordStatistic
from apps.library.parsing import ReadPart, Refusal
from apps.library.sandbox import Opened, Skipped
from apps.web.telling import gettext as _

BATCH_PARTS = 20
BATCH_SECONDS = 2.0
SAMPLE = 50  # passages that show which language a document is in
STAY = 60.0  # seconds a slice may take while nobody new waits: some formats are slow to skip

Passages = tuple[ReadPart, list[Cut]]
Iterated = Generator[Opened | Skipped | Passages, None, None]
MOVED = ["part", "revision", "ordinal", "kind", "number", "label", "start", "end"]


def read(document: Document, seconds: float) -> bool:
    """Read on for some seconds. True when the document is read to its end.

    Raises Refusal where the file cannot be read, MovedOn where it is no longer wanted.
    """
    began = time.monotonic()
    with closing(_passages(document)) as items:
        batch: list[Passages] = []
        last = time.monotonic()
        for item in items:
            match item:
                case Opened():
                    _open(document, item)
                case Skipped(label, reason):
                    _note(document, labels.line(label, reason))
                case _:
                    batch.append(item)
            now = time.monotonic()
            if len(batch) >= BATCH_PARTS or (batch and now - last >= BATCH_SECONDS):
                _store(document, batch, now - last)
                batch, last = [], now
                if now - began > STAY or (now - began > seconds and somebody_waits()):
                    return False
    with checkpoint(document):
        _add(document, batch, time.monotonic() - last)
        _finish(document)
    return True


def somebody_waits() -> bool:
    """Whether there is a document of which not a word can be found yet."""
    return Document.objects.filter(state__in=Document.WAITED_FOR, next_try=None).exists()


def forget(document: Document, *, before: int | None = None) -> None:
    """Take a document's passages and parts away, or those before a revision."""
    older = {} if before is None else {"revision__lt": before}
    chunks = document.chunks.filter(**older)
    indexing.remove(document, list(chunks.values_list("pk", flat=True)))
    chunks.delete()
    document.parts.filter(**older).delete()


def _passages(document: Document) -> Iterated:
    """All that is not stored yet: copied where these bytes have been read, else from the file."""
    if twin := _twin(document):
        yield from _copied(document, twin)
        if _stands(twin):
            return
    if not files.exists(document.file.name):
        raise Refusal(_("Its file is no longer in the vault's folder. Upload it again."))
    title = ""
    skip = _stored_parts(document)
    spoken = _languages(document)
    with files.on_disk(document.file.name) as path:
        for item in sandbox.read(path, document.name, skip=skip, spoken=spoken):
            if isinstance(item, ReadPart):
                yield item, cut(item, title)
                continue
            if isinstance(item, Opened):
                title = item.title
            yield item


def _languages(document: Document) -> str:
    """What the workspace is written in, by commas: a voice that is not clear is likely of one."""
    rows = WordStatistic.objects.filter(workspace=document.workspace_id)
    return ",".join(rows.values_list("languages", flat=True).first() or [])


def _stored_parts(document: Document) -> int:
    return document.parts.filter(revision=document.revision).count()


def _twin(document: Document) -> Document | None:
    """Another document of the same owner with the same bytes, read to its end."""
    return (
        Document.objects.filter(
            workspace__owner_id=document.workspace.owner_id,
            sha256=document.sha256,
            state__in=(Document.State.LEARNING, Document.State.READY),
            part_count__gt=0,
        )
        .exclude(pk=document.pk)
        .first()
    )


def _stands(twin: Document) -> bool:
    """Whether a twin is as it was: rows read before this was asked are of one revision."""
    return Document.objects.filter(
        pk=twin.pk,
        revision=twin.revision,
        state__in=(Document.State.LEARNING, Document.State.READY),
    ).exists()


def _copied(document: Document, twin: Document) -> Iterated:
    written = twin.written_at.isoformat() if twin.written_at else ""  # its file's time is its own
    yield Opened(twin.format, twin.title, twin.part_count, twin.language, written)
    for line in twin.notice.splitlines():
        _note(document, line)
    parts = twin.parts.filter(revision=twin.revision).order_by("ordinal")
    for first in range(_stored_parts(document), twin.part_count, BATCH_PARTS):
        page = list(parts[first : first + BATCH_PARTS])
        chunks = defaultdict(list)
        for chunk in Chunk.objects.filter(part__in=page, revision=twin.revision):
            chunks[chunk.part_id].append(chunk)
        if not _stands(twin):
            return
        for part in page:
            yield _as_read(part), [_as_cut(chunk) for chunk in chunks[part.pk]]


def _as_read(part: Part) -> ReadPart:
    return ReadPart(
        kind=part.kind,
        number=part.number,
        label=part.label,
        text=part.text,
        header=part.header,
        ocr=part.ocr,
        confidence=part.confidence,
    )


def _as_cut(chunk: Chunk) -> Cut:
    return Cut(
        text=chunk.text,
        heading=chunk.heading,
        kind=chunk.kind,
        number=chunk.number,
        label=chunk.label,
        start=chunk.start,
        end=chunk.end,
        digest=chunk.digest,
    )


def _open(document: Document, opened: Opened) -> None:
    with checkpoint(document, progress=False):
        document.format = opened.format[:20]
        document.title = opened.title[:255]
        document.language = opened.language[:2]
        document.written_at = dating.written(opened.changed)
        document.changed_at = dating.earlier(document.changed_at, document.written_at)
        document.total = opened.total
        document.done = _stored_parts(document)
        if document.done == 0:
            document.ocr_count = document.character_count = document.part_count = 0
            document.notice, document.timings = "", {}


def _note(document: Document, line: str) -> None:
    """Remember what was left out; after a crash the same is told once more."""
    lines = document.notice.splitlines()
    if line not in lines:
        with checkpoint(document, progress=False):
            document.notice = "\n".join([*lines, line])


def _store(document: Document, batch: Sequence[Passages], seconds: float) -> None:
    with checkpoint(document):
        _add(document, batch, seconds)


def _add(document: Document, batch: Sequence[Passages], seconds: float) -> None:
    """Put a batch's parts and passages behind those stored."""
    revision = document.revision
    first = _stored_parts(document)
    parts = Part.objects.bulk_create(
        Part(
            document=document,
            revision=revision,
            ordinal=first + place,
            kind=read.kind,
            number=read.number,
            label=read.label[:500],
            header=read.header,
            text=read.text,
            ocr=read.ocr,
            confidence=read.confidence,
        )
        for place, (read, _) in enumerate(batch)
    )
    pairs = [(part, piece) for part, (_, cuts) in zip(parts, batch, strict=True) for piece in cuts]
    _add_chunks(document, pairs)
    document.part_count = document.done = first + len(parts)
    document.ocr_count += sum(part.ocr for part in parts)
    document.character_count += sum(len(part.text) for part in parts)
    spend(document, "reading", seconds)


def _add_chunks(document: Document, pairs: Sequence[tuple[Part, Cut]]) -> None:
    stored = document.chunks.filter(revision=document.revision)
    last = stored.aggregate(last=Max("ordinal"))["last"]
    ordinal = -1 if last is None else last
    older = defaultdict(list)
    if document.revision > 1:
        digests = {piece.digest for _, piece in pairs}
        for chunk in document.chunks.filter(revision__lt=document.revision, digest__in=digests):
            older[chunk.digest].append(chunk)
    moved, fresh = [], []
    for part, piece in pairs:
        ordinal += 1
        if older[piece.digest]:
            chunk = older[piece.digest].pop(0)
            moved.append(chunk)
        else:
            chunk = Chunk(
                document=document, text=piece.text, heading=piece.heading[:500], digest=piece.digest
            )
            fresh.append(chunk)
        chunk.part, chunk.revision, chunk.ordinal = part, document.revision, ordinal
        chunk.kind, chunk.number, chunk.label = piece.kind, piece.number, piece.label[:500]
        chunk.start, chunk.end = piece.start, piece.end
    Chunk.objects.bulk_update(moved, MOVED)
    Chunk.objects.bulk_create(fresh)
    indexing.add_words(document, fresh)
    document.chunk_count += len(fresh)


def _finish(document: Document) -> None:
    """The last transaction of reading: older revisions go, meaning is learned next."""
    forget(document, before=document.revision)
    document.chunk_count = document.chunks.count()
    if document.chunk_count == 0:
        raise Refusal(
            _("There is no text in it, so nothing could ever be found. Is it the right file?")
        )
    language = (
        ChunkWords.objects.filter(document_id=document.pk)
        .exclude(language="")
        .values("language")
        .annotate(words=Sum("length"))
        .order_by("-words", "language")
        .values_list("language", flat=True)
        .first()
    )
    text = "\n".join(document.chunks.order_by("ordinal").values_list("text", flat=True)[:SAMPLE])
    if language and analysis.shows(text, language):  # else what the file itself declares
        document.language = language
    document.extent = measuring.extent(document)
    likeness.remember(document)
    document.state = Document.State.LEARNING
    document.stage_began = timezone.now()
    document.done, document.total = 0, document.chunk_count


def spend(document: Document, stage: str, seconds: float) -> None:
    """Add to the seconds a stage took so far, as the receipt tells them."""
    document.timings[stage] = round(document.timings.get(stage, 0) + seconds, 3)
