"""Search against what a peer does in memory: rank_bm25 and FAISS on the same texts and vectors.

Texts are of a made-up language with Zipf's frequencies, vectors are clusters with noise: right
for times, not for how well anything is found. Both sides answer the same questions in turn.
"""

import contextlib
import logging
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import numpy as np
import psutil
from django.contrib.auth.models import User
from django.db import connection, transaction
from numpy.typing import NDArray

from apps.library import analysis, graphs, indexing, ranking
from apps.library.models import Chunk, Document, EmbeddingSet, VectorStatistic, Workspace

logger = logging.getLogger(__name__)
DIMENSIONS = 384
WORDS = 60_000  # of the language
LENGTH = 170  # words of a passage, about 1,000 characters
DISTINCT = 50_000  # texts; above that they repeat, in favour of the peer, who shares them
CHUNKS_A_DOCUMENT = 50
QUESTIONS = 20
ASKED = (5, 15)  # words of a question; those of the labelled sets have 2 to 25, median 10
SCOPED = 10  # documents
PEERS = (
    "The benchmark compares with faiss-cpu and rank-bm25, which are not installed here. "
    "Run: pip install -r tests/requirements.txt"
)
MAKE_CHUNKS = """
WITH made AS (
    INSERT INTO library_part
        (document_id, revision, ordinal, kind, number, label, header, text, ocr)
    SELECT %(first)s + n / %(size)s, 1, n %% %(size)s, 'page', 1, 'page 1', '', '', false
    FROM generate_series(0, %(count)s - 1) AS n ORDER BY n
    RETURNING id, document_id, ordinal)
INSERT INTO library_chunk (document_id, part_id, revision, ordinal, text, heading, kind, number,
                           label, start, "end", digest)
SELECT document_id, id, 1, ordinal, '', '', 'page', 1, 'page 1', 0, 0, ''
FROM made ORDER BY document_id, ordinal RETURNING id
"""
COPY_WORDS = """
COPY library_chunkwords (chunk_id, document_id, workspace_id, owner_id, length, language, analyser,
                         lexemes) FROM STDIN
"""
COPY_VECTORS = """
COPY library_chunkvector (embedding_set_id, chunk_id, document_id, workspace_id, owner_id,
                          embedding) FROM STDIN
"""
COUNT_TERMS = """
INSERT INTO library_termstatistic (workspace_id, word, passages)
SELECT %(workspace)s, word, count(*)
FROM library_chunkwords, unnest(tsvector_to_array(lexemes)) AS word
WHERE workspace_id = %(workspace)s GROUP BY word
"""
COUNT_WORDS = """
INSERT INTO library_wordstatistic (workspace_id, passages, words, languages)
SELECT %(workspace)s, count(*), sum(length), '{en}' FROM library_chunkwords
WHERE workspace_id = %(workspace)s
"""
CLEAR = (
    "DELETE FROM library_chunkwords WHERE workspace_id = %(workspace)s",
    "DELETE FROM library_chunkvector WHERE workspace_id = %(workspace)s",
    "DELETE FROM library_termstatistic WHERE workspace_id = %(workspace)s",
    "DELETE FROM library_chunk WHERE document_id >= %(first)s AND document_id < %(last)s",
    "DELETE FROM library_part WHERE document_id >= %(first)s AND document_id < %(last)s",
)
TABLES = "library_chunkwords, library_chunkvector, library_termstatistic"

Vectors = NDArray[np.float32]
Row = dict[str, Any]


def run(options: Mapping[str, Any]) -> list[Row]:
    """Rows for each number of passages: unscoped and scoped; milliseconds are medians.

    Of as many as have a graph in a vault there is a third row; the first compares each vector.
    """
    rows: list[Row] = []
    for count in options["chunks"]:
        texts = made_texts(min(count, DISTINCT))
        vectors = made_vectors(count)
        peer = Peer(texts, vectors)
        with filled_workspace(texts, vectors) as (workspace, embedding_set, documents):
            ours = Ours(workspace, embedding_set)
            asked = list(made_questions(texts, vectors))
            rows.append(_compare(count, "all", ours, peer, asked, None))
            rows.append(_compare(count, f"{SCOPED} documents", ours, None, asked, documents))
            if count > graphs.MANY:
                ours.make_graph()
                rows.append(_compare(count, "all, by graph", ours, peer, asked, None))
    return rows


