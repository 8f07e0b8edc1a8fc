"""Documents and passages as ingestion would leave them, made without reading any file."""

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from apps.library import indexing
from apps.library.models import (
    Category,
    Chunk,
    Document,
    EmbeddingSet,
    LocatorKind,
    Part,
    Workspace,
)


def document(
    workspace: Workspace,
    name: str,
    texts: Sequence[str],
    *,
    heading: str = "",
    language: str = "en",
    category: Category | None = None,
) -> Document:
    """A ready document with one page and one passage a text, findable by words."""
    made = Document.objects.create(
        workspace=workspace,
        category=category,
        name=name,
        language=language,
        state=Document.State.READY,
        part_count=len(texts),
        chunk_count=len(texts),
    )
    for ordinal, text in enumerate(texts):
        place = {
            "document": made,
            "revision": 1,
            "ordinal": ordinal,
            "kind": LocatorKind.PAGE,
            "number": ordinal + 1,
            "label": f"page {ordinal + 1}",
            "text": text,
        }
        part = Part.objects.create(**place)
        digest = hashlib.sha256(f"{heading}\n{text}".encode()).hexdigest()
        ends = {"start": 0, "end": len(text), "digest": digest, "heading": heading}
        Chunk.objects.create(part=part, **place, **ends)
    indexing.add_words(made, list(made.chunks.all()))
    return made


def vectors(
    made: Document, embedding_set: EmbeddingSet, values: NDArray[np.float32] | list[list[float]]
) -> None:
    """Give the passages of a document these vectors, made unit length."""
    array = np.asarray(values, dtype="float32")
    array /= np.linalg.norm(array, axis=1, keepdims=True)
    indexing.add_vectors(made, embedding_set, list(made.chunks.all()), array)
    indexing.refresh_statistics(made.workspace, embedding_set)
