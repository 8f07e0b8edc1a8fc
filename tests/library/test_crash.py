"""kill -9 at any moment: nothing missing, nothing twice, the same in the end."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from apps.library import accounting, ingestion, watching
from apps.library.accounting import Counts
from apps.library.models import Chunk, ChunkVector, Document, TermStatistic, WordStatistic
from tests.library.papers import add, content, embedded, essay, finish

ROOT = Path(__file__).parents[2]
KILLS = 20
LONGEST_BATCH = 16

pytestmark = [pytest.mark.crash, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def folder(settings, tmp_path) -> Path:
    settings.MEDIA_ROOT = tmp_path / "files"
    return settings.MEDIA_ROOT


def worker(ollama: Any) -> subprocess.Popen[bytes]:
    """A process of its own, in a group of its own, that is past its imports."""
    name = connection.settings_dict["NAME"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('unix_socket_directories'), current_user")
        socket, user = cursor.fetchone()
    url = os.environ["DATABASE_URL"]
    if "VAULT_TEST_DATABASE_URL" not in os.environ:
        url = f"postgresql://{user}@/{name}?host={socket}"
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.library.worker", str(settings.MEDIA_ROOT), ollama.url],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": url},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    return child


def statistics() -> tuple[list[Any], list[Any]]:
    terms = TermStatistic.objects.order_by("word").values_list("word", "passages")
    return list(terms), list(WordStatistic.objects.values_list("passages", "words"))


def slowly(ollama: Any, seconds: float) -> None:
    """Let the model server take its time, so that kills hit every stage."""
    embeds = ollama.embeds

    def embed(text: str, dimensions: int) -> list[float]:
        time.sleep(seconds)
        vector: list[float] = embeds(text, dimensions)
        return vector

    ollama.embeds = embed


def test_twenty_kills_leave_nothing_out_and_nothing_twice(workspace, ollama):
    papers = {f"{n}.md": essay(150 + n) for n in range(4)}
    for name, paper in papers.items():
        finish(add(workspace, paper, name))
    undisturbed = {each.name: content(each) for each in Document.objects.all()}
    expected_statistics = statistics()
    passages = Chunk.objects.count()
    ingestion.discard_all(Document.objects.select_related("workspace"))
    assert not TermStatistic.objects.exists()

    ollama.heard.clear()
    slowly(ollama, 0.03)
    for name, paper in papers.items():
        add(workspace, paper, name)
    chance = random.Random(9)
    kills = 0
    while Document.objects.unfinished().exists():
        child = worker(ollama)
        try:
            if kills < KILLS:
                time.sleep(chance.uniform(0.02, 0.7))
                if child.poll() is None:  # a worker that is done is not there to be killed
                    kills += 1
                    os.killpg(child.pid, signal.SIGKILL)
            child.wait(60)
        finally:
            child.kill()
            child.wait()
            child.stdout.close()

    assert kills == KILLS, "the work was done before all kills were: give it more to do"
    assert {each.name: content(each) for each in Document.objects.all()} == undisturbed
    assert set(Document.objects.values_list("state", flat=True)) == {"ready"}
    assert statistics() == expected_statistics
    assert ChunkVector.objects.count() == passages
    assert len(embedded(ollama)) <= passages + kills * LONGEST_BATCH


def disk(root: Path) -> set[str]:
    """A folder of small files of several kinds, two of them the same; the paths of good ones."""
    files = {f"notes/{n}.md": essay(2, f" Note {n}.").decode() for n in range(12)}
    files |= {f"letters/{n}.txt": f"Letter {n}: the moor is wide." for n in range(8)}
    files |= {f"tables/{n}.csv": f"name,fee\nAda,{n}\nBob,{n + 1}\n" for n in range(5)}
    files["letters/copy.md"] = files["notes/3.md"]
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / "bad.pdf").write_bytes(b"%PDF-1.7 and nothing")
    (root / "tool.exe").write_bytes(b"MZ")
    return set(files)


def test_a_folder_adds_up_whatever_is_killed(workspace, ollama, settings, tmp_path):
    root = tmp_path / "disk"
    good = disk(root)
    settings.FOLDERS, settings.DATA_DIR = [tmp_path], tmp_path / "vault"
    folder = watching.begin(workspace, str(root))
    kills = 0
    while watching.due() or Document.objects.unfinished().exists():
        child = worker(ollama)
        try:
            if kills < 2:
                time.sleep(0.4)
                kills += child.poll() is None
                os.killpg(child.pid, signal.SIGKILL)
            child.wait(60)
        finally:
            child.kill()
            child.wait()
            child.stdout.close()
    assert kills == 2
    assert accounting.of(folder) == Counts(ready=len(good), unread=1, left_out=1)
    sources = Document.objects.filter(chunk_count__gt=0).values_list("source", flat=True)
    assert sorted(sources) == sorted(str(root / path) for path in good)
    assert ChunkVector.objects.count() == Chunk.objects.filter(document__state="ready").count()

    renamed = Document.objects.get(name="0.md")
    passages = list(renamed.chunks.values_list("pk", "text"))
    (root / "notes" / "0.md").rename(root / "notes" / "zero.md")
    (root / "letters" / "1.txt").write_text("Letter 1: the moor is narrow.")
    (root / "tables" / "2.csv").unlink()
    watching.look_again(folder)
    child = worker(ollama)
    child.wait(60)
    child.stdout.close()
    assert accounting.of(folder) == Counts(ready=len(good) - 1, unread=1, left_out=1)
    assert Document.objects.get(name="zero.md") == renamed
    assert list(renamed.chunks.values_list("pk", "text")) == passages
    assert Chunk.objects.get(document__name="1.txt").text.endswith("narrow.")
    assert not Document.objects.filter(name__in=["0.md", "2.csv"]).exists()
