"""From text to the token ids of XLM-R: of all ways to split a word, the one that scores best."""

import re
from functools import lru_cache

from apps.llm.bundled.e5.weights import WeightFile

NEVER = -1e30
REMEMBERED = 50_000  # words


class Tokenizer:
    """Plain Python with a memory for words: about 1 ms a passage.

    The `tokenizers` package would take 200 MB more for this vocabulary of 250,000 pieces.
    """

    def __init__(self, weights: WeightFile) -> None:
        self._normalisation = weights.normalisation
        self._spaces = re.compile("  +")
        self._scores = weights.scores
        self._ids = {piece: i for i, piece in enumerate(weights.pieces())}
        self._longest = max(map(len, self._ids))
        self._ids.pop("<unk>", None)  # the text "<unk>" is not the unknown token
        self._unknown, self._unknown_score = weights.unknown, min(self._scores) - 10
        self._split = lru_cache(maxsize=REMEMBERED)(self._best_split)

    def __call__(self, text: str) -> list[int]:
        """Token ids, without the start and end tokens."""
        return [i for _word, pieces in self.words(text) for i in pieces]

    def words(self, text: str) -> list[tuple[str, tuple[int, ...]]]:
        """The words of a text, each with its token ids."""
        text = self._spaces.sub(" ", text.translate(self._normalisation))
        return [(word, self._split(word)) for word in text.removeprefix(" ").split(" ")]

    def _best_split(self, word: str) -> tuple[int, ...]:
        text = "\u2581" + word
        size = len(text)
        best = [0.0] + [NEVER] * size  # score of the best split of text[:n]
        token, begins = [self._unknown] * (size + 1), list(range(-1, size))
        for a in range(size):
            for b in range(a + 1, min(a + self._longest, size) + 1):
                i = self._ids.get(text[a:b])
                if i is not None and best[a] + self._scores[i] > best[b]:
                    best[b], token[b], begins[b] = best[a] + self._scores[i], i, a
            if best[a] + self._unknown_score > best[a + 1]:
                best[a + 1] = best[a] + self._unknown_score
                token[a + 1], begins[a + 1] = self._unknown, a
        found, at = [], size
        while at > 0:
            found.append(token[at])
            at = begins[at]
        return tuple(reversed(found))
