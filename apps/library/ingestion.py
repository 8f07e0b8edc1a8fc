"""How a file becomes searchable, exactly once, whatever happens.

    queued → reading → learning → ready      refused: the file's fault; failed: ours; cancelled
      ↑ fetching, a page of the web

The truth is in the rows. A worker takes a document's lock, goes on from what is stored, stores
each batch in one transaction, and may be killed at any moment: the next one does the same.
"""

import contextlib
import logging
import traceback
from datetime import timedelta
from typing import Any

from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from apps.library import children, indexing, learning, likeness, pages, queue, reading, storing
from apps.library.discarding import (
    discard,
    discard_all,
    discard_category,
    discard_soon,
    discard_workspace,
    discard_workspace_soon,
)
from apps.library.learning import learn
from apps.library.locking import MovedOn, checkpoint, document_lock
from apps.library.models import ChunkVector, Document, EmbeddingSet
from apps.library.parsing import NotYet, Refusal
from apps.library.reading import read
from apps.library.storing import Accepted, NotAccepted, accept, begin_again
from apps.llm import speech
from apps.web.telling import gettext as _

__all__ = [
    "Accepted",
    "NotAccepted",
    "accept",
    "cancel",
    "discard",
    "discard_all",
    "discard_category",
    "discard_soon",
    "discard_workspace",
    "discard_workspace_soon",
    "learn_again",
    "read_again",
    "read_all_again",
    "retry",
    "sweep",
    "work",
    "work_next",
]

State = Document.State
logger = logging.getLogger(__name__)

# Slices that may end without a word, as those of a killed worker do. A file may kill whoever reads
# it; what is learned are a few words at a time, and only the machine's troubles stop that.
ATTEMPTS = {State.FETCHING: 6, State.READING: 6, State.LEARNING: 60}
UNTIL_THEN = timedelta(hours=12)  # for what waits for a model; the sweep looks each minute
LOOKED_AT = 20  # documents whose lock is tried for a slice; other workers hold only a few


def work(document_id: int, seconds: float = 5.0) -> str:
    """Give a document one slice of work, and say how it stands: a state, `busy` or `gone`.

    `busy` means that another worker has it; `interrupted` that the database went away.
    """
    try:
        with document_lock(document_id) as mine:
            return _slice(document_id, seconds) if mine else "busy"
    except (OperationalError, InterfaceError) as error:
        _log(document_id, error)
        connection.close()  # what is stored is stored; the sweep rings again
        return "interrupted"


def work_next(seconds: float = 5.0) -> str:
    """Give a slice to the document whose turn it is, and ask for more work where some is left."""
    for document_id in Document.objects.workable().values_list("pk", flat=True)[:LOOKED_AT]:
        outcome = work(document_id, seconds)
        if outcome != "busy":
            queue.ask_for_work()
            return outcome
    children.rest()
    return "idle"


def sweep() -> int:
    """Ask for work on unfinished documents, and tidy up. Returns how many documents wait."""
    if speech.state() == "ready":
        _wake_waiting()
    waiting = Document.objects.workable().count()
    if waiting:
        queue.ask_for_work(min(waiting, queue.workers()))
    storing.tidy()
    queue.tidy()
    likeness.catch_up()
    return waiting


def cancel(document: Document) -> None:
    """Stop working on a document; what is found of it already stays found."""
    document.refresh_from_db()
    if document.state == State.FETCHING and document.chunk_count:
        with contextlib.suppress(MovedOn):
            pages.leave(document, _("It was not fetched again: you stopped that."))
        document.refresh_from_db()
        return
    with transaction.atomic():
        changed = Document.objects.filter(pk=document.pk, state__in=Document.UNFINISHED).update(
            state=State.CANCELLED, reason="", next_try=None
        )
    if changed:
        document.refresh_from_db()


def retry(document: Document) -> None:
    """Go on with a document that was refused, failed or was cancelled; else do nothing."""
    with transaction.atomic():
        if held := _held(document, Document.RETRIABLE):
            begin_again(held)
    document.refresh_from_db()


def read_again(document: Document) -> None:
    """Read a document from its beginning; passages that come out as before keep their vectors."""
    with transaction.atomic():
        if held := _held(document):
            held.revision += 1
            begin_again(held)
    document.refresh_from_db()


def read_all_again(documents: QuerySet[Document]) -> int:
    """Read many documents once more, in two statements; returns how many.

    Those that stopped go on from where they did, those that were read begin anew, those that are
    being read go on.
    """
    anew: dict[str, Any] = {
        "state": State.QUEUED, "reason": "", "done": 0, "total": None, "attempts": 0,
        "next_try": None, "stage_began": None, "pulse": None, "ready_at": None,
    }  # fmt: skip
    with transaction.atomic():
        ids = list(
            documents.order_by("pk")
            .select_for_update(no_key=True, of=("self",))
            .values_list("pk", "state")
        )
        stopped = [pk for pk, state in ids if state in Document.RETRIABLE]
        ready = [pk for pk, state in ids if state == State.READY]
        Document.objects.filter(pk__in=stopped).update(**anew)
        never_came = Document.objects.filter(pk__in=stopped, file="", source__startswith="http")
        never_came.update(state=State.FETCHING)
        Document.objects.filter(pk__in=ready).update(**anew, revision=F("revision") + 1)
        queue.ask_for_work(queue.workers())
    return len(stopped) + len(ready)


