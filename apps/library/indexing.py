"""Writes what search reads: a passage's words and vectors, and the statistics over them.

Everything here belongs into the caller's transaction. Statistics are kept by deltas; each writer
first takes the row of the workspace's word statistic, so two workers wait for each other and
never in a circle.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from django.db import connection, transaction
from numpy.typing import NDArray

from apps.library import analysis
from apps.library.models import Chunk, Document, EmbeddingSet, Workspace
from apps.llm import client

LOCK = """
INSERT INTO library_wordstatistic (workspace_id, passages, words, languages)
VALUES (%(workspace)s, 0, 0, '{}') ON CONFLICT (workspace_id) DO NOTHING;
SELECT languages FROM library_wordstatistic WHERE workspace_id = %(workspace)s FOR UPDATE
"""
LOCK_SETS = "SELECT pg_advisory_xact_lock(hashtext('library:embedding_sets'))"
ADD_WORDS = """
WITH added AS (
    INSERT INTO library_chunkwords
        (chunk_id, document_id, workspace_id, owner_id, length, language, analyser, lexemes)
    SELECT new.chunk, %(document)s, %(workspace)s, %(owner)s, new.length, new.language,
           %(analyser)s, new.lexemes::tsvector
    FROM unnest(%(chunks)s::bigint[], %(lengths)s::int[], %(languages)s::text[],
                %(lexemes)s::text[]) AS new (chunk, length, language, lexemes)
    ON CONFLICT (chunk_id) DO NOTHING
    RETURNING length, lexemes
), terms AS (
    INSERT INTO library_termstatistic AS known (workspace_id, word, passages)
    SELECT %(workspace)s, word, count(*)
    FROM added, unnest(tsvector_to_array(added.lexemes)) AS word
    GROUP BY word ORDER BY word COLLATE "C"
    ON CONFLICT (workspace_id, word)
    DO UPDATE SET passages = known.passages + excluded.passages
)
UPDATE library_wordstatistic
SET passages = passages + (SELECT count(*) FROM added),
    words = words + (SELECT coalesce(sum(length), 0) FROM added)
WHERE workspace_id = %(workspace)s
RETURNING passages
"""
REMOVE_WORDS = """
WITH removed AS (
    DELETE FROM library_chunkwords
    WHERE chunk_id = ANY(%(chunks)s) AND document_id = %(document)s
    RETURNING length, lexemes
), terms AS (
    SELECT word, count(*) AS passages
    FROM removed, unnest(tsvector_to_array(removed.lexemes)) AS word
    GROUP BY word
), gone AS (
    DELETE FROM library_termstatistic AS known USING terms
    WHERE known.workspace_id = %(workspace)s AND known.word = terms.word
      AND known.passages <= terms.passages
), rarer AS (
    UPDATE library_termstatistic AS known SET passages = known.passages - terms.passages
    FROM terms
    WHERE known.workspace_id = %(workspace)s AND known.word = terms.word
      AND known.passages > terms.passages
)
UPDATE library_wordstatistic
SET passages = greatest(passages - (SELECT count(*) FROM removed), 0),
    words = greatest(words - (SELECT coalesce(sum(length), 0) FROM removed), 0)
WHERE workspace_id = %(workspace)s
"""
ADD_LANGUAGES = """
UPDATE library_wordstatistic SET languages = languages || %(languages)s::varchar[]
WHERE workspace_id = %(workspace)s
"""
REMOVE_VECTORS = """
DELETE FROM library_chunkvector WHERE chunk_id = ANY(%(chunks)s) AND document_id = %(document)s
"""
MISSING_VECTORS = """
SELECT chunk.id FROM library_chunk AS chunk
WHERE chunk.document_id = %(document)s AND NOT EXISTS (
    SELECT FROM library_chunkvector AS vector
    WHERE vector.embedding_set_id = %(set)s AND vector.chunk_id = chunk.id)
