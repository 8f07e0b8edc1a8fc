"""One worker at a time for a document, and no word of a worker whose document has moved on."""

import contextlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from django.db import InterfaceError, OperationalError, connection, transaction
from django.utils import timezone

from apps.library.models import Document

ROOM = 7301  # the first of the two keys: advisory locks of documents, told from other ones

TAKE = "SELECT pg_try_advisory_lock(%(room)s, %(key)s)"
GIVE_BACK = "SELECT pg_advisory_unlock(%(room)s, %(key)s)"


class MovedOn(Exception):
    """The document was cancelled, deleted or changed while it was worked on."""


def document_lock(document_id: int) -> AbstractContextManager[bool]:
    """True while this connection alone holds the document, False where another one does."""
    return advisory_lock(ROOM, document_id)


@contextmanager
def advisory_lock(room: int, key: int) -> Iterator[bool]:
    """True while this connection alone holds the key of the room, False where another one does.

    PostgreSQL gives the lock back by itself when the connection dies, so a killed worker never
    keeps one. The connection must not be closed inside.
    """
    keys = {"room": room, "key": key}
    with connection.cursor() as cursor:
        cursor.execute(TAKE, keys)
        (taken,) = cursor.fetchone() or (False,)
    try:
        yield taken
    finally:
        if taken:
            # Where the connection is gone, so is the lock.
            gone = contextlib.suppress(OperationalError, InterfaceError)
            with gone, connection.cursor() as cursor:
                cursor.execute(GIVE_BACK, keys)


@contextmanager
def checkpoint(document: Document, *, progress: bool = True) -> Iterator[None]:
    """One transaction that stores all that is done inside, and the document's row with it.

    The row is read anew and held first. Raises MovedOn, and stores nothing, where the document
    is no longer of the revision and state the worker knows. What is no progress does not count
    against the attempts: a document may kill its worker right after it was opened.
    """
    held = Document.objects.select_for_update(no_key=True).filter(
        revision=document.revision, state=document.state
    )
    workspace = document.workspace
    with transaction.atomic():
        try:
            document.refresh_from_db(from_queryset=held)
        except Document.DoesNotExist:
            raise MovedOn from None
        if document.workspace_id == workspace.pk:
            document.workspace = workspace  # with its owner: asked for once a slice, not a batch
        yield
        document.pulse = timezone.now()
        if progress:
            document.attempts, document.next_try = 0, None
        document.save()
