"""Draws the sketches of passages that have none, and learns these anew, in the background.

They were learned before there were sketches, or with ornaments that blurred what they say. Such
passages are found as ever; they only miss the second look.
"""

import time
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from apps.library import indexing, queue, reembedding
from apps.library.chunking import embedded_text
from apps.library.models import Chunk, ChunkVector, Document, EmbeddingSet
from apps.llm import sketching

BATCH = 16  # passages
SLICE = 5.0  # seconds
DRAW = """
UPDATE library_chunkvector AS x SET sketch = new.sketch, embedding = new.vector::halfvec
FROM unnest(%(chunks)s::bigint[], %(vectors)s::text[], %(sketches)s::bytea[])
     AS new (chunk, vector, sketch)
WHERE x.embedding_set_id = %(set)s AND x.chunk_id = new.chunk AND x.sketch IS NULL
"""


def is_due() -> bool:
    """Whether any passage waits for its sketch."""
    used = _used()
    return used is not None and _waiting(used).exists()


def go_on(seconds: float = SLICE) -> int:
    """Draw for so long; returns how many, and asks for the next slice.

    Documents that are not yet found by meaning go first. Raises ModelError.
    """
    end = time.monotonic() + seconds
    used, done = _used(), 0
    while used and (ids := list(_waiting(used).values_list("chunk_id", flat=True)[:BATCH])):
        if Document.objects.workable().exists():
            break
        chunks = list(Chunk.objects.filter(pk__in=ids))
        texts = [embedded_text(chunk.heading, chunk.text) for chunk in chunks]
        vectors, sketches = sketching.sketched(texts, model=used.model)
        if vectors.shape[1] != used.dimensions:
            break  # another model of the same name, which `learning` tells
        values: dict[str, Any] = {
            "set": used.pk,
            "chunks": [chunk.pk for chunk in chunks],
            "vectors": indexing.vector_texts(chunks, vectors),
            "sketches": sketches,
        }
        with connection.cursor() as cursor:
            cursor.execute(DRAW, values)
        done += len(chunks)
        if time.monotonic() > end:
            queue.ask_for_sketches()
            break
    return done


def _used() -> EmbeddingSet | None:
    """The set in use, where its model draws sketches."""
    found = reembedding.in_use()
    return found if found and sketching.draws(found.model) else None


def _waiting(used: EmbeddingSet) -> QuerySet[ChunkVector]:
    return ChunkVector.objects.filter(embedding_set=used, sketch=None)