ORDER BY chunk.revision, chunk.ordinal LIMIT %(limit)s
"""
# The digest is of heading and text, so equal digests have equal vectors. Never across owners:
# that a stranger has the same text is none of anybody's business.
REUSE_VECTORS = """
INSERT INTO library_chunkvector
    (embedding_set_id, chunk_id, document_id, workspace_id, owner_id, embedding, sketch)
SELECT %(set)s, new.chunk, %(document)s, %(workspace)s, %(owner)s, twin.embedding, twin.sketch
FROM unnest(%(chunks)s::bigint[], %(digests)s::text[]) AS new (chunk, digest)
CROSS JOIN LATERAL (
    SELECT vector.embedding, vector.sketch FROM library_chunk AS chunk
    JOIN library_chunkvector AS vector ON vector.chunk_id = chunk.id
    WHERE chunk.digest = new.digest AND vector.embedding_set_id = %(set)s
      AND vector.owner_id = %(owner)s LIMIT 1) AS twin
ON CONFLICT (embedding_set_id, chunk_id) DO NOTHING
RETURNING chunk_id
"""
ADD_VECTORS = """
INSERT INTO library_chunkvector
    (embedding_set_id, chunk_id, document_id, workspace_id, owner_id, embedding, sketch)
SELECT %(set)s, new.chunk, %(document)s, %(workspace)s, %(owner)s, new.vector::halfvec, new.sketch
FROM unnest(%(chunks)s::bigint[], %(vectors)s::text[], %(sketches)s::bytea[])
     AS new (chunk, vector, sketch)
ON CONFLICT (embedding_set_id, chunk_id) DO NOTHING
"""
# A passage without a sketch is learned anew in the background, see `redrawing`.
LEARN_ANEW = """
UPDATE library_chunkvector SET sketch = NULL
WHERE chunk_id = ANY(%(chunks)s) AND document_id = %(document)s
"""
# A vector of noughts is near to nothing.
SILENCE = """
UPDATE library_chunkvector SET embedding = embedding - embedding
WHERE chunk_id = ANY(%(chunks)s) AND document_id = %(document)s
"""
REFRESH_LANGUAGES = """
UPDATE library_wordstatistic SET languages = coalesce((
    SELECT array_agg(language ORDER BY passages DESC, language) FROM (
        SELECT language, count(*) AS passages, sum(count(*)) OVER () AS all_passages
        FROM library_chunkwords WHERE workspace_id = %(workspace)s GROUP BY language) AS counted
    WHERE passages >= 0.05 * all_passages AND language <> ''), '{}')
WHERE workspace_id = %(workspace)s
"""
# Of all passages and of those of each language; those that say nothing are no part of the crowd.
REFRESH_CENTROIDS = """
WITH counted AS MATERIALIZED (
    SELECT grouping(language) = 1 AS whole, language, count(*) AS passages,
           avg(embedding) AS centroid
    FROM library_chunkvector JOIN library_chunkwords USING (chunk_id)
    WHERE embedding_set_id = %(set)s AND library_chunkvector.workspace_id = %(workspace)s
      AND embedding <#> embedding < 0
    GROUP BY GROUPING SETS ((), (language))
), known AS (
    SELECT * FROM counted WHERE NOT whole AND language <> '' AND passages >= %(few)s
), languages AS (
    INSERT INTO library_languagecentroid
        (embedding_set_id, workspace_id, language, passages, centroid)
    SELECT %(set)s, %(workspace)s, language, passages, centroid FROM known
    WHERE (SELECT count(*) FROM known) > 1
)
INSERT INTO library_vectorstatistic AS known
    (embedding_set_id, workspace_id, passages, centroid)
