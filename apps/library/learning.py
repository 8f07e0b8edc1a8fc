"""Learn what passages mean: batches of vectors, one transaction each."""

import time
from datetime import timedelta

import numpy as np
from django.db import transaction
from django.utils import timezone
from numpy.typing import NDArray

from apps.library import indexing
from apps.library.chunking import embedded_text
from apps.library.locking import checkpoint
from apps.library.models import ChunkVector, Document, EmbeddingSet
from apps.library.reading import somebody_waits, spend
from apps.llm import sketching
from apps.llm.client import ModelError
from apps.progress import ledger
from apps.web.telling import gettext as _

BATCH = 16
FIRST_DELAY, LONGEST_DELAY = 10, 600  # seconds until a missing model is asked for again


def learn(document: Document, seconds: float) -> bool:
    """Learn on for some seconds. True when the whole document is found by meaning.

    Where no embedding model answers, the document stays found by words and is tried again later.
    Raises MovedOn where the document is no longer wanted.
    """
    began = time.monotonic()
    try:
        embedding_set = indexing.active_set()
        while _learn_batch(document, embedding_set):
            if time.monotonic() - began > seconds or somebody_waits():
                return False
    except ModelError as error:
        _wait(document, error)
        return False
    with checkpoint(document):
        return _finish(document, embedding_set)


def _learn_batch(document: Document, embedding_set: EmbeddingSet) -> bool:
    """Embed the next passages, but those of which the same owner has the vector already."""
    began = time.monotonic()
    chunks = indexing.missing_vectors(document, embedding_set, BATCH)
    if not chunks:
        return False
    with transaction.atomic():
        strange = indexing.reuse_vectors(document, embedding_set, chunks)
    texts = [embedded_text(chunk.heading, chunk.text) for chunk in strange]
    learned = sketching.sketched(texts, model=embedding_set.model) if texts else None
    with checkpoint(document):
        if learned is not None:
            _check(learned[0], embedding_set)
            indexing.add_vectors(document, embedding_set, strange, *learned)
        document.done = ChunkVector.objects.filter(
            embedding_set=embedding_set, document_id=document.pk
        ).count()
        document.reason = ""
        spend(document, "learning", time.monotonic() - began)
    return True


def _check(vectors: NDArray[np.float32], embedding_set: EmbeddingSet) -> None:
    """Raise ModelError where a model of the same name came to give other vectors."""
    if vectors.shape[1] != embedding_set.dimensions:
        raise ModelError(
            _(
                "%(model)s gives vectors of %(now)s numbers now, and those in use have %(before)s."
                " Everything will be learned again with it."
            )
            % {
                "model": embedding_set.model,
                "now": vectors.shape[1],
                "before": embedding_set.dimensions,
            }
        )


def _finish(document: Document, embedding_set: EmbeddingSet) -> bool:
    """Ready, unless another embedding model came into use meanwhile: then go on with that one."""
    sets = EmbeddingSet.objects.select_for_update(no_key=True)
    if not sets.filter(pk=embedding_set.pk, state=EmbeddingSet.State.ACTIVE).exists():
        return False
    indexing.refresh_statistics(document.workspace, embedding_set)
    document.state = Document.State.READY
    document.reason = ""
    document.done = document.total = document.chunk_count
    document.ready_at = timezone.now()
    # Ids only: the ledger outlives the document, whose name must not.
    ledger.record(
        document.workspace.owner,
        "document_added",
        key=f"document_added:{document.pk}",
        document=document.pk,
    )
    return True


def _wait(document: Document, error: ModelError) -> None:
    """Keep the count of attempts, so that each wait is twice as long as the one before."""
    delay = min(FIRST_DELAY << min(document.attempts, 10), LONGEST_DELAY)
    Document.objects.filter(
        pk=document.pk, revision=document.revision, state=Document.State.LEARNING
    ).update(
        reason=_("Waiting for the embedding model: %(reason)s") % {"reason": str(error)},
        next_try=timezone.now() + timedelta(seconds=delay),
    )


def wake_waiting() -> None:
    """The model answers again: whoever waits for it need not wait any longer."""
    waiting = Document.objects.filter(state=Document.State.LEARNING, next_try__isnull=False)
    waiting.update(next_try=None, attempts=0)
