"""Measures search on labelled sets, each loaded into a workspace of its own and removed again.

A set is a folder with `corpus.jsonl` (id, title, text), `queries.jsonl` (id, text, lang) and
`qrels.tsv` (query, passage, relevance). The set named `unanswerable` has questions only: they are
asked of the others, in the languages of their own questions, and should not pass the gate.
"""

import hashlib
import json
import logging
import math
import sqlite3
import statistics
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

import numpy as np
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection, transaction
from numpy.typing import NDArray

from apps.library import analysis, compounds, indexing, ranking, relevance, second_opinion
from apps.library.chunking import embedded_text
from apps.library.meaning import question_vector
from apps.library.models import (
    Chunk,
    Document,
    LanguageCentroid,
    LocatorKind,
    Part,
    WordStatistic,
    Workspace,
)
from apps.library.search import Place, search
from apps.library.second_opinion import Wish, search_again
from apps.llm import sketching

logger = logging.getLogger(__name__)
UNANSWERABLE = "unanswerable"
BATCH = 64
SEED = 7  # of which questions are asked where not all are
LEFTOVERS = (
    "DELETE FROM library_chunkwords WHERE workspace_id = %s",
    "DELETE FROM library_chunkvector WHERE workspace_id = %s",
    "DELETE FROM library_termstatistic WHERE workspace_id = %s",
)
ANALYZE = "ANALYZE library_chunkwords, library_chunkvector, library_termstatistic"


@dataclass(slots=True)
class LabelledSet:
    """One folder, read."""

    name: str
    corpus: list[dict[str, str]]
    queries: list[dict[str, str]]
    relevant: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))


def read_sets(folder: Path, names: Sequence[str] = ()) -> list[LabelledSet]:
    """The sets of a folder, or those named; LookupError says which is missing."""
    wanted = names or sorted(path.parent.name for path in folder.glob("*/corpus.jsonl"))
    if missing := [name for name in wanted if not (folder / name / "corpus.jsonl").exists()]:
        raise LookupError(f"{folder} has no set {', '.join(missing)}: no corpus.jsonl is there.")
    if not wanted:
        raise LookupError(f"{folder} holds no set: no corpus.jsonl in any folder below it.")
    return [_read_set(folder / name) for name in wanted]


def evaluate(
    folder: Path, names: Sequence[str] = (), *, opinion: str = "", limit: int | None = None
) -> dict[str, list[dict[str, Any]]]:
    """Figures of each set and of the gate, as `evaluate_search --json` prints them.

    With `opinion` ("reword", "reorder" or "both") also of search with the language model's second
    opinion, however long that takes. With `limit` of so many questions a set, any.
    """
    sets = read_sets(folder, names)
    wish = second_opinion.patient(opinion) if opinion else None
    unanswerable = strangers(folder)
    report: dict[str, list[dict[str, Any]]] = {"sets": [], "gate": []}
    for labelled in sets:
        if limit:
            Random(SEED).shuffle(labelled.queries)
            labelled.queries = labelled.queries[:limit]
        with loaded(labelled) as (workspace, corpus_ids):
            figures, passed = _measure(labelled, workspace, corpus_ids, wish)
            languages = {query.get("lang") for query in labelled.queries}
            asked = [query["text"] for query in unanswerable if query.get("lang") in languages]
            through = [search(workspace, text, limit=1).answerable for text in asked]
        report["sets"].append(figures)
        if asked:
            gate = {
                "set": labelled.name,
                "answerable_passed": round(passed, 4),
                "unanswerable_passed": round(sum(through) / len(through), 4),
            }
            report["gate"].append(gate)
        logger.info("%s", json.dumps(figures))
    return report


def strangers(folder: Path) -> list[dict[str, str]]:
    """The questions that no set answers."""
    return _lines(folder / UNANSWERABLE / "queries.jsonl")


@contextmanager
def loaded(
    labelled: LabelledSet, *, files: bool = False
) -> Iterator[tuple[Workspace, dict[int, str]]]:
    """The set in a workspace of its own, with the set's ids of its chunks; removed at the end.

    With `files` each file that its passages name is a document of that name.
    """
    owner = User.objects.create(username=f"evaluation-{uuid4().hex[:12]}", is_active=False)
    workspace = Workspace.objects.create(owner=owner, name=labelled.name)
    try:
        yield workspace, _load(workspace, labelled.corpus, files)
    finally:
        with connection.cursor() as cursor:
            for leftover in LEFTOVERS:
                cursor.execute(leftover, [workspace.pk])
        owner.delete()


