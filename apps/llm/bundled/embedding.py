"""Meaning as vectors: what /api/embed needs around the model. Cuts, orders and lets others by."""

from collections.abc import Callable, Sequence

import numpy as np

from apps.llm.bundled.e5 import encoder
from apps.llm.bundled.e5.encoder import DIMENSIONS, WINDOW
from apps.llm.bundled.e5.weights import Floats
from apps.llm.bundled.memory import give_back
from apps.llm.bundled.queue import Queue, never

LETTERS_A_TOKEN = 40  # more than any token of the vocabulary has


class TextTooLong(Exception):
    """A text does not fit and the request said not to cut it."""


class Gone(Exception):
    """The client left in the middle of a batch."""


def split_prefix(text: str) -> tuple[bool, str]:
    """Whether the text is a query, and the text without E5's prefix.

    E5 was trained on texts that begin with "query: " or "passage: ". Ollama adds no prefix by
    itself, so the app writes one, exactly as it would for this model under Ollama; the runner
    writes its own, so ours is taken off here. A text without a prefix counts as a passage.
    """
    for prefix, is_query in (("query:", True), ("passage:", False)):
        if text[: len(prefix)].lower() == prefix:
            return is_query, text[len(prefix) :].lstrip()
    return False, text


class Embedder:
    """The loaded model. Safe to share: slices of different requests run one at a time."""

    def __init__(self, threads: int) -> None:
        self._encoder = encoder.load(threads)
        self._queue = Queue()
        self._slice = 2 * threads  # texts between two looks at "is a query waiting?"

    def close(self) -> None:
        """Free the model's memory."""
        self._encoder.close()
        del self._encoder
        give_back()

    def embed(
        self,
        texts: Sequence[str],
        *,
        truncate: bool = True,
        dimensions: int | None = None,
        background: bool = False,
        gone: Callable[[], bool] = never,
    ) -> tuple[list[list[float]], int]:
        """One vector for each text, and the tokens read. Short requests slip in between slices."""
        prepared, tokens = [], 0
        for text in texts:
            is_query, plain = split_prefix(text)
            plain, used = self._fit(plain, is_query, truncate)
            prepared.append((is_query, plain))
            tokens += used
        rows = np.zeros((len(texts), DIMENSIONS), np.float32)
        for start in range(0, len(prepared), self._slice):
            if gone():
                raise Gone
            part = prepared[start : start + self._slice]
            with self._queue.turn(background or len(texts) > self._slice, gone):
                self._encode(part, rows[start : start + self._slice])
        return _shortened(rows, dimensions).tolist(), tokens

    def sketch(
        self, texts: Sequence[str], *, background: bool = False, gone: Callable[[], bool] = never
    ) -> tuple[list[list[float]], list[bytes]]:
        """Vectors of passages and the sketches of their tokens; what does not fit is cut."""
        prepared = [self._fit(split_prefix(text)[1], False, True)[0] for text in texts]
        rows: list[list[float]] = []
        sketches: list[bytes] = []
        for start in range(0, len(prepared), self._slice):
            if gone():
                raise Gone
            with self._queue.turn(background or len(texts) > self._slice, gone):
                vectors, drawn = self._encoder.sketch(prepared[start : start + self._slice])
            rows += vectors.tolist()
            sketches += drawn
        return rows, sketches

    def wording(
        self, text: str, gone: Callable[[], bool] = never
    ) -> tuple[Floats, list[int], list[str]]:
        """A question's tokens: a row each, the place of the word each is of, and the words."""
        plain, _used = self._fit(split_prefix(text)[1], True, True)
        with self._queue.turn(False, gone):
            return self._encoder.wording(plain)

    def _encode(self, part: list[tuple[bool, str]], rows: Floats) -> None:
        for wanted in (True, False):
            at = [i for i, (is_query, _) in enumerate(part) if is_query is wanted]
            if at:
                rows[at] = self._encoder.encode([part[i][1] for i in at], wanted)

    def _fit(self, text: str, is_query: bool, truncate: bool) -> tuple[str, int]:
        """The text cut to the window, and its tokens. NUL would end it early in a C library."""
        text = text.replace("\0", " ")
        if len(text) > WINDOW * LETTERS_A_TOKEN:  # spare the tokenizer
            if not truncate:
                raise TextTooLong
            text = text[: WINDOW * LETTERS_A_TOKEN]
        used = self._encoder.token_count(text, is_query)
        if used <= WINDOW:
            return text, used
        if not truncate:
            raise TextTooLong
        low, high = 0, len(text)
        while high - low > 4:
            middle = (low + high) // 2
            if self._encoder.token_count(text[:middle], is_query) <= WINDOW:
                low = middle
            else:
                high = middle
        return text[:low], self._encoder.token_count(text[:low], is_query)


def _shortened(rows: Floats, dimensions: int | None) -> Floats:
    """The first `dimensions` numbers of each vector, at length one again."""
    if dimensions and dimensions < DIMENSIONS:
        rows = rows[:, :dimensions]
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1), np.float32)
