"""Delete means gone.

When a discard is stored, no row of the document, its parts, passages, words, vectors and counts is
left, and rooms above have forgotten what they quoted of it; its file and everything derived from it
are unlinked right after. The queue never knew more than ids. What PostgreSQL still holds in its own
files is let go of by `scrubbing`, which is asked for at once. What a person wrote themselves, and
what a model answered them, stays theirs until they delete the conversation.
"""

import shutil
import time
import uuid
from collections.abc import Callable, Iterable
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.db.models import CASCADE, ManyToOneRel, Q, QuerySet

from apps.library import files, indexing, queue
from apps.library.models import (
    Category,
    Document,
    EmbeddingSet,
    LanguageCentroid,
    TermStatistic,
    VectorStatistic,
    WordStatistic,
    Workspace,
)

FEW = 20  # documents that are deleted while the person waits
BATCH = 25  # after so many the statistics of the workspace are counted again
SLICE = 5.0  # seconds

# What deleting the documents of a workspace still needs; it goes with the workspace itself.
KEPT_TO_THE_LAST = (Document, LanguageCentroid, TermStatistic, VectorStatistic, WordStatistic)
DOOMED = Q(state=Document.State.DELETING) | Q(workspace__deleting=True)

# Rooms above add what forgets their quotes of a document; called before its rows are deleted.
FORGETTERS: list[Callable[[Document], None]] = []


def discard(document: Document) -> None:
    """Delete a document and all that came of it; a worker that is at it stops by itself."""
    discard_all([document])


def discard_all(documents: Iterable[Document]) -> None:
    """Delete several documents, one transaction each: an interrupted deletion goes on when asked
    again, and half a document is never left."""
    workspaces = {}
    for document in documents:
        workspaces[document.workspace_id] = document.workspace
        with transaction.atomic():
            _discard_rows(document)
            transaction.on_commit(_removal(document.file.name, document.pk))
    for workspace in workspaces.values():
        if workspace.deleting:
            continue
        for embedding_set in EmbeddingSet.objects.filter(state=EmbeddingSet.State.ACTIVE):
            with transaction.atomic():
                indexing.refresh_statistics(workspace, embedding_set)
    queue.ask_for_scrub()


def discard_soon(documents: QuerySet[Document]) -> int:
    """Delete documents: a few at once, many in the background, gone from every page at once.

    Returns how many are still to be deleted when this is done; the worker goes on with those.
    """
    if documents.count() <= FEW:
        discard_all(documents.select_related("workspace"))
        return 0
    marked = documents.update(state=Document.State.DELETING, next_try=None, reason="")
    queue.ask_for_discard()
    return marked


def go_on(seconds: float = SLICE) -> int:
    """Delete marked documents for so long; returns how many, and asks for the next slice."""
    end = time.monotonic() + seconds
    done = 0
    marked = Document.objects.filter(DOOMED)
    while some := list(marked.select_related("workspace").order_by("pk")[:BATCH]):
        discard_all(some)
        done += len(some)
        if time.monotonic() > end:
            queue.ask_for_discard()
            return done
    for emptied in Workspace.objects.filter(deleting=True, documents=None):
        emptied.delete()
    return done


def is_due() -> bool:
    """Whether marked documents or workspaces are left, as after a crash."""
    marked = Document.objects.filter(state=Document.State.DELETING)
    return marked.exists() or Workspace.objects.filter(deleting=True).exists()


def discard_category(category: Category) -> None:
    """Delete a category with its documents; `category.delete()` keeps them, without one."""
    discard_soon(category.documents.all())
    category.delete()


def discard_workspace(workspace: Workspace) -> None:
    """Delete a workspace with its documents, its categories and the conversations held in it."""
    discard_all(workspace.documents.select_related("workspace"))
    workspace.delete()


def discard_workspace_soon(workspace: Workspace) -> bool:
    """The same, where it holds more than a few documents in the background. True when it is done.

    At once it is gone from every page: its name, its categories, its conversations and all that
    was made in it are deleted, its documents are marked, and the worker goes on with those.
    """
    if workspace.documents.count() <= FEW:
        discard_workspace(workspace)
        return True
    with transaction.atomic():
        # The name is free again for another, and is told nowhere any more.
        doomed = Workspace.objects.filter(pk=workspace.pk)
        doomed.update(deleting=True, name=uuid.uuid4().hex)
        for relation in Workspace._meta.get_fields(include_hidden=True):
            if isinstance(relation, ManyToOneRel) and relation.on_delete is CASCADE:
                kind = relation.related_model
                if kind not in KEPT_TO_THE_LAST:
                    kind._base_manager.filter(**{relation.field.name: workspace}).delete()
        workspace.documents.update(state=Document.State.DELETING, next_try=None, reason="")
        queue.ask_for_discard()
    return False


def _discard_rows(document: Document) -> None:
    # The lock waits for a worker's batch to be stored; its next one finds no document.
    held = Document.objects.select_for_update().filter(pk=document.pk).first()
    if held is None:
        return
    for forget in FORGETTERS:
        forget(held)
    chunks = held.chunks.all()
    indexing.remove(held, list(chunks.values_list("pk", flat=True)))
    chunks.delete()
    held.parts.all().delete()
    held.delete()


def _removal(name: str | None, document_id: int) -> Callable[[], None]:
    def remove() -> None:
        files.remove(name)
        shutil.rmtree(Path(settings.DERIVED_DIR) / str(document_id), ignore_errors=True)

    return remove