def ndcg(ranking_: Sequence[str], relevant: set[str]) -> float:
    """nDCG of the first ten, 0 to 1; what is relevant is equally so."""
    gained = sum(1 / math.log2(n + 2) for n, found in enumerate(ranking_[:10]) if found in relevant)
    ideal = sum(1 / math.log2(n + 2) for n in range(min(len(relevant), 10)))
    return gained / ideal if ideal else 0.0


def _read_set(folder: Path) -> LabelledSet:
    found = LabelledSet(
        folder.name, _lines(folder / "corpus.jsonl"), _lines(folder / "queries.jsonl")
    )
    for line in (folder / "qrels.tsv").read_text("utf-8").splitlines():
        query, passage, relevance_ = line.split("\t")
        if int(relevance_) > 0:
            found.relevant[query].add(passage)
    return found


def _lines(path: Path) -> list[dict[str, str]]:
    # Not splitlines(): it would also cut at line separators inside a string.
    return (
        [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]
        if (path.exists())
        else []
    )


def _load(
    workspace: Workspace, corpus: list[dict[str, str]], files: bool = False
) -> dict[int, str]:
    """Store a corpus as ingestion would, a document for each language; chunk ids to its ids."""
    embedding_set = indexing.active_set()
    vectors, sketches = embedded([_embedded(item) for item in corpus], embedding_set.model)
    documents: dict[tuple[str, str], list[int]] = defaultdict(list)
    for n, item in enumerate(corpus):
        language = analysis.detect_language(f"{item['title']}\n{item['text']}")
        name = item.get("file") or item["title"] if files else ""
        documents[language, name].append(n)
    ids: dict[int, str] = {}
    for (language, name), places in documents.items():
        document = Document.objects.create(
            workspace=workspace,
            name=name[:255],
            language=language,
            state=Document.State.READY,
            chunk_count=len(places),
        )
        chunks = _chunks(document, [corpus[n] for n in places])
        for first in range(0, len(chunks), BATCH):
            batch, rows = chunks[first : first + BATCH], places[first : first + BATCH]
            with transaction.atomic():
                indexing.add_words(document, batch)
                drawn = [sketches[n] for n in rows]
                indexing.add_vectors(document, embedding_set, batch, vectors[rows], drawn)
            ids |= {chunk.pk: corpus[n]["id"] for chunk, n in zip(batch, rows, strict=True)}
    indexing.refresh_statistics(workspace, embedding_set)
    with connection.cursor() as cursor:
        cursor.execute(ANALYZE)
    return ids


def _chunks(document: Document, items: list[dict[str, str]]) -> list[Chunk]:
    place = {"document": document, "revision": 1, "kind": LocatorKind.SECTION}
    parts = Part.objects.bulk_create(
        Part(ordinal=n, number=n + 1, label=item["id"], text=item["text"], **place)
        for n, item in enumerate(items)
    )
    return Chunk.objects.bulk_create(
        Chunk(
            part=part,
            ordinal=part.ordinal,
            number=part.number,
            label=part.label,
            text=part.text,
            heading=item["title"][:500],
            start=0,
            end=len(part.text),
            digest=hashlib.sha256(_embedded(item).encode()).hexdigest(),
            **place,
        )
        for part, item in zip(parts, items, strict=True)
    )


def _embedded(item: dict[str, str]) -> str:
    return embedded_text(item["title"], item["text"])


