"""Have answers written by this process: start one, stop one, find those nobody writes any more.

start(answer) → a thread tells steps → the step writer writes them down → followers read them
"""

import logging
import threading
import time
from datetime import timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Max, QuerySet
from django.db.models.functions import Now
from django.utils import translation

from apps.chat import step_writer
from apps.chat.answer import Question, answer_to
from apps.chat.halting import Halted
from apps.chat.models import Answer, Citation, Step, Turn
from apps.chat.queue import wait_for_model
from apps.chat.steps import Account, Ended, Found, row
from apps.llm.client import ModelError
from apps.web.database import borrowed
from apps.web.telling import gettext as _

log = logging.getLogger(__name__)


def begin(turn: Turn, way: str = "") -> Answer:
    """Start the next version of the answer to a turn, as soon as the transaction is through.

    `way` is that of `Question.of_turn`: from whatever passages there are, or without the web.
    """
    with transaction.atomic():
        Turn.objects.select_for_update().get(pk=turn.pk)  # two tries at once become 2 and 3
        turn.answers.filter(chosen=True).update(chosen=False)  # the new one counts
        last = turn.answers.aggregate(last=Max("version"))["last"] or 0
        answer = turn.answers.create(version=last + 1)
        transaction.on_commit(lambda: start(answer, way))
    return answer


def start(answer: Answer, way: str = "") -> None:
    """Have the answer written, whoever watches."""
    draft = step_writer.Draft(answer.pk)
    step_writer.take(draft)
    threading.Thread(
        target=_write,
        args=(answer.turn_id, draft, way, translation.get_language() or settings.LANGUAGE_CODE),
        name=f"answer-{answer.pk}",
        daemon=True,
    ).start()


def _write(turn_id: int, draft: step_writer.Draft, way: str, spoken: str) -> None:
    """Tell the whole answer, in the reader's language what is not the model's.

    Every way out tells an end.
    """
    translation.activate(spoken)  # the thread ends with the answer
    try:
        with borrowed():
            question = Question.of_turn(turn_id, way)
        queue = wait_for_model(draft.answer_id, draft.halt)
        for step in answer_to(question, draft.halt, queue):
            draft.halt.check()
            if isinstance(step, Found):
                _keep(draft.answer_id, step)
            draft.tell(step)
        end = Ended(Answer.State.FINISHED)
    except Halted as halted:
        end = Ended(str(halted))
    except ModelError as error:
        end = Ended(Answer.State.FAILED, str(error))
    except Exception:
        log.exception("Answer %s failed.", draft.answer_id)
        end = Ended(
            Answer.State.FAILED, _("Something went wrong here; the log of this server says what.")
        )
    draft.tell(end)


def _keep(answer_id: int, source: Found) -> None:
    """Store a source as it stands now; it outlives the passage it points to."""
    citation = Citation(
        answer_id=answer_id,
        number=source.number,
        chunk_id=source.chunk,
        document_id=source.document,
        document_name=source.title,
        kind=source.kind,
        place=source.place,
        label=source.label,
        quote=source.quote,
        score=source.score,
        attachment_id=source.attachment,
        url=source.url,
    )
    with borrowed():
        try:
            citation.save(force_insert=True)
        except IntegrityError:  # the document was deleted between the search and now
            citation.chunk_id = citation.document_id = citation.attachment_id = None
            citation.save(force_insert=True)


def stop(answer: Answer) -> None:
    """End the answer: at once if it is written here, within a second if elsewhere."""
    Answer.objects.being_written().filter(pk=answer.pk).update(stop_asked=True)
    if draft := step_writer.find(answer.pk):
        draft.stop()


def find_broken_off(answers: QuerySet[Answer] | None = None) -> int:
    """End every answer whose writer is dead, keeping its words. Returns how many.

    Called when a server starts, and by whoever waits for an answer and hears nothing.
    The database's clock alone decides. A row that is locked is being written.
    """
    waiting = Answer.objects.all() if answers is None else answers
    patience = timedelta(seconds=settings.PATIENCE)
    silent = waiting.filter(state=Answer.State.WRITING, pulse__lt=Now() - patience)
    with transaction.atomic():
        dead = list(silent.select_for_update(skip_locked=True, of=("self",)))
        for answer in dead:
            _break_off(answer)
    return len(dead)


def _break_off(answer: Answer) -> None:
    rows = answer.steps.order_by("number").values_list("number", "kind", "body")
    end = Ended(Answer.State.BROKEN_OFF)
    account = Account().and_then(rows).adding(end)
    kind, body = row(end)
    Step.objects.create(answer=answer, number=account.number + 1, kind=kind, body=body)
    step_writer.close(answer.pk, account)


def wind_up(seconds: float = 3) -> None:
    """End all answers of this process because it is about to end."""
    for draft in step_writer.at_work():
        draft.halt.press("broken off")
    deadline = time.monotonic() + seconds
    while step_writer.at_work() and time.monotonic() < deadline:
        time.sleep(0.02)


def sweep(older_than: timedelta) -> None:
    """Remove the steps of answers that ended long ago, save the last; the answer has it all."""
    with borrowed():
        ended = Answer.objects.exclude(state=Answer.State.WRITING)
        steps = Step.objects.filter(answer__in=ended.filter(pulse__lt=Now() - older_than))
        steps.exclude(kind="ended").delete()
