"""Delete means gone.

When a discard is stored, no row of the document, its parts, passages, words, vectors and counts is
left; its file and everything derived from it are unlinked right after. The queue never knew more
than ids. PostgreSQL keeps the deleted bytes inside its own files until they are overwritten: a
VACUUM, which is asked for at once, lets go of them, the write-ahead log is recycled as it fills.
What a person's own conversations quoted stays with the conversations until those are deleted.
"""

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from django.conf import settings
from django.db import transaction

from apps.library import indexing, queue
from apps.library.models import Category, Document, EmbeddingSet, Workspace

# What a deletion leaves dead rows in.
TABLES = (
    "library_chunkwords",
    "library_chunkvector",
    "library_chunk",
    "library_part",
    "library_document",
    "library_termstatistic",
    "django_q_ormq",
    "django_q_task",
)


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
            transaction.on_commit(_removal(Path(document.file.path), document.pk))
    for workspace in workspaces.values():
        for embedding_set in EmbeddingSet.objects.filter(state=EmbeddingSet.State.ACTIVE):
            with transaction.atomic():
                indexing.refresh_statistics(workspace, embedding_set)
    queue.ask_for_vacuum()


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
    chunks = held.chunks.all()
    indexing.remove(held, list(chunks.values_list("pk", flat=True)))
    chunks.delete()
    held.parts.all().delete()
    held.delete()


def _removal(path: Path, document_id: int) -> Callable[[], None]:
    def remove() -> None:
        path.unlink(missing_ok=True)
        shutil.rmtree(Path(settings.DERIVED_DIR) / str(document_id), ignore_errors=True)

    return remove
