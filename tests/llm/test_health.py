"""Do models answer, and which?"""

from pathlib import Path

import pytest
from pytest_django import Settings

from apps.llm import client, health
from apps.llm.bundled import launching
from tests.fake_ollama import FakeOllama


def test_a_server_with_both_kinds_of_model_is_well(ollama: FakeOllama) -> None:
    part = health.check()
    assert part.state == "ok" and "fake answers" in part.detail and not part.fix


def test_a_missing_model_is_named_with_what_to_do(ollama: FakeOllama) -> None:
    ollama.lacks("embeddinggemma")
    part = health.check()
    assert part.state == "degraded" and "pull_model embeddinggemma" in part.fix


def test_no_server_is_down(settings: Settings) -> None:
    settings.OLLAMA_HOST = "http://127.0.0.1:9"
    part = health.check()
    assert part.state == "down" and part.fix


@pytest.mark.real_model
def test_a_command_brings_a_server_along_and_takes_it_away(
    settings: Settings, tmp_path: Path
) -> None:
    settings.OLLAMA_HOST = settings.CHAT_MODEL = settings.EMBED_MODEL = ""
    settings.RUN_DIR, settings.MODELS_DIR = tmp_path / "run", tmp_path / "models"
    client.forget()
    if client.launching.answers(client.LOCAL_OLLAMA):
        pytest.skip("an Ollama of this machine answers first")
    with pytest.raises(client.ModelError, match="No model server is running"):
        client.host()
    with launching.in_use() as address, launching.in_use() as again:
        assert address == again == launching.running() == client.host()
        assert client.embedder() == ("multilingual-e5-small", 384)
        vectors = client.embed(["The tide rises.", "Die Flut steigt."], "passage")
        assert vectors.shape == (2, 384) and float(vectors[0] @ vectors[1]) > 0.85
        part = health.check()
        assert part.state == "degraded" and "extractive answers" in part.detail
        assert "pull_model qwen2.5-coder:1.5b" in part.fix
    assert launching.running() == "" and not launching.url_file().exists()
    client.forget()