def learn_again(document: Document) -> None:
    """Embed all passages of a document anew, which is found by words meanwhile."""
    with transaction.atomic():
        if held := _held(document, (State.READY, State.LEARNING)):
            ChunkVector.objects.filter(document_id=held.pk).delete()
            held.state, held.done, held.total = State.LEARNING, 0, held.chunk_count
            held.stage_began, held.ready_at = timezone.now(), None
            held.save()
            queue.ask_for_work()
    document.refresh_from_db()


def _held(document: Document, states: tuple[State, ...] = tuple(State)) -> Document | None:
    """The document's row, held to the end of the transaction, where it is in one of the states."""
    rows = Document.objects.select_for_update(no_key=True)
    return rows.filter(pk=document.pk, state__in=states).first()


def _slice(document_id: int, seconds: float) -> str:
    document = _begin(document_id)
    if document is None:
        return "gone"
    _go_on(document, seconds)
    return _state(document_id)


def _go_on(document: Document, seconds: float) -> None:
    document_id, waited = document.pk, document.next_try is not None
    try:
        if document.state == State.FETCHING:
            pages.bring(document)
        elif document.state == State.READING:
            read(document, seconds)
        elif document.state == State.LEARNING and learn(document, seconds) and waited:
            learning.wake_waiting()
    except MovedOn:
        logger.info("document %d moved on", document_id)
    except Refusal as refusal:
        _refuse(document, str(refusal))
    except NotYet as reason:
        _await(document, str(reason))
    except (OperationalError, InterfaceError):
        raise
    except ChildProcessError as error:
        # Somebody killed the parser, perhaps for want of memory: that is no fault of the file.
        _log(document_id, error)
        if document.attempts >= ATTEMPTS[State.READING]:
            _fail(document, str(error))
    except Exception as error:
        _log(document_id, error)
        _fail(document, _("Something went wrong inside Vaultsite; the log tells more. Try again."))


def _begin(document_id: int) -> Document | None:
    """Count the slice before anything is done in it: a killed worker can count nothing after."""
    now = timezone.now()
    unfinished = Document.objects.unfinished().filter(pk=document_id)
    unfinished.filter(state=State.QUEUED).update(
        state=State.READING, stage_began=now, done=0, total=None
    )
    unfinished.update(pulse=now, attempts=F("attempts") + 1)
    document = Document.objects.select_related("workspace__owner").filter(pk=document_id).first()
    if document is None or document.state not in Document.UNFINISHED:
        return document
    most = ATTEMPTS[State(document.state)]
    if document.attempts > most and document.next_try is None:
        said = _("The worker stopped %(times)s times in a row at this document. Try again.")
        _fail(document, said % {"times": most})
    return document


def _state(document_id: int) -> str:
    rows = Document.objects.filter(pk=document_id).values_list("state", flat=True)
    return rows.first() or "gone"


def _refuse(document: Document, reason: str) -> None:
    """Nothing of a refused file is found: what was read of it before goes as well."""
    try:
        with checkpoint(document):
            reading.forget(document)
            document.part_count = document.chunk_count = 0
            document.state, document.reason = State.REFUSED, reason
        _refresh_statistics(document)
    except MovedOn:
        logger.info("document %d moved on before it was refused", document.pk)


def _await(document: Document, reason: str) -> None:
    """What reads it is not here yet: back to the queue, until the sweep sees that it has come."""
    Document.objects.filter(pk=document.pk, revision=document.revision, state=State.READING).update(
        state=State.QUEUED, reason=reason, next_try=timezone.now() + UNTIL_THEN
    )


def _wake_waiting() -> None:
    waiting = Document.objects.filter(state=State.QUEUED, next_try__isnull=False)
    waiting.update(next_try=None, attempts=0, reason="")


def _fail(document: Document, reason: str) -> None:
    """What is stored stays: the next try goes on from there."""
    if document.state == State.FETCHING:
        with contextlib.suppress(MovedOn):
            pages.leave(document, reason)
    Document.objects.filter(
        pk=document.pk, revision=document.revision, state__in=Document.UNFINISHED
    ).update(state=State.FAILED, reason=reason, attempts=0, next_try=None)
    document.state = State.FAILED


def _refresh_statistics(document: Document) -> None:
    for embedding_set in EmbeddingSet.objects.filter(state=EmbeddingSet.State.ACTIVE):
        indexing.refresh_statistics(document.workspace, embedding_set)


def _log(document_id: int, error: BaseException) -> None:
    """Where it went wrong, and the first line of what: the lines after it quote the document."""
    where = "".join(traceback.format_tb(error.__traceback__))
    what = (str(error).splitlines() or [""])[0][:200]
    logger.error("document %d: %s: %s\n%s", document_id, type(error).__name__, what, where)
