"""Documents the ingestion tests feed in, and what they look at afterwards."""

import io
from typing import Any

from apps.library import ingestion
from apps.library.models import Chunk, ChunkVector, ChunkWords, Document, Workspace

BIRDS = [
    "heron",
    "crane",
    "stork",
    "egret",
    "bittern",
    "spoonbill",
    "ibis",
    "rail",
    "coot",
    "gallinule",
]


def essay(sections: int, typo: str = "") -> bytes:
    """A Markdown text whose sections differ; `typo` is added in the middle one."""
    parts = []
    for number in range(sections):
        bird = BIRDS[number % len(BIRDS)]
        sentences = [
            f"Observation {number}.{line}: the {bird} stood {number + line} minutes at the weir."
            for line in range(9)
        ]
        if typo and number == sections // 2:
            sentences[4] += typo
        parts.append(f"# Section {number}, the {bird}\n\n{' '.join(sentences)}\n")
    return "\n".join(parts).encode()


def add(workspace: Workspace, content: bytes, name: str = "birds.md", **more: Any) -> Document:
    return ingestion.accept(workspace, io.BytesIO(content), name, **more).document


def finish(document: Document) -> str:
    """Slices until the document is at rest, or waits for its embedding model."""
    for _ in range(100):
        state = ingestion.work(document.pk)
        document.refresh_from_db()
        if state not in Document.UNFINISHED or document.next_try:
            return state
    raise AssertionError(f"Never at rest: {document.state}")


def embedded(ollama: Any) -> list[str]:
    """The texts the model server was asked to embed."""
    inputs = [heard.body["input"] for heard in ollama.heard if heard.path == "/api/embed"]
    texts = [text for each in inputs for text in ([each] if isinstance(each, str) else each)]
    return [text for text in texts if "Observation" in text]


def content(document: Document) -> list[tuple[Any, ...]]:
    """All that search knows of a document, without ids: to compare two ways of getting there."""
    chunks = Chunk.objects.filter(document=document).order_by("ordinal")
    words = dict(
        ChunkWords.objects.filter(document_id=document.pk).values_list("chunk_id", "lexemes")
    )
    vectors: dict[int, list[str]] = {}
    for vector in ChunkVector.objects.filter(document_id=document.pk):
        vectors.setdefault(vector.chunk_id, []).append(str(vector.embedding))
    assert chunks.count() == len(words) == len(vectors), "words or vectors missing, or left over"
    return [
        (
            *(chunk.ordinal, chunk.text, chunk.heading, chunk.label, chunk.start, chunk.end),
            *(chunk.part.ordinal, chunk.part.text, words[chunk.pk], vectors[chunk.pk]),
        )
        for chunk in chunks.select_related("part")
    ]
