"""The child that reads files: limited, killed whole, without secrets."""

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pymupdf
import pytest

from apps.library import children as processes
from apps.library import sandbox
from apps.library.sandbox import Opened, ReadPart, Refusal


def pdf(path: Path, pages: int) -> Path:
    document = pymupdf.open()
    for number in range(1, pages + 1):
        page = document.new_page()
        for line in range(40):
            page.insert_text(
                (72, 72 + line * 16), f"Page {number}, line {line}: the code is C-{number}."
            )
    document.save(path)
    return path


def children() -> list[psutil.Process]:
    return [
        process
        for process in psutil.Process().children(recursive=True)
        if "apps.library.parsing" in " ".join(process.cmdline())
    ]


def test_parts_come_after_what_the_document_is(tmp_path):
    opened, *parts = sandbox.read(pdf(tmp_path / "a", 3), "a.pdf")
    assert opened == Opened("pdf", "", 3, "")
    assert [part.label for part in parts] == ["page 1", "page 2", "page 3"]
    assert "C-2" in parts[1].text


def test_what_is_stored_already_is_not_read_again(tmp_path):
    path = pdf(tmp_path / "a", 3)
    parts = [piece for piece in sandbox.read(path, "a.pdf", skip=2) if isinstance(piece, ReadPart)]
    assert [part.number for part in parts] == [3]
    notes = tmp_path / "b"
    notes.write_text("# One\n\na\n\n# Two\n\nb\n")
    parts = [piece for piece in sandbox.read(notes, "b.md", skip=1) if isinstance(piece, ReadPart)]
    assert [part.label for part in parts] == ["Two"]


