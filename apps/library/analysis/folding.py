"""Spellings that mean the same are made the same: width, case, accents, hyphens, hidden marks."""

import unicodedata
from functools import lru_cache

WORD_LIMIT = 100  # characters; PostgreSQL refuses lexemes above 2,046 bytes

_SPELLINGS: dict[int, str | None] = {
    **dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u0640")),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212\ufe58\ufe63\uff0d\u05be"), "-"),
    **dict.fromkeys(map(ord, "\u2018\u2019\u02bc\u00b4"), "'"),
    # Points and accents that stand beside a letter: vowels of Hebrew and Arabic are optional,
    # and of Latin marks only those are left that NFKC could not merge into their letter.
    **dict.fromkeys(range(0x0300, 0x0370)),
    **dict.fromkeys(range(0x0591, 0x05BE)),
    **dict.fromkeys((0x05BF, 0x05C1, 0x05C2, 0x05C4, 0x05C5, 0x05C7, 0x0670)),
    **dict.fromkeys(range(0x0610, 0x061B)),
    **dict.fromkeys(range(0x064B, 0x0660)),
    **dict.fromkeys(range(0x06D6, 0x06DD)),
}


def normalise(text: str) -> str:
    """The text with one spelling for each character, and words broken by a hyphen kept whole."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_SPELLINGS)
    return text.replace("-\n", "-")


@lru_cache(1 << 15)
def fold(word: str) -> str:
    """The word without case, accents and ß: "Größe" and "GRÖSSE" are "grosse"."""
    word = word[:WORD_LIMIT].casefold()
    if word.isascii():
        return word
    apart = unicodedata.normalize("NFD", word)
    bare = "".join(c for c in apart if not unicodedata.combining(c))
    return unicodedata.normalize("NFC", bare or word)