def embedded(texts: Sequence[str], model: str) -> tuple[NDArray[np.float32], list[bytes]]:
    """Vectors and sketches of passages, from the cache of earlier runs where they are there."""
    settings.DERIVED_DIR.mkdir(parents=True, exist_ok=True)
    keys = [hashlib.sha256(f"{model}\0{text}".encode()).digest() for text in texts]
    with closing(sqlite3.connect(settings.DERIVED_DIR / "evaluation.sqlite3")) as cache:
        cache.execute(
            "CREATE TABLE IF NOT EXISTS learned (key BLOB PRIMARY KEY, vector BLOB, sketch BLOB)"
        )
        ask = "SELECT vector, sketch FROM learned WHERE key = ?"
        known = {key: row for key in keys if (row := cache.execute(ask, [key]).fetchone())}
        new = [n for n, key in enumerate(keys) if key not in known]
        for first in range(0, len(new), BATCH):
            batch = new[first : first + BATCH]
            vectors, drawn = sketching.sketched([texts[n] for n in batch], model=model)
            rows = [
                (keys[n], v.astype("float32").tobytes(), sketch)
                for n, v, sketch in zip(batch, vectors, drawn, strict=True)
            ]
            cache.executemany("INSERT OR REPLACE INTO learned VALUES (?, ?, ?)", rows)
            cache.commit()
            known |= {key: (vector, sketch) for key, vector, sketch in rows}
            logger.info("embedded %d of %d passages", first + len(batch), len(new))
    vectors = np.vstack([np.frombuffer(known[key][0], dtype="float32") for key in keys])
    return vectors, [known[key][1] for key in keys]


def _measure(
    labelled: LabelledSet,
    workspace: Workspace,
    corpus_ids: dict[int, str],
    wish: Wish | None = None,
) -> tuple[dict[str, Any], float]:
    """The figures of a set, and the share of its questions that pass the gate."""
    runs: dict[str, list[tuple[float, float, float, float]]] = defaultdict(list)
    passed = 0
    for query in labelled.queries:
        relevant = labelled.relevant[query["id"]]
        began = time.perf_counter()
        findings = search(workspace, query["text"])
        took = time.perf_counter() - began
        passed += findings.answerable
        found = [corpus_ids[hit.chunk.pk] for hit in findings.hits]
        runs["hybrid"].append(_score(found, relevant, took))
        for leg in ("words", "meaning"):
            began = time.perf_counter()
            found = [corpus_ids[chunk] for chunk in _one_leg(workspace, query["text"], leg)]
            runs[leg].append(_score(found, relevant, time.perf_counter() - began))
        if wish:
            began = time.perf_counter()
            findings, _ = search_again([Place(workspace)], query["text"], wish)
            found = [corpus_ids[hit.chunk.pk] for hit in findings.hits]
            runs["second"].append(_score(found, relevant, time.perf_counter() - began))
    figures = {
        "set": labelled.name,
        "documents": len(labelled.corpus),
        "queries": len(labelled.queries),
        **{leg: _summary(rows) for leg, rows in runs.items()},
    }
    return figures, passed / max(len(labelled.queries), 1)


def _one_leg(workspace: Workspace, text: str, leg: str) -> list[int]:
    """What one leg alone would have found: chunk ids, best first."""
    embedding_set = indexing.active_set()
    statistic = WordStatistic.of(workspace) or WordStatistic()
    asked = compounds.question(workspace, text, statistic.languages, statistic.spoken)
    by_meaning = leg == "meaning"
    if by_meaning:
        asked = analysis.Question(asked.language, asked.foreign, [], [])
    found = ranking.rank(
        workspace,
        asked,
        vector=question_vector(embedding_set.model, text) if by_meaning else None,
        embedding_set=embedding_set.pk,
        usual=relevance.calibration(embedding_set.model).usual,
        languages=LanguageCentroid.counted(workspace, embedding_set),
    )
    return [passage.chunk_id for passage in found[:10]]


def _score(
    found: Sequence[str], relevant: set[str], seconds: float
) -> tuple[float, float, float, float]:
    first = next((1 / n for n, item in enumerate(found[:10], 1) if item in relevant), 0.0)
    recall = len(relevant & set(found[:7])) / len(relevant) if relevant else 0.0
    return ndcg(found, relevant), recall, first, seconds * 1000


def _summary(rows: list[tuple[float, float, float, float]]) -> dict[str, float]:
    gains, recalls, firsts, times = zip(*rows, strict=True)
    return {
        "ndcg@10": round(statistics.fmean(gains), 4),
        "recall@7": round(statistics.fmean(recalls), 4),
        "mrr@10": round(statistics.fmean(firsts), 4),
        "ms_median": round(statistics.median(times), 1),
        "ms_p95": round(float(np.percentile(times, 95)), 1),
    }
