"""Recordings for tests: tones and pauses, which are cut like speech but say nothing."""

import os
import wave
from pathlib import Path

import numpy as np
import pytest

from apps.llm import speech_weights

RATE = 16_000
ROOT = Path(__file__).resolve().parent.parent
# The speech model of a vault on this machine; what needs it is skipped where there is none.
MODELS = Path(os.environ.get("VAULT_MODELS") or ROOT.parent.parent / "models")
heard = pytest.mark.skipif(
    not (MODELS / speech_weights.NAME / "model.bin").exists(),
    reason=f"no {speech_weights.NAME} in {MODELS} (set VAULT_MODELS)",
)


def tones(path: Path, *seconds: float, rate: int = RATE) -> Path:
    """A WAV that is loud and quiet by turns, for so many seconds each."""
    pieces = []
    for number, length in enumerate(seconds):
        time = np.arange(int(length * rate)) / rate
        pieces.append(np.sin(time * 2 * np.pi * 220) * (0 if number % 2 else 12_000))
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(np.concatenate(pieces).astype("<i2").tobytes())
    return path


def encoded(wav: Path, path: Path, codec: str) -> Path:
    """The same sound in another container, by its ending, and codec."""
    import av

    with av.open(str(wav)) as source, av.open(str(path), "w") as target:
        stream = target.add_stream(codec, rate=48_000, layout="mono")
        resampler = av.AudioResampler(format=stream.format, layout="mono", rate=48_000)
        fifo = av.AudioFifo()
        for frame in source.decode(audio=0):
            for part in resampler.resample(frame):
                fifo.write(part)
        while part := fifo.read(stream.codec_context.frame_size or 1024, partial=True):
            target.mux(stream.encode(part))
        target.mux(stream.encode(None))
    return path
