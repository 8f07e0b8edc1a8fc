"""Make what was asked for, item by item, in the worker: the life of a job.

A job's truth is its row. The worker takes a slice of it under a lock of its person, stores each
item with its count in one transaction, and asks for the next slice; a kill loses the item at hand.
What a kind of job makes is told by its module, as a Maker.
"""

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from apps.library.locking import advisory_lock
from apps.llm.client import ModelError
from apps.llm.structured import Stopped, Unreadable
from apps.study import queue
from apps.study.models import Job, Rejection
from apps.web import language
from apps.web.telling import gettext as _

ROOM = 7302  # advisory locks: one job at a time for a person
SLICE_SECONDS = 20.0
MOST_ATTEMPTS = 3  # slices in a row that ended without an item or a word from the model

log = logging.getLogger(__name__)


class Rejected(Exception):
    """An item did not pass the gate; the text is the reason, `item` what it was."""

    def __init__(self, reason: str, item: dict[str, object] | None = None) -> None:
        super().__init__(reason)
        self.item = item or {}


@dataclass(frozen=True, slots=True)
class Maker:
    """How a kind of job makes its items.

    `make(job, stop_when)` yields once for each thing tried: a function that stores the item (run
    in one transaction with the count), or the Rejected that explains why there is none. It starts
    where `job.made` and `job.tried` say. `finish(job)` runs once when all is made; `shortfall`
    says in words why there are fewer than asked for, when `make` has nothing left to try. All are
    called in the language of the job's owner.
    """

    make: Callable[[Job, Callable[[], bool]], Iterator[Callable[[], None] | Rejected]]
    finish: Callable[[Job], None]
    shortfall: Callable[[Job], str]


MAKERS: dict[str, Maker] = {}  # filled by the kinds' modules; see `study.apps`


def start(job: Job) -> None:
    """Put a stored job into its person's queue."""
    queue.ask_for_work()


def cancel(job: Job) -> None:
    """Have the worker stop, in the middle of what the model says too; what is made stays."""
    Job.objects.filter(pk=job.pk, state__in=Job.UNFINISHED).update(cancel_asked=True)
    Job.objects.filter(pk=job.pk, state=Job.State.QUEUED).update(
        state=Job.State.CANCELLED, ended_at=timezone.now()
    )


@transaction.atomic
def go_on(job: Job) -> None:
    """Continue a job that ended early, failed or was cancelled, for what is missing."""
    held = Job.objects.select_for_update().get(pk=job.pk)
    if not held.ended:
        return
    if held.state == Job.State.SHORT:  # all was tried; try all once more
        held.options |= {"continued": held.options.get("continued", 0) + 1}
    held.state, held.reason, held.attempts = Job.State.QUEUED, "", 0
    held.cancel_asked, held.began_at, held.ended_at = False, None, None
    held.save(
        update_fields=[
            *("options", "state", "reason", "attempts", "cancel_asked", "began_at", "ended_at"),
        ]
    )
    queue.ask_for_work()


def work_next() -> str:
    """One slice of the next job of a person nobody works for; "" where there is none."""
    people = Job.objects.unfinished().order_by("pk").values_list("owner", flat=True)
    for owner in dict.fromkeys(people):
        with advisory_lock(ROOM, owner) as free:
            if not free:
                continue
            job = Job.objects.unfinished().filter(owner=owner).in_turn().first()
            if job:
                with language.of(job.owner):
                    _work(job)
                queue.ask_for_work()
                return str(job)
    return ""


def work_on(job: Job) -> bool:
    """One slice of this job; False where its person's work is in other hands just now."""
    with advisory_lock(ROOM, job.owner_id) as free:
        if free:
            job.refresh_from_db()
            if not job.ended:
                with language.of(job.owner):
                    _work(job)
        return free


def sweep() -> None:
    """Each minute: whatever a crash left unfinished goes on."""
    if Job.objects.unfinished().exists():
        queue.ask_for_work()


def ahead_of(job: Job) -> int:
    """How many jobs of the same person are made before this one."""
    waiting = Job.objects.unfinished().filter(owner=job.owner_id).in_turn()
    numbers = list(waiting.values_list("pk", flat=True))
    return numbers.index(job.pk) if job.pk in numbers else 0


def waited(job: Job | None) -> dict[str, Any]:
    """What an act tells of the time that the thing it is about was being made: no study time."""
    if job is None:
        return {}
    return {"waited": [at.isoformat() for at in (job.created_at, job.ended_at or timezone.now())]}


def running_for(person: User) -> list[Job]:
    """The person's jobs that are waiting or running, the oldest first."""
    return list(Job.objects.unfinished().owned_by(person).order_by("pk"))


def _work(job: Job) -> None:
    if job.attempts >= MOST_ATTEMPTS:
        _end(
            job,
            Job.State.FAILED,
            _("This broke off several times. Try again, or ask for less."),
        )
        return
    job.state, job.attempts = Job.State.RUNNING, job.attempts + 1
    job.pulse = timezone.now()
    job.began_at = job.began_at or job.pulse
    job.save(update_fields=["state", "attempts", "began_at", "pulse"])
    try:
        _slice(job, MAKERS[job.kind])
    except Stopped:
        _end(job, Job.State.CANCELLED, "")
    except ModelError as error:
        _end(job, Job.State.FAILED, str(error))
    except Exception:
        log.exception("job %s", job.pk)
        _end(
            job,
            Job.State.FAILED,
            _("Something went wrong here. Try again; the log says more."),
        )


def _slice(job: Job, maker: Maker) -> None:
    until = time.monotonic() + SLICE_SECONDS
    if _cancelled(job):
        raise Stopped
    if job.made < job.asked:
        for outcome in maker.make(job, lambda: _cancelled(job)):
            _store(job, outcome)
            if _cancelled(job):
                raise Stopped
            if job.made >= job.asked:
                break
            if time.monotonic() > until:
                return
        else:
            _end(job, Job.State.SHORT, maker.shortfall(job))
            return
    maker.finish(job)
    _end(job, Job.State.DONE, "")


def _store(job: Job, outcome: Callable[[], None] | Rejected) -> None:
    """One checkpoint: the item, or its rejection, with the counts."""
    with transaction.atomic():
        if isinstance(outcome, Rejected):
            Rejection.objects.create(job=job, reason=str(outcome)[:200], item=outcome.item)
        else:
            outcome()
            job.made += 1
        now = timezone.now()
        job.worked += (now - job.pulse).total_seconds() if job.pulse else 0
        job.tried += 1
        job.attempts, job.pulse = 0, now
        job.save(update_fields=["made", "tried", "attempts", "pulse", "worked"])


def _cancelled(job: Job) -> bool:
    return not Job.objects.filter(pk=job.pk, cancel_asked=False).exists()


def _end(job: Job, state: Job.State, reason: str) -> None:
    Job.objects.filter(pk=job.pk).update(state=state, reason=reason, ended_at=timezone.now())


__all__ = ["MAKERS", "Maker", "Rejected", "Unreadable", "cancel", "go_on", "start", "work_next"]
