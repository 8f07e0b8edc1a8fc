"""Change the embedding model: a second set of vectors is filled beside the one in use.

    begin(model)  building → active once it is complete; the one before is retired, to go back to
    discard(set)  retired or building → gone, its vectors with it

Search and new documents use the active set until the other one has a vector for every passage.
The worker fills a set in slices, when no document waits to be read; each batch is stored at once.
"""

import logging
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Count

from apps.library import indexing, queue
from apps.library.chunking import embedded_text
from apps.library.locking import advisory_lock
from apps.library.models import Chunk, ChunkVector, Document, EmbeddingSet, Workspace
from apps.llm import catalogue, client, sketching
from apps.llm.client import ModelError
from apps.web.telling import gettext as _

State = EmbeddingSet.State
logger = logging.getLogger(__name__)

ROOM = 7303  # of advisory locks: one worker at a time for a set
BATCH = 32  # passages embedded and stored together
LOOKED_UP = 500  # passages without a vector that a slice may get to
SLICE = 5.0  # seconds
REMOVED = 5000  # vectors deleted in one statement
BYTES = 90  # of a row and its index beside the numbers, which take two each

MISSING = """
SELECT chunk.id FROM library_chunk AS chunk
WHERE NOT EXISTS (
    SELECT FROM library_chunkvector AS vector
    WHERE vector.embedding_set_id = %(set)s AND vector.chunk_id = chunk.id)
ORDER BY chunk.id LIMIT %(limit)s
"""
REMOVE = """
DELETE FROM library_chunkvector WHERE embedding_set_id = %(set)s AND chunk_id IN (
    SELECT chunk_id FROM library_chunkvector WHERE embedding_set_id = %(set)s LIMIT %(limit)s)
"""


class NotPossible(Exception):
    """The set stays as it is; the message tells the owner why."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a set is: `vectors` of `passages`, on so many `bytes` of the disk."""

    embedding_set: EmbeddingSet
    vectors: int
    passages: int

    @property
    def share(self) -> float:
        return min(self.vectors / self.passages, 1.0) if self.passages else 1.0

    @property
    def bytes(self) -> int:
        return self.vectors * (2 * self.embedding_set.dimensions + BYTES)


def standings() -> list[Standing]:
    """All sets, the one in use first, then the newest."""
    passages = Chunk.objects.count()
    counted = (
        ChunkVector.objects.order_by().values_list("embedding_set").annotate(Count("chunk_id"))
    )
    vectors = dict(counted)
    order = [State.ACTIVE, State.BUILDING, State.RETIRED, State.GONE]
    sets = sorted(
        EmbeddingSet.objects.order_by("-pk"), key=lambda each: order.index(State(each.state))
    )
    return [Standing(each, vectors.get(each.pk, 0), passages) for each in sets]


def in_use() -> EmbeddingSet | None:
    """The vectors in use; None before the first document is learned."""
    return EmbeddingSet.objects.filter(state=State.ACTIVE).first()


def begin(model: str) -> EmbeddingSet:
    """Learn everything with another model, or go back to one whose vectors are still there.

    What is complete is used at once. Another set that was being built is kept as far as it is.
    Raises ModelError where the model is not there or makes no vectors.
    """
    model = model.removesuffix(":latest")
    dimensions = client.embed(["a"], "passage", model=model).shape[1]
    with transaction.atomic():
        _hold()
        chosen, _made = EmbeddingSet.objects.get_or_create(model=model, dimensions=dimensions)
        if chosen.state == State.ACTIVE:
            EmbeddingSet.objects.filter(state=State.BUILDING).update(state=State.RETIRED)
            return chosen
        others = EmbeddingSet.objects.exclude(pk=chosen.pk)
        others.filter(state=State.BUILDING).update(state=State.RETIRED)
        first = not others.filter(state=State.ACTIVE).exists()
        chosen.state, chosen.reason = State.ACTIVE if first else State.BUILDING, ""
        chosen.save()
    if not _missing(chosen, 1):
        _switch(chosen)
    queue.ask_for_embedding()
    chosen.refresh_from_db()
    return chosen


def discard(embedding_set: EmbeddingSet) -> None:
    """Give up a set; its vectors are deleted in the background. Raises NotPossible."""
    if embedding_set.model == settings.EMBED_MODEL:
        raise NotPossible(
            _("VAULT_EMBED_MODEL asks for %(model)s. Change that setting first.")
            % {"model": embedding_set.model}
        )
    with transaction.atomic():
        _hold()
        unused = EmbeddingSet.objects.filter(pk=embedding_set.pk).exclude(state=State.ACTIVE)
        if not unused.update(state=State.GONE, reason=""):
            raise NotPossible(
                _("%(model)s is in use. Choose another model first.")
                % {"model": embedding_set.model}
            )
    queue.ask_for_embedding()


