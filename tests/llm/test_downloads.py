"""Models on their way."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_django import Settings

from apps.llm import catalogue, downloads, speech_weights
from apps.llm.client import ModelError
from tests.fake_ollama import FakeOllama


@pytest.fixture(autouse=True)
def _own_folder(settings: Settings, tmp_path: Path) -> None:
    settings.RUN_DIR = tmp_path / "run"


def wait_until(holds: Callable[[], object]) -> None:
    until = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.02)


def test_a_pull_tells_how_far_it_is(ollama: FakeOllama) -> None:
    steps = list(catalogue.pull("phi4"))
    shares = [step.percent for step in steps]
    assert shares == sorted(shares) and shares[-1] == 100
    assert steps[-1].state == "done" and catalogue.pulls() == []
    assert "phi4" in {model.name for model in catalogue.installed()}


def test_a_model_nobody_offers_fails_in_words_and_is_shown_until_dismissed(
    ollama: FakeOllama,
) -> None:
    with pytest.raises(ModelError, match="Nobody offers a model named nowhere"):
        list(catalogue.pull("nowhere"))
    (failed,) = catalogue.pulls()
    assert failed.state == "failed" and "Nobody offers" in failed.error
    downloads.dismiss("nowhere")
    assert catalogue.pulls() == []


def test_a_download_in_the_background_is_seen_and_cancelled(ollama: FakeOllama) -> None:
    ollama.pulls_on.clear()  # the server says nothing for long
    downloads.start("phi4")
    downloads.start("phi4")
    wait_until(lambda: any(heard.path == "/api/pull" for heard in ollama.heard))
    (running,) = catalogue.pulls()
    assert running.state == "running" and running.name == "phi4"
    began = time.monotonic()
    downloads.cancel("phi4")
    wait_until(lambda: not catalogue.pulls())
    assert time.monotonic() - began < 10  # the server would wait for 30
    wait_until(lambda: ollama.hung_up)
    ended = downloads.record("phi4")
    assert ended and ended.state == "cancelled"
    assert sum(heard.path == "/api/pull" for heard in ollama.heard) == 1


def test_a_download_whose_process_died_can_be_tried_again(ollama: FakeOllama) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    for trace in ({"process": gone.pid}, {"birth": 1.0}):  # or its id was given to another
        downloads._note(downloads.Progress("phi4", **trace))
        (interrupted,) = catalogue.pulls()
        assert interrupted.state == "failed" and "interrupted" in interrupted.error
    downloads.start("phi4")
    wait_until(lambda: not catalogue.pulls())
    assert "phi4:latest" in ollama.models


def test_the_first_pull_is_for_the_bundled_server_only(
    ollama: FakeOllama, settings: Settings
) -> None:
    downloads.forget_removed(speech_weights.NAME)  # or it would be fetched, in truth
    settings.PULL = True
    catalogue.ensure_default_pull()  # OLLAMA_HOST is set
    settings.OLLAMA_HOST, settings.PULL = "", False
    catalogue.ensure_default_pull()
    time.sleep(0.2)
    assert not any(heard.path == "/api/pull" for heard in ollama.heard)
