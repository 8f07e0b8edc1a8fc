"""Point at a sentence in an address without its words, and find it again in its document.

Only words count, so that a sentence is found whatever its line breaks, its blanks and the marks
of Markdown around it. An address stays in the history of a browser: it tells no word of the vault.
"""

import re
from collections.abc import Sequence
from hashlib import sha256

LED_BY = 6  # words that a sentence is known by, along with its last one and how many it has
NEAR = 4000  # characters around the passage: neighbours of it may have been read along
WORD = re.compile(r"\w+")
POINTER = re.compile(r"([0-9a-f]{12})-([1-9]\d{0,2})")
AFTER = re.compile(r"[.!?…]*[\"'”’“»)\]]*")
Span = tuple[int, int]
NOWHERE: Span = (0, 0)


def pointer(sentence: str) -> str:
    """What names a sentence in an address; "" of one that has no words, or a thousand."""
    words = WORD.findall(sentence)
    return f"{_digest(words, 0, len(words))}-{len(words)}" if 0 < len(words) < 1000 else ""


def pointed(pointer: str, text: str, start: int, end: int) -> Span:
    """Where the sentence stands in a text, best in the passage from `start` to `end`.

    Else near it; NOWHERE where it is not, or the pointer is none.
    """
    known = POINTER.fullmatch(pointer)
    if not known:
        return NOWHERE
    begin, stop = max(start - NEAR, 0), end + NEAR
    for low, high in ((start, end), (begin, stop)):
        if found := _found(known[1], int(known[2]), text, low, high):
            return found
    return NOWHERE


def _found(digest: str, count: int, text: str, low: int, high: int) -> Span | None:
    places = list(WORD.finditer(text, low, min(high, len(text))))
    words = [each[0] for each in places]
    for at in range(len(words) - count + 1):
        if _digest(words, at, count) == digest:
            last = places[at + count - 1].end()
            after = AFTER.match(text, last)
            return places[at].start(), after.end() if after else last
    return None


def _digest(words: Sequence[str], at: int, count: int) -> str:
    known = [*words[at : at + min(LED_BY, count)], words[at + count - 1]]
    return sha256(" ".join(known).encode()).hexdigest()[:12]
