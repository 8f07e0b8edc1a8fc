"""How long it takes until a file is found: by its words, by its meaning, and when nothing changed.

The work is done in this process as a worker's task would, in a scratch workspace of a scratch
person in the vault's own database; what the queue adds is `poll`, 0.2 s at most.
"""

import io
import random
import re
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil
import pymupdf
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection

from apps.library import folders, ingestion
from apps.library.models import ChunkVector, Document, Workspace
from apps.llm import client
from apps.llm.bundled import launching
from apps.llm.client import ModelError
from tests.benchmarks import endurance

PROSE = ("README.md", "CHANGELOG.md", "SECURITY.md")  # whose words the texts are made of
PAGES, PAGE_CHARACTERS = 20, 2_400
NOTES, NOTE_CHARACTERS = 100, 5_000
FILES = 1_000
LONG_CHARACTERS = 360_000  # of 200 pages of a book
STAGES = [str(state) for state in (*Document.UNFINISHED, Document.State.READY)]

Row = dict[str, Any]


def run(options: Mapping[str, Any]) -> list[Row]:
    """Rows of name, value, unit and goal; seconds are wall-clock time of one run."""
    with _workspace() as workspace, model_server():
        client.embed(["warm up"], "passage")
        return [
            *_pdf(workspace),
            *_notes(workspace),
            *_typo(workspace),
            *_second_run(workspace),
            *_endurance(workspace),
        ]


def _pdf(workspace: Workspace) -> Iterator[Row]:
    began = time.monotonic()
    document = _accept(workspace, _made_pdf(random.Random(1)), "report.pdf")
    _until(document, Document.State.LEARNING)
    found = time.monotonic() - began
    yield _row(f"found by words: a text PDF of {PAGES} pages", found, "s", "≤ 2")
    _until(document, Document.State.READY)
    yield _row("the same by meaning", time.monotonic() - began, "s", "")


def _notes(workspace: Workspace) -> Iterator[Row]:
    chance = random.Random(2)
    began, cpu = time.monotonic(), _cpu_seconds()
    documents = [
        _accept(workspace, _markdown(chance, NOTE_CHARACTERS), f"note-{number}.md")
        for number in range(NOTES)
    ]
    for document in documents:
        _until(document, Document.State.LEARNING)
    by_words, cpu = time.monotonic() - began, _cpu_seconds() - cpu
    chunks = sum(
        Document.objects.values_list("chunk_count", flat=True).get(pk=d.pk) for d in documents
    )
    for document in documents:
        _until(document, Document.State.READY)
    by_meaning = time.monotonic() - began
    yield _row(f"{NOTES} notes, {chunks} chunks: found by words", by_words, "s", "≤ 5")
    yield _row("the same by meaning", by_meaning, "s", "≤ 25")
    yield _row("CPU of notes without embedding", cpu / chunks * 1000, "ms a chunk", "≤ 6")
    began, cpu = time.monotonic(), _cpu_seconds()
    long = _accept(workspace, _made_pdf(random.Random(3), pages=200), "long.pdf")
    _until(long, Document.State.LEARNING)
    cpu = _cpu_seconds() - cpu
    long.refresh_from_db()
    yield _row(
        "CPU of a text PDF without embedding", cpu / long.chunk_count * 1000, "ms a chunk", "≤ 6"
    )
    ingestion.discard(long)


def _typo(workspace: Workspace) -> Iterator[Row]:
    text = _markdown(random.Random(4), LONG_CHARACTERS)
    document = _accept(workspace, text, "essay.md")
    _until(document, Document.State.READY)
    known = set(document.chunks.values_list("digest", flat=True))
    middle = len(text) // 2
    document = _accept(workspace, text[:middle] + b"teh" + text[middle:], "essay.md")
    _until(document, Document.State.READY)
    fresh = set(document.chunks.values_list("digest", flat=True)) - known
    assert ChunkVector.objects.filter(document_id=document.pk).count() == document.chunk_count
    yield _row("one typo in a text of 200 pages: chunks embedded", len(fresh), "chunks", "≤ 3")


