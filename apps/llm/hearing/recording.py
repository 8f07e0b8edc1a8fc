"""A recording as blocks of sound: decoded as it is needed, cut where it is quiet."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt

RATE = 16_000  # samples a second, as Whisper hears
LONGEST, SHORTEST = 28.0, 16.0  # seconds of a block: Whisper hears 30 at a time
QUIET = 0.2  # seconds over which loudness is measured
BAD_PACKETS = 1000  # in a row, after which the rest of a recording is given up

Samples = npt.NDArray[np.float32]


class NoRecording(Exception):
    """No sound can be made of the file."""


@dataclass(frozen=True, slots=True)
class Block:
    """Up to 28 seconds of one voice; `start` in seconds from the beginning."""

    start: float
    samples: Samples

    @property
    def end(self) -> float:
        return self.start + len(self.samples) / RATE


@dataclass(frozen=True, slots=True)
class About:
    """What a file says of itself: its length in seconds, if it does, and its title."""

    seconds: float | None
    title: str


def about(path: Path) -> About:
    """What a recording says of itself; raises NoRecording where it is none."""
    with _opened(path) as container:
        seconds = container.duration / 1_000_000 if container.duration else None
        return About(seconds, str(container.metadata.get("title", "")))


def blocks(path: Path) -> Iterator[Block]:
    """The whole recording, block by block, each as long as can be and cut at a pause.

    The same file always gives the same blocks. Raises NoRecording.
    """
    held: Samples = np.empty(0, np.float32)
    start = 0  # samples
    for piece in _decoded(path):
        held = np.concatenate([held, piece])
        while len(held) > LONGEST * RATE:
            end = _pause(held)
            yield Block(start / RATE, held[:end])
            held, start = held[end:], start + end
    if len(held):
        yield Block(start / RATE, held)


def _pause(held: Samples) -> int:
    """Where to cut: in the middle of the quietest moment the block may end at."""
    low, step = int(SHORTEST * RATE), int(QUIET * RATE)
    window = held[low : int(LONGEST * RATE)]
    count = len(window) // step
    loudness = np.square(window[: count * step]).reshape(count, step).mean(axis=1)
    # Of moments that are about as quiet the last one: longer blocks are heard better.
    quiet = np.flatnonzero(loudness <= loudness.min() * 1.5 + 1e-9)
    return low + int(quiet[-1]) * step + step // 2


def _opened(path: Path) -> Any:
    try:
        container = av.open(str(path), metadata_errors="ignore")
    except (av.error.FFmpegError, OSError, ValueError) as error:
        raise NoRecording("It cannot be opened as a recording.") from error
    if not container.streams.audio:
        container.close()
        raise NoRecording("It holds no sound.")
    return container


def _decoded(path: Path) -> Iterator[Samples]:
    """One channel at 16 kHz, a second or so at a time."""
    resampler = av.AudioResampler(format="flt", layout="mono", rate=RATE)
    pieces: list[Samples] = []
    with _opened(path) as container:
        for frame in itertools.chain(_frames(container), [None]):
            if frame is not None:
                frame.pts = None
            for part in resampler.resample(frame):
                pieces.append(part.to_ndarray().reshape(-1).astype(np.float32, copy=False))
            if frame is None or len(pieces) > 50:
                if pieces:
                    yield np.concatenate(pieces)
                pieces = []


def _frames(container: Any) -> Iterator[Any]:
    """What can be decoded: a recording that is damaged or cut off is heard as far as it goes."""
    bad = 0
    packets = container.demux(audio=0)
    while bad < BAD_PACKETS:
        try:
            frames = next(packets).decode()
        except StopIteration:
            return
        except (av.error.FFmpegError, ValueError):
            bad += 1
            continue
        bad = 0
        yield from frames