SELECT %(set)s, %(workspace)s, passages, centroid FROM counted WHERE whole AND passages > 0
ON CONFLICT (embedding_set_id, workspace_id)
DO UPDATE SET passages = excluded.passages, centroid = excluded.centroid
RETURNING passages
"""
FORGET_LANGUAGES = """
DELETE FROM library_languagecentroid
WHERE embedding_set_id = %(set)s AND workspace_id = %(workspace)s
"""
FORGET_CENTROID = """
DELETE FROM library_vectorstatistic
WHERE embedding_set_id = %(set)s AND workspace_id = %(workspace)s
"""
FEW = 5  # passages of a language; of fewer no crowd can be told


def add_words(document: Document, chunks: Sequence[Chunk]) -> None:
    """Make passages findable by their words; those that are already are left as they are."""
    if not chunks:
        return
    passages = [
        analysis.analyse(f"{document.name}\n{chunk.heading}", chunk.text, document.language)
        for chunk in chunks
    ]
    parameters = {
        **_scope(document),
        "analyser": analysis.VERSION,
        "chunks": [chunk.pk for chunk in chunks],
        "lengths": [passage.length for passage in passages],
        "languages": [passage.language for passage in passages],
        "lexemes": [passage.literal() for passage in passages],
    }
    with connection.cursor() as cursor:
        known = _lock(document.workspace_id)
        cursor.execute(ADD_WORDS, parameters)
        (total,) = cursor.fetchone() or (0,)
        # Good enough until `refresh_statistics` counts again: a new language is asked at once.
        counts = Counter(passage.language for passage in passages if passage.language)
        fresh = [code for code, n in counts.items() if code not in known and n * 20 >= total]
        if fresh:
            cursor.execute(ADD_LANGUAGES, {**_scope(document), "languages": fresh})


def remove(document: Document, chunk_ids: Sequence[int]) -> None:
    """Take words and vectors of passages away; the caller then deletes the passages."""
    _remove_words(document, chunk_ids)
    with connection.cursor() as cursor:
        cursor.execute(REMOVE_VECTORS, {**_scope(document), "chunks": list(chunk_ids)})


def rename(document: Document) -> None:
    """Let the passages of a document be found by its new name; vectors do not depend on it."""
    with transaction.atomic():
        renew_words(document, list(document.chunks.all()))


def renew_words(document: Document, chunks: Sequence[Chunk]) -> None:
    """Analyse passages again: their document has another name, or the analyser is another."""
    _remove_words(document, [chunk.pk for chunk in chunks])
    add_words(document, chunks)
    if silent := [chunk.pk for chunk in chunks if not _speaks(chunk)]:
        with connection.cursor() as cursor:
            cursor.execute(SILENCE, {**_scope(document), "chunks": silent})


def learn_anew(document: Document, chunks: Sequence[Chunk]) -> None:
    """Have passages with ornaments learned without these, where an older version did not."""
    adorned = [chunk.pk for chunk in chunks if analysis.unadorned(chunk.text) != chunk.text]
    if adorned:
        with connection.cursor() as cursor:
            cursor.execute(LEARN_ANEW, {**_scope(document), "chunks": adorned})


def active_set() -> EmbeddingSet:
    """The vectors in use, whichever embedder there is by now; raises ModelError without any.

    The first document that is learned makes the set of the embedder it meets. `reembedding` changes
    to another one.
    """
    in_use = EmbeddingSet.objects.filter(state=EmbeddingSet.State.ACTIVE)
    if found := in_use.first():
        return found
    model, dimensions = client.embedder()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(LOCK_SETS)
        if found := in_use.first():
            return found
        made, _ = EmbeddingSet.objects.update_or_create(
            model=model, dimensions=dimensions, defaults={"state": EmbeddingSet.State.ACTIVE}
        )
        return made


def missing_vectors(document: Document, embedding_set: EmbeddingSet, limit: int) -> list[Chunk]:
    """The next passages without a vector, in reading order, at most `limit`."""
    with connection.cursor() as cursor:
        parameters = {**_scope(document), "set": embedding_set.pk, "limit": limit}
        cursor.execute(MISSING_VECTORS, parameters)
        ids = [row[0] for row in cursor.fetchall()]
    found = Chunk.objects.in_bulk(ids)
    return [found[chunk_id] for chunk_id in ids]


def reuse_vectors(
    document: Document, embedding_set: EmbeddingSet, chunks: Sequence[Chunk]
) -> list[Chunk]:
    """Copy the vectors of equal passages of the same owner; returns the passages still to embed."""
    with connection.cursor() as cursor:
        parameters = {
            **_scope(document),
            "set": embedding_set.pk,
            "chunks": [chunk.pk for chunk in chunks],
            "digests": [chunk.digest for chunk in chunks],
        }
        cursor.execute(REUSE_VECTORS, parameters)
        copied = {row[0] for row in cursor.fetchall()}
    return [chunk for chunk in chunks if chunk.pk not in copied]


def add_vectors(
    document: Document,
    embedding_set: EmbeddingSet,
    chunks: Sequence[Chunk],
    vectors: NDArray[np.float32],
    sketches: Sequence[bytes] = (),
) -> None:
    """Store unit vectors and sketches, one a passage; a passage that has them keeps them.

    A passage of no language gets a vector of noughts: an embedder finds ornaments and bare numbers
    near to whatever is asked, most of all to nonsense.
    """
    drawn: list[bytes | None] = list(sketches) if sketches else [None] * len(chunks)
    rows = vector_texts(chunks, vectors)
    with connection.cursor() as cursor:
        parameters = {
            **_scope(document),
            "set": embedding_set.pk,
            "chunks": [chunk.pk for chunk in chunks],
            "vectors": rows,
            "sketches": drawn,
        }
        cursor.execute(ADD_VECTORS, parameters)


def refresh_statistics(workspace: Workspace, embedding_set: EmbeddingSet | None) -> None:
    """Count a workspace's languages and mean vectors again: when a document is done or gone."""
    parameters = {"workspace": workspace.pk, "set": embedding_set.pk if embedding_set else None}
    with transaction.atomic(), connection.cursor() as cursor:
        _lock(workspace.pk)
        cursor.execute(REFRESH_LANGUAGES, parameters)
        if embedding_set:
            cursor.execute(FORGET_LANGUAGES, parameters)
            cursor.execute(REFRESH_CENTROIDS, {**parameters, "few": FEW})
            if not cursor.fetchone():
                cursor.execute(FORGET_CENTROID, parameters)


