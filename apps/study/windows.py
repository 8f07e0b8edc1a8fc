"""A few sentences of a passage: as much as a small model turns into one good item."""

import random
import re
from dataclasses import dataclass

from apps.library.models import Chunk

SENTENCE_END = re.compile(r"(?<=[.!?…])[\"”»)]*\s+(?=[A-ZÄÖÜ„\"«(\d])|\n{2,}|\n(?=[-*•\d])")
LEAST, MOST = 150, 600  # characters of a window


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


def sentences(text: str) -> list[str]:
    """The text's sentences and lines, without white space around them."""
    return [part.strip() for part in SENTENCE_END.split(text) if part and part.strip()]


def window(chunk: Chunk, seed: int) -> Window | None:
    """Some neighbouring sentences of the passage, repeatable for a seed.

    None where the passage has no prose to ask about: a list of numbers, a table of contents.
    """
    parts = sentences(chunk.text)
    starts = list(range(len(parts)))
    random.Random(seed).shuffle(starts)
    for start in starts:
        text = ""
        for part in parts[start:]:
            if text and len(text) + len(part) > MOST:
                break
            text = f"{text} {part}".strip()
        text = text[: 2 * MOST]
        if len(text) >= LEAST and is_prose(text):
            return Window(text, chunk)
    return None


def is_prose(text: str) -> bool:
    """Whether it is mostly words: no list of numbers, no table of contents."""
    letters = sum(character.isalpha() or character.isspace() for character in text)
    return letters >= 0.75 * len(text) and "....." not in text