class Peer:
    """What the peer does: score every passage in Python, scan every vector with FAISS."""

    def __init__(self, texts: Sequence[str], vectors: Vectors) -> None:
        try:
            import faiss
            from rank_bm25 import BM25Okapi
        except ImportError as absent:
            raise LookupError(PEERS) from absent
        self.bm25 = BM25Okapi([text.lower().split() for text in texts])
        times = len(vectors) // len(texts)
        self.bm25.doc_freqs *= times
        self.bm25.doc_len *= times
        self.bm25.corpus_size *= times
        faiss.omp_set_num_threads(1)
        self.index = faiss.IndexFlatIP(vectors.shape[1])
        self.index.add(vectors)

    def nearest(self, vector: Vectors) -> list[int]:
        return [int(n) for n in self.index.search(vector[None], ranking.DEPTH)[1][0]]

    def search(self, text: str, vector: Vectors) -> list[int]:
        scores = self.bm25.get_scores(text.lower().split())
        by_words = np.argsort(scores)[::-1][: ranking.DEPTH]
        fused: dict[int, float] = {}
        for found in (by_words, self.nearest(vector)):
            for place, n in enumerate(found, 1):
                fused[int(n)] = fused.get(int(n), 0) + 1 / (60 + place)
        return sorted(fused, key=lambda n: -fused[n])[:10]


class Ours:
    """The search of the house, without fetching the texts (the peer has none)."""

    def __init__(self, workspace: Workspace, embedding_set: EmbeddingSet) -> None:
        self.workspace, self.embedding_set, self.graph = workspace, embedding_set, False
        rows = Chunk.objects.filter(document__workspace=workspace).order_by("pk")
        self.places = {pk: n for n, pk in enumerate(rows.values_list("pk", flat=True))}

    def cpu(self) -> float:
        """Milliseconds the backend has computed, its parallel workers left out; 0 if elsewhere."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            (pid,) = cursor.fetchone() or (0,)
        with contextlib.suppress(psutil.Error):
            spent = psutil.Process(pid).cpu_times()
            return float(spent.user + spent.system) * 1000
        return 0.0

    def make_graph(self) -> None:
        """From here on the workspace's graph is walked."""
        began = time.perf_counter()
        graphs.make(VectorStatistic.objects.get(embedding_set=self.embedding_set))
        logger.info("made a graph in %.0f s", time.perf_counter() - began)
        self.graph = True

    def search(self, text: str, vector: str, documents: list[int] | None) -> list[int]:
        return self._rank(analysis.question(text, ["en"]), vector, documents)

    def nearest(self, vector: str) -> list[int]:
        return self._rank(analysis.Question("en", False, [], []), vector, None)

    def _rank(
        self, asked: analysis.Question, vector: str, documents: list[int] | None
    ) -> list[int]:
        found = ranking.rank(
            self.workspace,
            asked,
            vector=vector,
            embedding_set=self.embedding_set.pk,
            usual=0.0,
            documents=documents,
            graph=self.graph,
        )
        return [self.places[passage.chunk_id] for passage in found]


def _compare(
    count: int,
    scope: str,
    ours: Ours,
    peer: Peer | None,
    asked: list[tuple[str, Vectors, str]],
    documents: list[int] | None,
) -> Row:
    times: dict[str, list[float]] = {"ours": [], "peer": [], "dense": [], "faiss": []}
    cpu = {"ours": 0.0, "peer": 0.0}
    recalls = []
    for text, vector, spelled in asked:
        before = ours.cpu()
        _timed(times["ours"], lambda t=text, v=spelled: ours.search(t, v, documents))
        cpu["ours"] += ours.cpu() - before
        if peer:
            before = time.process_time()
            _timed(times["peer"], lambda t=text, v=vector: peer.search(t, v))
            cpu["peer"] += (time.process_time() - before) * 1000
            found = _timed(times["dense"], lambda v=spelled: ours.nearest(v))
            nearest = _timed(times["faiss"], lambda v=vector: peer.nearest(v))
            recalls.append(len(set(found) & set(nearest)) / len(nearest))
    middle = {name: round(statistics.median(took), 2) for name, took in times.items() if took}
    row: Row = {"chunks": count, "dimensions": DIMENSIONS, "scope": scope}
    row["ours_ms"], row["peer_ms"] = middle["ours"], middle.get("peer")
    row["ratio_to_peer"] = round(middle["ours"] / middle["peer"], 3) if peer else None
    row["dense_ms"], row["faiss_ms"] = middle.get("dense"), middle.get("faiss")
    # On a busy machine waiting hides what was computed; the rows keep the promised shape.
    spent = {name: round(total / len(asked), 1) for name, total in cpu.items()}
    logger.info("%d chunks, %s: cpu ms a question %s", count, scope, spent)
    row["recall"] = round(statistics.fmean(recalls), 4) if recalls else None
    return row