def vector_texts(chunks: Sequence[Chunk], vectors: NDArray[np.float32]) -> list[str]:
    """The vectors of passages as they are stored: of those that say nothing, noughts."""
    return [
        vector_text(vector if _speaks(chunk) else np.zeros_like(vector))
        for chunk, vector in zip(chunks, vectors, strict=True)
    ]


def vector_text(vector: NDArray[np.float32]) -> str:
    """A vector as pgvector reads it, as exact as a halfvec can hold it."""
    return "[" + ",".join(map("{:.6f}".format, vector.tolist())) + "]"


def _speaks(chunk: Chunk) -> bool:
    """Whether a passage can be near to a question in meaning; a heading says what figures are."""
    return analysis.speaks(chunk.text, headed=bool(chunk.heading))


def _scope(document: Document) -> dict[str, Any]:
    return {
        "document": document.pk,
        "workspace": document.workspace_id,
        "owner": document.workspace.owner_id,
    }


def _lock(workspace_id: int) -> list[str]:
    """Wait for other writers of the workspace's statistics; returns its languages."""
    insert, select = LOCK.split(";")
    with connection.cursor() as cursor:
        cursor.execute(insert, {"workspace": workspace_id})
        cursor.execute(select, {"workspace": workspace_id})
        (languages,) = cursor.fetchone() or ([],)
    return list(languages)


def _remove_words(document: Document, chunk_ids: Sequence[int]) -> None:
    _lock(document.workspace_id)
    with connection.cursor() as cursor:
        cursor.execute(REMOVE_WORDS, {**_scope(document), "chunks": list(chunk_ids)})
