"""Which words are sound, in whatever language: those the bundled embedder knows in one piece.

Its vocabulary was taken from texts in a hundred languages, so it has their frequent words whole,
and hardly any misspelled one. It is there whichever embedder is in use.
"""

from functools import cache, lru_cache

from apps.llm.bundled.e5.weights import WeightFile, bundled_weights

BEGINS = "\u2581"  # how a piece is marked that begins a word


@lru_cache(1 << 12)
def is_word(word: str) -> bool:
    """Whether the word, or it with a capital or without, is in the vocabulary."""
    pieces = _vocabulary()
    forms = dict.fromkeys((word, word.lower(), word.capitalize()))
    if pieces is None or not word:
        return False
    return any(pieces.knows(BEGINS + form) for form in forms)


@cache
def _vocabulary() -> WeightFile | None:
    try:
        return WeightFile(bundled_weights())
    except (ImportError, OSError, ValueError):
        return None
