"""The models page and the command that pulls."""

import time
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings

from apps.llm import downloads, speech_weights
from tests.fake_ollama import FakeOllama

HTMX = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def _own_folder(settings: Settings, tmp_path: Path) -> None:
    settings.RUN_DIR = tmp_path / "run"


def wait_until_over() -> None:
    until = time.monotonic() + 10
    while downloads.pulls() and time.monotonic() < until:
        time.sleep(0.02)


def test_the_page_lists_what_is_there_and_what_could_be(reader: Client, ollama: FakeOllama) -> None:
    page = reader.get("/models/").text
    assert "thinker" in page and "1.0 GB" in page and "2.0 GB" in page
    assert "Apache-2.0" in page and "thinks first" in page
    assert "gemma4:e4b" in page and 'hx-trigger="every 2s"' not in page


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["plain", "htmx"])
def test_the_owner_pulls_and_deletes(
    reader: Client, ollama: FakeOllama, headers: dict[str, str]
) -> None:
    answer = reader.post("/models/pull/", {"name": "phi4"}, headers=headers, follow=True)
    assert answer.status_code == 200
    wait_until_over()
    assert "phi4:latest" in ollama.models
    assert "phi4" in reader.get("/models/").text
    answer = reader.post("/models/delete/", {"name": "phi4"}, headers=headers, follow=True)
    assert "phi4 is deleted." in answer.text
    assert "phi4:latest" not in ollama.models


def test_a_running_download_is_shown_on_every_page_and_can_be_cancelled(
    reader: Client, ollama: FakeOllama
) -> None:
    ollama.pulls_on.clear()
    page = reader.post("/models/pull/", {"name": "phi4"}, headers=HTMX).text
    assert 'hx-trigger="every 2s"' in page and "On their way" in page
    assert "phi4" in reader.get("/account/").text
    assert "every 2s" in reader.get("/models/strip/", headers=HTMX).text
    reader.post("/models/cancel/", {"name": "phi4"})
    wait_until_over()
    strip = reader.get("/models/strip/", headers=HTMX).text
    assert "models-strip" in strip and "every 2s" not in strip
    assert "models-strip" not in reader.get("/account/").text


def test_a_failed_download_says_why(reader: Client, ollama: FakeOllama) -> None:
    reader.post("/models/pull/", {"name": "nowhere"})
    until = time.monotonic() + 10
    while "Nobody offers" not in (page := reader.get("/models/").text):
        assert time.monotonic() < until
    assert "Try again" in page
    reader.post("/models/cancel/", {"name": "nowhere"})
    assert "Nobody offers" not in reader.get("/models/").text


def test_only_the_owner_changes_what_is_installed(
    client: Client, alice: User, bob: User, ollama: FakeOllama
) -> None:
    client.force_login(bob)
    page = client.get("/models/").text
    assert "thinker" in page and "/models/delete/" not in page and "/models/pull/" not in page
    for act in ("pull", "cancel", "delete"):
        assert client.post(f"/models/{act}/", {"name": "fake"}).status_code == 404
    assert "fake:latest" in ollama.models


def test_without_a_server_the_page_says_what_to_do(reader: Client, settings: Settings) -> None:
    settings.OLLAMA_HOST = "http://127.0.0.1:9"
    page = reader.get("/models/")
    assert page.status_code == 200 and "No model server answers" in page.text


def test_an_empty_name_is_refused(reader: Client, ollama: FakeOllama) -> None:
    assert reader.post("/models/pull/", {"name": " "}).status_code == 422


def test_the_command_pulls(ollama: FakeOllama, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("pull_model", "phi4")
    assert "phi4 is ready." in capsys.readouterr().out
    with pytest.raises(CommandError, match="Nobody offers"):
        call_command("pull_model", "nowhere")


def test_the_speech_model_is_listed_and_is_its_owners_affair(
    reader: Client, ollama: FakeOllama, settings: Settings, tmp_path: Path
) -> None:
    settings.MODELS_DIR = tmp_path
    page = reader.get("/models/").text
    assert "whisper-base" in page and "not here yet" in page
    (tmp_path / "whisper-base").mkdir()
    for name in speech_weights.OFFER.beside:
        (tmp_path / "whisper-base" / name).touch()
    with (tmp_path / "whisper-base" / "model.bin").open("wb") as file:
        file.truncate(speech_weights.OFFER.size)
    assert "Recordings wait until it is pulled again" in reader.get("/models/").text
    answer = reader.post("/models/delete/", {"name": "whisper-base"}, follow=True)
    assert "whisper-base is deleted." in answer.text and "not here yet" in answer.text