def test_closing_the_generator_kills_the_child_and_removes_its_folder(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    pieces = sandbox.read(pdf(tmp_path / "a", 200), "a.pdf")
    next(pieces)
    assert len(children()) == 1
    pieces.close()
    assert children() == []
    assert list(tmp_path.glob("vault-parse-*")) == []


def test_a_file_that_shows_no_sign_of_life_is_given_up(tmp_path, settings):
    settings.PARSE_SECONDS = 0.001
    with pytest.raises(Refusal, match=r"longer than 0\.001 seconds"):
        list(sandbox.read(pdf(tmp_path / "a", 1), "a.pdf"))
    assert children() == []


def test_a_file_that_needs_too_much_memory_is_refused(tmp_path, settings):
    settings.PARSE_MEMORY_MB = 260
    path = tmp_path / "a"
    path.write_text("many words " * 12_000_000)
    with pytest.raises(Refusal, match="260 MB"):
        list(sandbox.read(path, "a.txt"))


def test_the_child_knows_no_secret_and_works_in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://secret")
    with contextlib.closing(sandbox.read(pdf(tmp_path / "a", 300), "a.pdf")) as pieces:
        next(pieces)
        (child,) = children()
        assert "DATABASE_URL" not in child.environ()
        assert "vault-parse-" in child.cwd()
        assert child.rlimit(psutil.RLIMIT_AS)[1] <= 2048 * 1024 * 1024
        assert os.getpgid(child.pid) == child.pid


@pytest.mark.crash
def test_a_reader_killed_from_outside_is_not_the_files_fault(tmp_path):
    pieces = sandbox.read(pdf(tmp_path / "a", 1500), "a.pdf")
    next(pieces)
    children()[0].kill()
    with pytest.raises(ChildProcessError):
        list(pieces)


def test_a_page_is_shown_as_an_image_of_the_width_asked_for(tmp_path):
    image = sandbox.page_image(pdf(tmp_path / "a", 2), "a.pdf", 2, 300)
    assert image.startswith(b"\x89PNG")
    assert abs(int.from_bytes(image[16:20], "big") - 300) <= 1
    with pytest.raises(Refusal, match="no page 3"):
        sandbox.page_image(tmp_path / "a", "a.pdf", 3, 300)


def test_a_passage_is_found_on_its_page(tmp_path):
    path = pdf(tmp_path / "a", 2)
    boxes = sandbox.passage_boxes(path, "a.pdf", 2, "line 3: the code is C-2.\nPage 2, line 4:")
    assert len(boxes) == 2
    assert all(0 < x0 < x1 < 1 and 0 < y0 < y1 < 1 for x0, y0, x1, y1 in boxes)
    assert boxes[0][1] < boxes[1][1] < 0.3
    assert sandbox.passage_boxes(path, "a.pdf", 2, "nothing like this is there") == []


def test_a_text_has_no_pages(tmp_path):
    (tmp_path / "a").write_text("hello")
    with pytest.raises(Refusal, match="no pages"):
        sandbox.page_image(tmp_path / "a", "a.txt", 1, 300)


def test_a_small_file_is_read_at_once(tmp_path):
    (tmp_path / "a").write_text("hello")
    began = time.monotonic()
    list(sandbox.read(tmp_path / "a", "a.txt"))
    assert time.monotonic() - began < 2


@pytest.mark.crash
def test_the_child_and_its_tesseract_die_with_a_worker_that_is_killed(tmp_path):
    document = pymupdf.open()
    for _ in range(3):
        page = document.new_page()
        page.insert_image(page.rect, pixmap=pymupdf.open(pdf(tmp_path / "a", 1))[0].get_pixmap())
    document.save(tmp_path / "scan")
    worker = subprocess.Popen(
        [sys.executable, "-c", WORKER, str(tmp_path / "scan")],
        env=os.environ | {"TMPDIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "vaultsite.settings"},
        stdout=subprocess.PIPE,
    )
    assert worker.stdout is not None
    worker.stdout.readline()
    while not at_work(tmp_path, "tesseract"):
        assert worker.poll() is None
        time.sleep(0.01)
    worker.kill()
    worker.wait()
    worker.stdout.close()
    until = time.monotonic() + 5
    while at_work(tmp_path) and time.monotonic() < until:
        time.sleep(0.05)
    assert at_work(tmp_path) == []


WORKER = """
import sys, django
from pathlib import Path
django.setup()
from apps.library import children as processes
from apps.library import sandbox
for piece in sandbox.read(Path(sys.argv[1]), "scan.pdf"):
    print("opened", flush=True)
"""


def at_work(folder: Path, name: str = "") -> list[str]:
    """Processes whose working folder is in this one."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.cwd().startswith(str(folder)) and name in process.name():
                found.append(process.name())
    return found


# --- small texts share a process ----------------------------------------------------------------
def note(folder: Path, number: int) -> Path:
    path = folder / f"{number}.md"
    path.write_text(f"# Note {number}\n\nThe heron stood {number} minutes.")
    return path


def test_small_texts_are_read_by_one_process_and_nothing_of_one_is_in_the_other(tmp_path):
    seen = set()
    for number in range(5):
        opened, part = sandbox.read(note(tmp_path, number), f"{number}.md")
        assert opened.title == f"Note {number}" and f"stood {number} minutes" in part.text
        (child,) = children()
        seen.add(child.pid)
    assert len(seen) == 1
    processes.rest()
    assert children() == []


def test_what_is_no_text_gets_a_process_of_its_own(tmp_path):
    list(sandbox.read(note(tmp_path, 1), "1.md"))
    (waiting,) = children()
    path = pdf(tmp_path / "disguised.md", 2)
    opened, *parts = sandbox.read(path, "disguised.md")
    assert opened.format == "pdf" and len(parts) == 2
    (after,) = children()
    assert after.pid == waiting.pid  # the one that has read nothing but texts
    list(sandbox.read(pdf(tmp_path / "a", 1), "a.pdf"))
    assert [child.pid for child in children()] == [waiting.pid]


def test_after_a_refusal_or_in_the_middle_it_is_not_kept(tmp_path):
    (tmp_path / "blank.txt").write_text("  \n ")
    with pytest.raises(Refusal):
        list(sandbox.read(tmp_path / "blank.txt", "blank.txt"))
    assert children() == []
    pieces = sandbox.read(note(tmp_path, 1), "1.md")
    next(pieces)
    pieces.close()
    assert children() == []


def test_one_that_was_killed_meanwhile_is_replaced(tmp_path):
    list(sandbox.read(note(tmp_path, 1), "1.md"))
    (child,) = children()
    child.kill()
    child.wait(5)
    time.sleep(0.1)
    assert len(list(sandbox.read(note(tmp_path, 2), "2.md"))) == 2


def test_now_and_then_a_new_one_begins(tmp_path, monkeypatch):
    monkeypatch.setattr(processes, "MOST_FILES", 2)
    seen = []
    for number in range(4):
        list(sandbox.read(note(tmp_path, number), f"{number}.md"))
        seen += [child.pid for child in children()]
    assert len(seen) == 2 and seen[0] != seen[1]
