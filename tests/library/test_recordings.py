"""Recordings become passages with time codes; without the speech model they wait, and say so."""

from pathlib import Path

import pytest
from pytest_django import Settings

from apps.library import ingestion, standing
from apps.library.models import Document, Workspace
from apps.library.parsing.audio import clock
from apps.llm import speech_weights
from tests import corpus, recordings
from tests.fake_ollama import FakeOllama
from tests.library.papers import finish


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.MEDIA_ROOT = tmp_path / "files"
    settings.MODELS_DIR = tmp_path / "models"
    settings.RUN_DIR = tmp_path / "run"
    return tmp_path


def added(workspace: Workspace, path: Path) -> Document:
    with path.open("rb") as stream:
        return ingestion.accept(workspace, stream, path.name).document


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0:00"), (65, "1:05"), (3600, "1:00:00"), (36_123, "10:02:03")]
)
def test_time_codes(seconds: int, words: str) -> None:
    assert clock(seconds) == words


def test_a_recording_waits_for_the_model_and_is_read_once_it_is_here(
    workspace: Workspace, folder: Path
) -> None:
    document = added(workspace, recordings.tones(folder / "talk.wav", 2))
    for _ in range(8):  # however often it is looked at, it has not failed
        assert ingestion.work(document.pk) == "queued"
    document.refresh_from_db()
    assert "speech model is not here yet" in document.reason
    assert standing.of(document).words.startswith("Waiting to be read: the speech model")
    assert not Document.objects.workable().exists()
    ingestion.sweep()
    assert not Document.objects.workable().exists()
    model = speech_weights.folder()
    model.mkdir(parents=True)
    for name in speech_weights.OFFER.beside:
        (model / name).touch()
    with (model / "model.bin").open("wb") as file:
        file.truncate(speech_weights.OFFER.size)
    ingestion.sweep()
    (waiting,) = Document.objects.workable()
    assert (waiting.pk, waiting.reason, waiting.attempts) == (document.pk, "", 0)


def test_others_are_read_while_a_recording_waits(
    workspace: Workspace, folder: Path, ollama: FakeOllama
) -> None:
    added(workspace, recordings.tones(folder / "talk.wav", 2))
    (folder / "note.txt").write_text("The harbour opens at eight.")
    note = added(workspace, folder / "note.txt")
    while ingestion.work_next() != "idle":
        pass
    note.refresh_from_db()
    assert note.state == "ready"


def test_what_is_no_recording_is_refused_without_the_model(
    workspace: Workspace, folder: Path
) -> None:
    (folder / "talk.mp3").write_bytes(b"ID3\x04" + bytes(800))
    document = added(workspace, folder / "talk.mp3")
    assert ingestion.work(document.pk) == "refused"


@pytest.mark.real_model
@recordings.heard
@corpus.needed
def test_speech_is_found_at_its_time(
    workspace: Workspace, ollama: FakeOllama, settings: Settings
) -> None:
    settings.MODELS_DIR = recordings.MODELS
    document = added(workspace, corpus.FOLDER / "multilingual.mp3")
    assert finish(document) == "ready"
    first, second = document.parts.all()
    assert "Permission is hereby granted, free of charge" in first.text
    assert "Software zu verwenden" in second.text
    assert (first.kind, first.number, first.label) == ("time", 0, "0:00–0:42")
    assert second.number == 42 and second.label.startswith("0:42–")
    assert first.confidence and first.confidence > 0.7
    chunk = document.chunks.first()
    assert chunk is not None and (chunk.kind, chunk.number) == ("time", 0)
    assert document.format == "audio" and document.total == document.chunk_count


@pytest.mark.real_model
@recordings.heard
def test_silence_is_refused_with_a_reason(
    workspace: Workspace, folder: Path, settings: Settings
) -> None:
    settings.MODELS_DIR = recordings.MODELS
    document = added(workspace, recordings.tones(folder / "hum.wav", 2, 1))
    assert ingestion.work(document.pk) == "refused"
    document.refresh_from_db()
    assert "No speech was heard" in document.reason
