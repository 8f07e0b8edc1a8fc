"""Passages that say the same, word for word, are shown once: of two versions of a contract, say."""

from collections.abc import Sequence
from dataclasses import replace

from apps.library.models import Chunk
from apps.library.search import Hit

TELLING = 80  # letters; what is shorter says the same only under the same heading
NEAR = 0.8  # of the best score; more than a heading sets copies apart that are further away


def folded(hits: Sequence[Hit]) -> list[tuple[Hit, list[Chunk]]]:
    """Each text once, where its best hit stands, with the other passages that say the same.

    Of several that are about as good the document that came last is shown: what has a newer
    version is mostly asked for in that one.
    """
    groups: dict[str, list[Hit]] = {}
    for hit in hits:
        groups.setdefault(_said(hit), []).append(hit)
    return [_newest_first(group) for group in groups.values()]


def _newest_first(group: list[Hit]) -> tuple[Hit, list[Chunk]]:
    best = group[0]
    newest = max((hit for hit in group if hit.score >= NEAR * best.score), key=_came)
    others = sorted((hit for hit in group if hit is not newest), key=_came, reverse=True)
    return replace(newest, band=best.band), [hit.chunk for hit in others]


def _came(hit: Hit) -> tuple[float, int]:
    """When the document was read, which it is again when its file has changed."""
    document = hit.chunk.document
    return (document.ready_at or document.created_at).timestamp(), document.pk


def _said(hit: Hit) -> str:
    text = " ".join(hit.text.split())
    return text if len(text) >= TELLING else f"{hit.chunk.heading}\n{text}"
