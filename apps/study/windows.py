"""A few sentences of a passage: as much as a small model turns into one good item."""

import random
from dataclasses import dataclass

from apps.library.models import Chunk
from apps.study import quality
from apps.study.sentences import is_whole, sentences, tidy

LEAST, MOST = 150, 600  # characters of a window
ALONE = 90  # … where a sentence stands between others that are none

__all__ = ["Window", "is_prose", "sentences", "window"]


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of a passage, and where it comes from."""

    text: str
    chunk: Chunk

    @property
    def language(self) -> str:
        return self.chunk.document.language

    @property
    def source(self) -> dict[str, object]:
        """The fields of a Sourced item, without its quote."""
        return {
            "chunk": self.chunk,
            "document": self.chunk.document,
            "document_name": self.chunk.document.name,
            "label": self.chunk.label,
            "section": self.chunk.heading,
        }


def window(chunk: Chunk, seed: int, look: int = 0) -> Window | None:
    """Some neighbouring sentences of the passage, tidied: each look sees others.

    Repeatable for a seed. Headings, rows and torn sentences between them are left out. None where
    the passage has no prose to ask about: a list of numbers, a table of contents.
    """
    parts = [tidy(part) for part in sentences(chunk.text) if is_whole(part)]
    starts = list(range(len(parts)))
    random.Random(seed).shuffle(starts)
    found = [text for start in starts if len(text := _from(parts[start:])) >= ALONE]
    # First what can be understood by itself; the short ones last.
    found.sort(key=lambda text: (len(text) < LEAST, quality.dangles(text) + quality.refers(text)))
    return Window(found[look % len(found)], chunk) if found else None


def prose(chunk: Chunk) -> str:
    """All whole sentences of the passage, tidied."""
    return " ".join(tidy(part) for part in sentences(chunk.text) if is_whole(part))


def _from(parts: list[str]) -> str:
    text = parts[0]
    for part in parts[1:]:
        if len(text) + len(part) > MOST:
            break
        text = f"{text} {part}"
    return text[: 2 * MOST]


def is_prose(text: str) -> bool:
    """Whether it is mostly words: no list of numbers, no table of contents."""
    letters = sum(character.isalpha() or character.isspace() for character in text)
    return letters >= 0.75 * len(text) and "....." not in text
