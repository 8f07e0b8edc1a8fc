"""Write down what all answers of this process have told, many times a second.

One thread does it for all of them in one transaction, so the load on the
database hardly depends on how many answers are being written or how fast.
The first word after a silence is written at once, the next ones are gathered
for a moment, a longer one the more answers there are. The same transaction is
each answer's sign of life, and brings back whether somebody, in any process,
has asked to stop it.
"""

import logging
import threading
import time
from dataclasses import asdict, replace

from django.db import connection, transaction
from django.utils import timezone

from apps.chat.halting import Halt
from apps.chat.models import Answer, Citation, Step
from apps.chat.notifier import notifier
from apps.chat.steps import Account, AnyStep, Ended, Thought, Wrote, row
from apps.library import coverage
from apps.web.database import borrowed

GAP = 0.02  # seconds between two batches while one answer is written
LONGEST_GAP = 0.05  # seconds, with three answers or more
PULSE = 0.5  # seconds between two signs of life when nothing is told

SIGN_OF_LIFE = """
UPDATE chat_answer SET pulse = now()
WHERE id = ANY(%(answers)s) AND state = 'writing'
RETURNING id, stop_asked
"""

log = logging.getLogger(__name__)


class Draft:
    """What one answer has told, and how much of it is written down."""

    def __init__(self, answer_id: int) -> None:
        self.answer_id = answer_id
        self.halt = Halt()
        self.account = Account()
        self._notifier = notifier(answer_id)
        self._lock = threading.Lock()
        self._told: list[AnyStep] = []
        self._over = False
        self._unwritten: list[Step] = []  # numbered; kept until the transaction is through

    def tell(self, step: AnyStep) -> None:
        """Add a step; words that follow words in the same batch become one step.

        What comes after the end is not heard.
        """
        with self._lock:
            if self._over:
                return
            self._over = isinstance(step, Ended)
            last = self._told[-1] if self._told else None
            if isinstance(step, Wrote | Thought) and type(last) is type(step):
                self._told[-1] = type(step)(last.text + step.text)
            else:
                self._told.append(step)
        _writer.look()

    def stop(self) -> None:
        """End it now, though its thread may be in a search that hears nothing for a while."""
        self.tell(Ended(self.halt.press("stopped")))

    def batch(self) -> list[Step]:
        """The steps to write down: those a failed attempt left over, then the new ones."""
        with self._lock:
            told, self._told = self._told, []
        for step in told:
            number = self.account.number + 1
            self.account = replace(self.account.adding(step), number=number)
            kind, body = row(step)
            self._unwritten.append(
                Step(answer_id=self.answer_id, number=number, kind=kind, body=body)
            )
        return self._unwritten

    def written(self) -> None:
        """The batch can be read by everybody now."""
        if self._unwritten:
            self._unwritten = []
            self._notifier.notify(self.account)


class StepWriter:
    """The thread that writes. It lives while there is an answer to write down."""

    def __init__(self) -> None:
        self._news = threading.Condition()
        self._drafts: dict[int, Draft] = {}
        self._something = False
        self._alive = False

    def drafts(self) -> list[Draft]:
        """The answers of this process that have not ended."""
        with self._news:
            return list(self._drafts.values())

    def take(self, draft: Draft) -> None:
        """Write the draft down from now on, until it has ended."""
        with self._news:
            self._drafts[draft.answer_id] = draft
            if not self._alive:
                self._alive = True
                threading.Thread(target=self._run, name="step-writer", daemon=True).start()

    def look(self) -> None:
        """There is something to write down."""
        with self._news:
            self._something = True
            self._news.notify()

    def draft(self, answer_id: int) -> Draft | None:
        with self._news:
            return self._drafts.get(answer_id)

    def _run(self) -> None:
        while True:
            with self._news:
                if not self._drafts:
                    self._alive = False
                    return
                self._news.wait_for(lambda: self._something, PULSE)
                self._something = False
            drafts = self.drafts()
            try:
                self._forget(_write_down(drafts))
            except Exception:  # the database is away for a moment: the drafts keep what they have
                log.exception("The answers could not be written down; trying again.")
                time.sleep(PULSE)
            time.sleep(min(LONGEST_GAP, GAP * len(drafts)))

    def _forget(self, drafts: list[Draft]) -> None:
        with self._news:
            for draft in drafts:
                self._drafts.pop(draft.answer_id, None)


def _write_down(drafts: list[Draft]) -> list[Draft]:
    """Store what each draft has told; those that are done come back."""
    done = []
    with borrowed(), transaction.atomic(), connection.cursor() as cursor:
        # A crash of the machine may cost the last half second of an answer that is lost anyway.
        cursor.execute("SET LOCAL synchronous_commit TO off")
        cursor.execute(SIGN_OF_LIFE, {"answers": [draft.answer_id for draft in drafts]})
        stop_asked = dict(cursor.fetchall())
        # Given up as dead while this machine slept: its page says so already, let it be.
        overtaken = [draft for draft in drafts if draft.answer_id not in stop_asked]
        writing = [draft for draft in drafts if draft.answer_id in stop_asked]
        steps = [step for draft in writing for step in draft.batch()]
        # A commit whose confirmation got lost is repeated with the same numbers.
        Step.objects.bulk_create(steps, ignore_conflicts=True)
        for draft in writing:
            if draft.account.ended:
                close(draft.answer_id, draft.account)
                done.append(draft)
    for draft in writing:
        draft.written()
        if stop_asked[draft.answer_id]:
            draft.stop()
    for draft in overtaken:
        draft.halt.press("broken off")
    return done + overtaken


def close(answer_id: int, account: Account) -> None:
    """Keep what an ended account adds up to on its answer; call inside a transaction."""
    assert account.ended
    asked = account.asked
    Answer.objects.filter(pk=answer_id).update(
        state=account.ended.state,
        reason=account.ended.reason,
        notice=account.searched.notice if account.searched else "",
        text=account.text,
        thinking=account.thinking,
        refused=account.refused,
        tools=[asdict(each) for each in account.tools],
        claims=[asdict(each) for each in account.claims],
        memory=asdict(account.memory) if account.memory else {},
        model=asked.model if asked else "",
        extractive=bool(asked and asked.extractive),
        ended_at=timezone.now(),
    )
    cited = Citation.objects.filter(answer=answer_id, number__in=account.used)
    cited.update(used=True)
    coverage.mark(cited.filter(chunk__isnull=False).values_list("chunk", flat=True), "cited")


_writer = StepWriter()
take, find, at_work = _writer.take, _writer.draft, _writer.drafts
