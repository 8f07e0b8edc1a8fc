"""Analyses passages again that an older analyser left behind, in the background.

A passage is found by its old lexemes until its turn comes, so nothing is missing meanwhile; what
the new analyser spells otherwise is only found afterwards. With the last passage of a workspace its
languages and mean vectors are counted again: passages may have changed theirs, or lost it.
"""

import time
from collections import defaultdict

from django.db import transaction
from django.db.models import QuerySet

from apps.library import analysis, indexing, queue, reembedding
from apps.library.models import Chunk, ChunkWords, Document

BATCH = 100  # passages in one transaction
SLICE = 5.0  # seconds


def is_due() -> bool:
    """Whether any passage was analysed by another version of the analyser."""
    return _stale().exists()


def go_on(seconds: float = SLICE) -> int:
    """Analyse old passages again for so long; returns how many, and asks for the next slice."""
    end = time.monotonic() + seconds
    done = 0
    while ids := list(_stale().order_by("pk").values_list("pk", flat=True)[:BATCH]):
        done += _analyse_again(ids)
        if time.monotonic() > end:
            queue.ask_for_reanalysis()
            break
    return done


def _analyse_again(ids: list[int]) -> int:
    """One batch; what a deletion takes away in the meantime is left to it."""
    by_document: dict[int, list[Chunk]] = defaultdict(list)
    for chunk in Chunk.objects.filter(pk__in=ids).order_by("pk"):
        by_document[chunk.document_id].append(chunk)
    for document_id, chunks in sorted(by_document.items()):
        with transaction.atomic():
            held = Document.objects.select_for_update(no_key=True).select_related("workspace")
            document = held.filter(pk=document_id).first()
            if document:
                indexing.renew_words(document, chunks)
                indexing.learn_anew(document, chunks)
                # Who renews words waits for all others in this workspace: one of them is the last.
                if not _stale().filter(workspace_id=document.workspace_id).exists():
                    indexing.refresh_statistics(document.workspace, reembedding.in_use())
    return len(ids)


def _stale() -> QuerySet[ChunkWords]:
    return ChunkWords.objects.filter(analyser__lt=analysis.VERSION)
