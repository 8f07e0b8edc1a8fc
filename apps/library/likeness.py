"""Which documents say nearly the same: by MinHash of their words, five at a time.

The share of equal numbers in two signatures is near to the share of word sequences that two texts
have in common. Bands of a signature are indexed, so that nothing is compared with everything.
"""

import re
import zlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from apps.library.analysis.tokens import UNSPACED
from apps.library.models import Document, Likeness, Workspace

NUMBERS, BANDS = 128, 32  # of a signature; two texts of one half in common share a band, mostly
SEQUENCE = 5  # words
NEAR = 0.8  # of the word sequences in common
SHOWN = 5
BLOCK = 4096  # sequences hashed at once
CAUGHT_UP = 20  # documents of before there were signatures, in one sweep

Signature = NDArray[np.uint32]

_WORD = re.compile(rf"[{UNSPACED}]|[^\W_{UNSPACED}]+")
_CHANCE = np.random.Generator(np.random.PCG64(2026))  # kept for ever: signatures are stored
_FACTORS = _CHANCE.integers(1, 2**63, (NUMBERS, 1), np.uint64) | np.uint64(1)
_ADDED = _CHANCE.integers(0, 2**63, (NUMBERS, 1), np.uint64)
_PLACES = _CHANCE.integers(1, 2**63, SEQUENCE, np.uint64) | np.uint64(1)

ALIKE = """
SELECT other.id, other.name, workspace.id, workspace.name,
       other.sha256 = document.sha256, theirs.numbers, mine.numbers
FROM library_document AS document
JOIN library_workspace AS home ON home.id = document.workspace_id
LEFT JOIN library_likeness AS mine ON mine.document_id = document.id
JOIN LATERAL (
    SELECT id FROM library_document WHERE sha256 = document.sha256
    UNION SELECT document_id FROM library_likeness
    WHERE owner_id = home.owner_id AND bands && mine.bands) AS near ON near.id <> document.id
JOIN library_document AS other ON other.id = near.id
JOIN library_workspace AS workspace
    ON workspace.id = other.workspace_id AND workspace.owner_id = home.owner_id
LEFT JOIN library_likeness AS theirs ON theirs.document_id = other.id
WHERE document.id = %(document)s AND other.state <> 'deleting'
LIMIT 200
"""


@dataclass(frozen=True, slots=True)
class Like:
    """Another document, and how much of the text is in common: 1 where its bytes are the same."""

    document: Document
    share: float

    @property
    def same(self) -> bool:
        return self.share == 1


def signature(texts: Iterable[str]) -> Signature | None:
    """128 numbers that stand for the texts one after the other; None where there is no word."""
    words = [zlib.crc32(word.encode()) for text in texts for word in _WORD.findall(text.casefold())]
    if not words:
        return None
    hashes = np.array(words, np.uint64)
    count = max(len(words) - SEQUENCE + 1, 1)
    sequences = np.zeros(count, np.uint64)
    for place in range(min(SEQUENCE, len(words))):
        sequences += hashes[place : place + count] * _PLACES[place]
    sequences = np.unique(sequences ^ (sequences >> np.uint64(29)))
    least = np.full((NUMBERS, 1), 2**32 - 1, np.uint64)
    for start in range(0, len(sequences), BLOCK):
        mixed = (sequences[start : start + BLOCK] * _FACTORS + _ADDED) >> np.uint64(32)
        least = np.minimum(least, mixed.min(axis=1, keepdims=True))
    return least.reshape(NUMBERS).astype(np.uint32)


def remember(document: Document) -> None:
    """Keep the signature of what was read of a document; in the caller's transaction."""
    texts = document.parts.filter(revision=document.revision).values_list("text", flat=True)
    numbers = signature(texts.iterator(chunk_size=200))
    Likeness.objects.update_or_create(
        document=document,
        defaults={
            "owner_id": document.workspace.owner_id,
            "numbers": b"" if numbers is None else numbers.tobytes(),
            "bands": [] if numbers is None else _bands(numbers),
        },
    )


def of(document: Document) -> list[Like]:
    """The person's other documents with the same bytes or nearly the same text, nearest first."""
    with connection.cursor() as cursor:
        cursor.execute(ALIKE, {"document": document.pk})
        rows = cursor.fetchall()
    found = []
    for pk, name, workspace_id, workspace, same, theirs, mine in rows:
        share = 1 if same else min(_share(theirs, mine), 0.99)
        if share >= NEAR:
            home = Workspace(pk=workspace_id, name=workspace)
            found.append(Like(Document(pk=pk, name=name, workspace=home), share))
    return sorted(found, key=lambda like: (-like.share, like.document.pk))[:SHOWN]


def alike(documents: Collection[int]) -> set[frozenset[int]]:
    """Which pairs of these documents say nearly the same; of other bytes or not."""
    rows = Likeness.objects.filter(document__in=documents).exclude(numbers=b"")
    signed = [(pk, bytes(numbers)) for pk, numbers in rows.values_list("document", "numbers")]
    return {
        frozenset((one, other))
        for (one, mine), (other, theirs) in combinations(signed, 2)
        if _share(mine, theirs) >= NEAR
    }


def catch_up() -> int:
    """Sign some documents that were read before there were signatures; returns how many."""
    rows = Document.objects.filter(likeness=None, state=Document.State.READY, chunk_count__gt=0)
    late = list(rows.select_related("workspace")[:CAUGHT_UP])
    for document in late:
        remember(document)
    return len(late)


def _share(one: bytes, other: bytes) -> float:
    return float((np.frombuffer(one, np.uint32) == np.frombuffer(other, np.uint32)).mean())


def _bands(numbers: Signature) -> list[int]:
    rows = numbers.reshape(BANDS, -1)
    return [(place << 32) | zlib.crc32(row.tobytes()) for place, row in enumerate(rows)]
