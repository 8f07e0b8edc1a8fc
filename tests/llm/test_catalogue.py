"""Which models there are, and which one answers."""

import pytest
from pytest_django import Settings

from apps.llm import catalogue
from apps.llm.client import ModelError
from tests.fake_ollama import FakeOllama

APACHE = "\n                                 Apache License\n           Version 2.0, January 2004\n"


def test_models_tell_what_they_can(ollama: FakeOllama) -> None:
    ollama.has("gemma3:4b", "completion", "vision", size=3_000_000_000, license=APACHE)
    models = {model.name: model for model in catalogue.installed()}
    assert set(models) == {"fake", "thinker", "embeddinggemma", "gemma3:4b"}
    gemma = models["gemma3:4b"]
    assert gemma.abilities == {"completion", "vision"} and gemma.context == 8192
    assert gemma.licence == "Apache-2.0" and not gemma.extractive


def test_abilities_are_asked_once(ollama: FakeOllama) -> None:
    catalogue.installed()
    catalogue.installed()
    assert sum(heard.path == "/api/show" for heard in ollama.heard) == 3


def test_a_model_on_somebody_elses_machine_is_not_there(ollama: FakeOllama) -> None:
    ollama.has("gpt-oss:120b-cloud", "completion", size=400)
    assert "gpt-oss:120b-cloud" not in {model.name for model in catalogue.installed()}
    with pytest.raises(ModelError, match="not installed"):
        catalogue.chat_model("gpt-oss:120b-cloud")
    with pytest.raises(ModelError, match="somebody else's machine"):
        list(catalogue.pull("gpt-oss:120b-cloud"))


def test_the_model_wanted_comes_first_then_the_setting_then_the_usual_one(
    ollama: FakeOllama, settings: Settings
) -> None:
    ollama.has("gemma4:e4b", "completion", size=1_000_000_000)
    assert catalogue.chat_model("thinker").name == "thinker"
    assert catalogue.chat_model().name == "gemma4:e4b"
    settings.CHAT_MODEL = "thinker:latest"
    assert catalogue.chat_model().name == "thinker"
    with pytest.raises(ModelError, match="nobody is not installed"):
        catalogue.chat_model("nobody")


def test_otherwise_the_largest_that_fits_into_memory(ollama: FakeOllama) -> None:
    assert catalogue.chat_model().name == "fake"
    ollama.has("giant", "completion", size=10**15)
    assert catalogue.chat_model().name == "fake"


def test_where_nothing_writes_it_says_what_to_pull(ollama: FakeOllama) -> None:
    ollama.lacks("fake")
    ollama.lacks("thinker")
    with pytest.raises(ModelError, match="pull_model gemma4:e4b"):
        catalogue.chat_model()


def test_what_is_there_is_not_suggested(ollama: FakeOllama) -> None:
    names = {offer.name for offer in catalogue.suggestions()}
    assert "embeddinggemma" not in names and "gemma4:e4b" in names


def test_the_bundled_offers_can_be_read() -> None:
    offers = {offer.name: offer for offer in catalogue._bundled_suggestions()}
    assert offers[catalogue.DEFAULT_PULL].size == 1_117_320_768
