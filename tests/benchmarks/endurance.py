"""Ingestion against a peer's way, and under hardship: kills, a very long PDF, scanned pages."""

import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import Any

import psutil
import pymupdf
from django.conf import settings

from apps.library import ingestion
from apps.library.models import Chunk, ChunkVector, Document
from apps.llm import client

PEER_ROUNDS, PEER_PAGES, PEER_SIZE, PEER_OVERLAP, PEER_BATCH = 2, 20, 1000, 100, 5
KILLS, KILLED_CHARACTERS = 20, 40_000
LONG_PAGES, SCANNED_PAGES, DPI = 1500, 4, 200

Row = dict[str, Any]
Add = Callable[[bytes, str], Document]
Until = Callable[[Document, str], None]


def against_peer(pdfs: Sequence[bytes], add: Add, until: Until) -> Iterator[Row]:
    """The same files through both pipelines, to the last vector; the peer keeps its in memory.

    By turns, so that what else the machine does meets both.
    """
    theirs = ours = 0.0
    passages = chunks = 0
    for number, pdf in enumerate(pdfs):
        began = time.monotonic()
        passages += _peer(pdf)
        theirs += time.monotonic() - began
        began = time.monotonic()
        document = add(pdf, f"peer-{number}.pdf")
        until(document, Document.State.READY)
        ours += time.monotonic() - began
        document.refresh_from_db()
        chunks += document.chunk_count
    what = f"{len(pdfs)} × {PEER_PAGES} pages, {chunks} passages (the peer {passages})"
    yield row(f"ours, end to end: {what}", ours, "s", "")
    yield row("the peer's pipeline: pypdf, 1000/100, batches of 5", theirs, "s", "")
    yield row("the peer's time over ours", theirs / ours, "times", "≥ 1.5")


def _peer(pdf: bytes) -> int:
    try:
        import pypdf
    except ImportError as absent:
        raise LookupError(
            "The benchmark compares with pypdf, which is not installed here. "
            "Run: pip install -r tests/requirements.txt"
        ) from absent
    pieces: list[str] = []
    for page in pypdf.PdfReader(BytesIO(pdf)).pages:
        text = page.extract_text()
        step = PEER_SIZE - PEER_OVERLAP
        pieces += [text[start : start + PEER_SIZE] for start in range(0, len(text), step)]
    for start in range(0, len(pieces), PEER_BATCH):
        client.embed(pieces[start : start + PEER_BATCH], "passage")
    return len(pieces)


def embedding(documents: Sequence[Document]) -> Iterator[Row]:
    """How fast documents were learned, batches stored and all."""
    seconds = sum(each.timings.get("learning", 0) for each in documents)
    speed = sum(each.chunk_count for each in documents) / seconds if seconds else 0
    yield row("embedding inside the worker", speed, "chunks/s", "≥ 30")


def kills(text: bytes, add: Add, until: Until) -> Iterator[Row]:
    """Workers killed at twenty random moments, against the same text read in peace."""
    calm = add(text, "calm.md")
    until(calm, Document.State.READY)
    expected = _content(calm)
    ingestion.discard(Document.objects.get(pk=calm.pk))
    document = add(text, "killed.md")
    chance, killed = random.Random(9), 0
    while _unfinished(document):
        with _worker() as child:
            if killed < KILLS:
                time.sleep(chance.uniform(0.02, 1.0))
                if child.poll() is None:
                    killed += 1
                    os.killpg(child.pid, signal.SIGKILL)
            while _unfinished(document) and child.poll() is None:
                time.sleep(0.1)  # for as long as it works: what it waits for may come late
    document.refresh_from_db()
    if document.state != Document.State.READY:
        raise LookupError(f"After {killed} kills: {document.state}, {document.reason}")
    found = _content(document)
    yield row("kills of the worker", killed, "kills", f"{KILLS}")
    yield row("passages missing after them", len(set(expected) - set(found)), "chunks", "0")
    twice = len(found) - len(set(found)) + len(set(found) - set(expected))
    yield row("passages there twice after them", twice, "chunks", "0")
    vectors = ChunkVector.objects.filter(document_id=document.pk).count()
    yield row("passages without a vector after them", len(found) - vectors, "chunks", "0")


def _content(document: Document) -> list[tuple[int, str]]:
    return list(Chunk.objects.filter(document=document).values_list("ordinal", "digest"))


def _unfinished(document: Document) -> bool:
    return Document.objects.unfinished().filter(pk=document.pk).exists()


@contextmanager
def _worker() -> "Iterator[subprocess.Popen[bytes]]":
    """A process that works as a task of the worker does; it is up by now, and ends with the block.

    It works in the database of this process, wherever that was told of.
    """
    with subprocess.Popen(
        [sys.executable, "-m", "tests.library.worker", str(settings.MEDIA_ROOT), client.host()],
        cwd=settings.BASE_DIR,
        env={
            **os.environ,
            "VAULT_DATA": str(settings.DATA_DIR),
            "DATABASE_URL": settings.DATABASE_URL,
        },
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as child:
        try:
            assert child.stdout is not None
            if child.stdout.readline() != b"ready\n":
                raise LookupError("The spare worker did not start; what it said stands above.")
            yield child
        finally:
            child.kill()


def long_pdf(pdf: bytes, add: Add, until: Until) -> Iterator[Row]:
    """What reading a very long document takes of memory: this process, its parser, its backend."""
    with _peak_memory() as peak:
        document = add(pdf, "very-long.pdf")
        until(document, Document.State.LEARNING)
    yield row(f"a PDF of {LONG_PAGES} pages: peak memory over idle", peak[0], "MB", "≤ 400")
    ingestion.cancel(document)
    ingestion.discard(Document.objects.get(pk=document.pk))


@contextmanager
def _peak_memory() -> Iterator[list[float]]:
    """The most that this process and those below it held over what they held before, in MB."""
    me = psutil.Process()
    before, peak, over = _held(me), [0.0], threading.Event()

    def watch() -> None:
        while not over.wait(0.1):
            peak[0] = max(peak[0], (_held(me) - before) / 2**20)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield peak
    finally:
        over.set()
        watcher.join()


def _held(process: psutil.Process) -> int:
    total = 0
    for each in (process, *process.children(recursive=True)):
        try:
            total += each.memory_info().rss
        except psutil.Error:
            continue  # ended meanwhile
    return total


def scans(text: Callable[[], str], add: Add, until: Until) -> Iterator[Row]:
    """Pages that are pictures of text, A4 at 200 dpi: processor time of the parser."""
    pdf = _scanned(text)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    document = add(pdf, "scanned.pdf")
    until(document, Document.State.LEARNING)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    document.refresh_from_db()
    if document.ocr_count != SCANNED_PAGES:
        raise LookupError(f"OCR read {document.ocr_count} of {SCANNED_PAGES} scanned pages.")
    yield row("a scanned page (A4, 200 dpi), one core", spent / SCANNED_PAGES, "s", "≤ 1.5")


def _scanned(text: Callable[[], str]) -> bytes:
    written, pictures = pymupdf.open(), pymupdf.open()
    for _ in range(SCANNED_PAGES):
        page = written.new_page(width=595, height=842)
        page.insert_textbox(pymupdf.Rect(60, 60, 535, 780), text(), fontsize=11)
        picture = page.get_pixmap(dpi=DPI).tobytes("png")
        pictures.new_page(width=595, height=842).insert_image(page.rect, stream=picture)
    return bytes(pictures.tobytes())


def row(name: str, value: float, unit: str, goal: str) -> Row:
    return {"name": name, "value": round(value, 3), "unit": unit, "goal": goal}
