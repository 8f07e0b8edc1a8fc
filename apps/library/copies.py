"""Passages that say the same, word for word, are shown once: of two versions of a contract, say."""

from collections.abc import Sequence

from apps.library.models import Chunk
from apps.library.search import Hit

TELLING = 80  # letters; what is shorter says the same only under the same heading


def folded(hits: Sequence[Hit]) -> list[tuple[Hit, list[Chunk]]]:
    """Each text once, by the best hit that has it, with the other passages that say the same."""
    groups: dict[str, list[Hit]] = {}
    for hit in hits:
        groups.setdefault(_said(hit), []).append(hit)
    return [(first, [hit.chunk for hit in others]) for first, *others in groups.values()]


def _said(hit: Hit) -> str:
    text = " ".join(hit.text.split())
    return text if len(text) >= TELLING else f"{hit.chunk.heading}\n{text}"