def look() -> bool:
    """Begin a set where one is called for, and say whether there is work on any.

    One is called for where the settings name another model for the first time, and where the model
    in use is no longer there: search by meaning would stay away for ever.
    """
    if (active := in_use()) and not EmbeddingSet.objects.filter(state=State.BUILDING).exists():
        try:
            if model := _called_for(active):
                logger.info("learning everything again with %s instead of %s", model, active.model)
                begin(model)
        except ModelError as error:
            logger.warning("no other embedding model to go on with: %s", error)
    return EmbeddingSet.objects.filter(state__in=(State.BUILDING, State.GONE)).exists()


def go_on(seconds: float = SLICE) -> str:
    """One slice of work on the sets; says what came of it: idle, waiting, building or switched."""
    for gone in EmbeddingSet.objects.filter(state=State.GONE):
        _remove(gone)
    building = EmbeddingSet.objects.filter(state=State.BUILDING).first()
    if building is None:
        return "idle"
    if Document.objects.workable().exists():
        return "waiting"  # documents go first; the sweep rings again
    with advisory_lock(ROOM, building.pk) as mine:
        if not mine:
            return "waiting"
        try:
            complete = _fill(building, seconds)
        except ModelError as error:
            EmbeddingSet.objects.filter(pk=building.pk).update(reason=str(error))
            return "waiting"
    if complete and _switch(building):
        return "switched"
    queue.ask_for_embedding()
    return "building"


def _called_for(active: EmbeddingSet) -> str:
    """The model to learn everything with, "" where all is well."""
    wanted = settings.EMBED_MODEL.removesuffix(":latest")
    if wanted and wanted != active.model:
        return "" if EmbeddingSet.objects.filter(model=wanted).exists() else wanted
    there = {model.name for model in catalogue.installed() if "embedding" in model.abilities}
    if active.model not in there:
        return client.embedder()[0]
    return active.model if client.dimensions(active.model) != active.dimensions else ""


def _fill(building: EmbeddingSet, seconds: float) -> bool:
    """Embed passages that have no vector in the set yet; True when there is none left."""
    began = time.monotonic()
    missing = _missing(building, LOOKED_UP)
    for start in range(0, len(missing), BATCH):
        _fill_batch(building, missing[start : start + BATCH])
        if time.monotonic() - began > seconds or Document.objects.workable().exists():
            return False
    return len(missing) < LOOKED_UP


def _fill_batch(building: EmbeddingSet, ids: Sequence[int]) -> None:
    chunks = list(Chunk.objects.filter(pk__in=ids).order_by("pk"))
    texts = [embedded_text(chunk.heading, chunk.text) for chunk in chunks]
    vectors, sketches = sketching.sketched(texts, model=building.model)
    if len(chunks) and vectors.shape[1] != building.dimensions:
        raise ModelError(
            _(
                "%(model)s gives %(now)s numbers for a passage instead of %(before)s. Choose it"
                " again."
            )
            % {
                "model": building.model,
                "now": vectors.shape[1],
                "before": building.dimensions,
            }
        )
    by_document: dict[int, list[int]] = defaultdict(list)
    for place, chunk in enumerate(chunks):
        by_document[chunk.document_id].append(place)
    for document_id, places in sorted(by_document.items()):
        with transaction.atomic():
            held = Document.objects.select_for_update(no_key=True).select_related("workspace")
            document = held.filter(pk=document_id).first()
            if document is None:
                continue
            there = set(document.chunks.values_list("pk", "digest"))
            still = [n for n in places if (chunks[n].pk, chunks[n].digest) in there]
            kept = [chunks[n] for n in still]
            drawn = [sketches[n] for n in still]
            indexing.add_vectors(document, building, kept, vectors[still], drawn)
    EmbeddingSet.objects.filter(pk=building.pk).exclude(reason="").update(reason="")


def _switch(building: EmbeddingSet) -> bool:
    """Use a set from now on, if it is complete; a document that is just done is waited for."""
    for workspace in Workspace.objects.all():
        indexing.refresh_statistics(workspace, building)
    with transaction.atomic():
        _hold()
        chosen = EmbeddingSet.objects.get(pk=building.pk)
        if chosen.state != State.BUILDING or _missing(chosen, 1):
            return False
        EmbeddingSet.objects.filter(state=State.ACTIVE).update(state=State.RETIRED)
        chosen.state, chosen.reason = State.ACTIVE, ""
        chosen.save()
    logger.info("search uses %s now", chosen)
    return True


def _hold() -> None:
    """Wait for whoever finishes a document in a set, or changes which one is used."""
    list(EmbeddingSet.objects.select_for_update(no_key=True).order_by("pk"))


def _missing(embedding_set: EmbeddingSet, limit: int) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(MISSING, {"set": embedding_set.pk, "limit": limit})
        return [row[0] for row in cursor.fetchall()]


def _remove(gone: EmbeddingSet) -> None:
    while EmbeddingSet.objects.filter(pk=gone.pk, state=State.GONE).exists():
        with connection.cursor() as cursor:
            cursor.execute(REMOVE, {"set": gone.pk, "limit": REMOVED})
            if cursor.rowcount:
                continue
        with transaction.atomic():
            _hold()
            EmbeddingSet.objects.filter(pk=gone.pk, state=State.GONE).delete()
