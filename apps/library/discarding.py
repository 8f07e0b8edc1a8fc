"""Delete means gone.

When a discard is stored, no row of the document, its parts, passages, words, vectors and counts is
left, and rooms above have forgotten what they quoted of it; its file and everything derived from it
are unlinked right after. The queue never knew more than ids. What PostgreSQL still holds in its own
files is let go of by `scrubbing`, which is asked for at once. What a person wrote themselves, and
what a model answered them, stays theirs until they delete the conversation.
"""

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from django.conf import settings
from django.db import transaction

from apps.library import files, indexing, queue
from apps.library.models import Category, Document, EmbeddingSet, Workspace

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
        for embedding_set in EmbeddingSet.objects.filter(state=EmbeddingSet.State.ACTIVE):
            with transaction.atomic():
                indexing.refresh_statistics(workspace, embedding_set)
    queue.ask_for_scrub()


def discard_category(category: Category) -> None:
    """Delete a category with its documents; `category.delete()` keeps them, without one."""
    discard_all(category.documents.select_related("workspace"))
    category.delete()


def discard_workspace(workspace: Workspace) -> None:
    """Delete a workspace with its documents, its categories and the conversations held in it."""
    discard_all(workspace.documents.select_related("workspace"))
    workspace.delete()


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