def _timed(times: list[float], act: Callable[[], list[int]]) -> list[int]:
    began = time.perf_counter()
    result = act()
    times.append((time.perf_counter() - began) * 1000)
    return result


def made_texts(count: int) -> list[str]:
    random = np.random.default_rng(1)
    letters = np.array(list("abcdefghijklmnoprstuvwz"))
    spelled = random.choice(letters, (WORDS, 9))
    lengths = random.integers(3, 10, WORDS)
    words = ["".join(row[:length]) for row, length in zip(spelled, lengths, strict=True)]
    chances = 1 / np.arange(1, WORDS + 1)
    chosen = random.choice(WORDS, (count, LENGTH), p=chances / chances.sum())
    return [" ".join(words[n] for n in row) for row in chosen]


def made_vectors(count: int) -> Vectors:
    random = np.random.default_rng(2)
    centres = random.standard_normal((2000, DIMENSIONS), dtype=np.float32)
    vectors = centres[random.integers(0, 2000, count)]
    vectors += 0.7 * random.standard_normal((count, DIMENSIONS), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors.astype(np.float16).astype(np.float32)  # what both sides can hold


def made_questions(texts: Sequence[str], vectors: Vectors) -> Iterator[tuple[str, Vectors, str]]:
    random = np.random.default_rng(3)
    for _ in range(QUESTIONS):
        words = texts[random.integers(len(texts))].split()
        text = " ".join(random.choice(words, random.integers(*ASKED), replace=False))
        near = vectors[random.integers(len(vectors))]
        vector = near + 0.05 * random.standard_normal(DIMENSIONS, dtype=np.float32)
        vector /= np.linalg.norm(vector)
        yield text, vector, indexing.vector_text(vector)


@contextmanager
def filled_workspace(
    texts: Sequence[str],
    vectors: Vectors,
    *,
    size: int = CHUNKS_A_DOCUMENT,
    into: EmbeddingSet | None = None,
) -> Iterator[tuple[Workspace, EmbeddingSet, list[int]]]:
    """The passages in a workspace of their own, `size` a document, removed at the end.

    The vectors go into a set of their own, or into one that is there.
    """
    name = f"benchmark-{uuid4().hex[:12]}"
    owner = User.objects.create(username=name, is_active=False)
    workspace = Workspace.objects.create(owner=owner, name=name)
    embedding_set = into or EmbeddingSet.objects.create(
        model=name, dimensions=DIMENSIONS, state=EmbeddingSet.State.RETIRED
    )
    count = -(-len(vectors) // size)
    documents = Document.objects.bulk_create(
        Document(workspace=workspace, name=str(n), state="ready") for n in range(count)
    )
    first = documents[0].pk
    try:
        _load(workspace, embedding_set, first, texts, vectors, size)
        yield workspace, embedding_set, [document.pk for document in documents[:SCOPED]]
    finally:
        bounds = {"workspace": workspace.pk, "first": first, "last": first + count}
        graphs.let_go(graphs.name(workspace.pk, embedding_set.pk))
        with connection.cursor() as cursor:
            for statement in CLEAR:
                cursor.execute(statement, bounds)
        owner.delete()
        if into is None:
            embedding_set.delete()


def _load(
    workspace: Workspace,
    embedding_set: EmbeddingSet,
    first: int,
    texts: Sequence[str],
    vectors: Vectors,
    size: int,
) -> None:
    literals = [
        (passage.length, passage.literal())
        for passage in (analysis.analyse("", text, "en") for text in texts)
    ]
    scope = {"workspace": workspace.pk, "first": first, "size": size}
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(MAKE_CHUNKS, {**scope, "count": len(vectors)})
        ids = sorted(row[0] for row in cursor.fetchall())
        whose = [(first + n // size, workspace.pk, workspace.owner_id) for n in range(len(ids))]
        with cursor.copy(COPY_WORDS) as copy:
            for n, chunk in enumerate(ids):
                length, literal = literals[n % len(literals)]
                copy.write_row((chunk, *whose[n], length, "en", analysis.VERSION, literal))
        with cursor.copy(COPY_VECTORS) as copy:
            for n, chunk in enumerate(ids):
                spelled = indexing.vector_text(vectors[n])
                copy.write_row((embedding_set.pk, chunk, *whose[n], spelled))
        cursor.execute(COUNT_TERMS, scope)
        cursor.execute(COUNT_WORDS, scope)
    with connection.cursor() as cursor:
        cursor.execute(f"VACUUM (ANALYZE) {TABLES}")
    indexing.refresh_statistics(workspace, embedding_set)