def _second_run(workspace: Workspace) -> Iterator[Row]:
    chance = random.Random(5)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(FILES):
            Path(folder, f"{number}.md").write_bytes(_markdown(chance, 3_000))
        folders.import_files(workspace, folders.files_below([Path(folder)]))
        began = time.monotonic()
        results = folders.import_files(workspace, folders.files_below([Path(folder)]))
        seconds = time.monotonic() - began
    assert {each.status for each in results} == {"unchanged"}
    yield _row(f"second run over {FILES} documents", seconds, "s", "≤ 2")


def _endurance(workspace: Workspace) -> Iterator[Row]:
    """The peer, and what goes wrong in a vault's life."""

    def add(content: bytes, name: str) -> Document:
        return _accept(workspace, content, name)

    chance = random.Random(6)
    rounds = range(endurance.PEER_ROUNDS)
    peers = [_made_pdf(chance, pages=endurance.PEER_PAGES) for _ in rounds]
    yield from endurance.against_peer(peers, add, _until)
    learned = Document.objects.filter(workspace=workspace, name__startswith="peer-")
    yield from endurance.embedding(list(learned))
    chance = random.Random(7)
    yield from endurance.scans(lambda: _words(chance, 1_800), add, _until)
    long = _made_pdf(random.Random(8), pages=endurance.LONG_PAGES)
    yield from endurance.long_pdf(long, add, _until)
    text = _markdown(random.Random(9), endurance.KILLED_CHARACTERS)
    yield from endurance.kills(text, add, _until)


def _row(name: str, value: float, unit: str, goal: str) -> Row:
    return {"name": name, "value": round(value, 3), "unit": unit, "goal": goal}


def _accept(workspace: Workspace, content: bytes, name: str) -> Document:
    return ingestion.accept(workspace, io.BytesIO(content), name).document


def _until(document: Document, state: str) -> None:
    """Work until a document is that far; a worker of the vault may be at it as well."""
    while True:
        document.refresh_from_db(fields=["state"])
        if document.state not in STAGES:
            raise LookupError(f"{document}: {document.state} instead of {state}.")
        if STAGES.index(document.state) >= STAGES.index(state):
            return
        if ingestion.work(document.pk) == "busy":
            time.sleep(0.01)


def _cpu_seconds() -> float:
    """Of this process, the parsers it started, and its backend where that is on this machine."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    total = sum(each.ru_utime + each.ru_stime for each in used)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone() or (0,)
    try:
        backend = psutil.Process(pid).cpu_times()
    except psutil.Error:
        return total
    return total + backend.user + backend.system


@cache
def _vocabulary() -> list[str]:
    """Words of English prose, the usual ones first: made-up ones are three times the tokens."""
    prose = "\n".join(Path(settings.BASE_DIR, name).read_text() for name in PROSE)
    counted = Counter(re.findall(r"[A-Za-z]{2,}", prose))
    return [word for word, _ in counted.most_common()]


def _words(chance: random.Random, characters: int) -> str:
    """Words by Zipf's law, without sense: right for times, not for how well anything is found."""
    known = _vocabulary()
    words: list[str] = []
    length = 0
    while length < characters:
        word = known[int(len(known) ** chance.random()) - 1]
        words.append(word + ("." if chance.random() < 0.07 else ""))
        length += len(word) + 1
    return " ".join(words)


def _markdown(chance: random.Random, characters: int) -> bytes:
    sections = [
        f"## Section {n} {chance.random()}\n\n{_words(chance, 800)}\n"
        for n in range(characters // 800)
    ]
    return "\n".join(sections).encode()


def _made_pdf(chance: random.Random, pages: int = PAGES) -> bytes:
    pdf = pymupdf.open()
    for _ in range(pages):
        page = pdf.new_page()
        box = pymupdf.Rect(50, 50, page.rect.width - 50, page.rect.height - 50)
        page.insert_textbox(box, _words(chance, PAGE_CHARACTERS))
    return bytes(pdf.tobytes())


@contextmanager
def _workspace() -> Iterator[Workspace]:
    owner = User.objects.create_user(f"benchmark-{uuid4().hex[:8]}")
    workspace = Workspace.objects.create(owner=owner, name="Benchmark")
    try:
        yield workspace
    finally:
        ingestion.discard_workspace(workspace)
        owner.delete()


def model_server() -> Any:
    try:
        client.host()
    except ModelError:
        return launching.in_use()
    return nullcontext()
