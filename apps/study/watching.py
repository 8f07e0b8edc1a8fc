"""How far a job is, in words and figures.

What is left is guessed from the tries so far, and said no more exactly than a guess deserves.
"""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.urls import reverse
from django.utils import formats, timezone
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from apps.study import generation
from apps.study.models import Deck, Job, Lesson, Mindmap, Quiz, Workshop

MAKING = {
    Job.Kind.QUIZ: _("Making question %(number)s of %(asked)s"),
    Job.Kind.WORKSHOP: _("Making lesson %(number)s of %(asked)s"),
    Job.Kind.LESSON: _("Making part %(number)s of %(asked)s"),
    Job.Kind.DECK: _("Making card %(number)s of %(asked)s"),
    Job.Kind.MINDMAP: _("Making branch %(number)s of %(asked)s"),
}
USUAL, LIKE_IT = 0.75, 4  # tries give an item that often; a guess that weighs as much as four tries
MINUTE, HOUR = 60, 3600
FORGOTTEN = timedelta(hours=1)  # without a sign of life, after which a job is not at work


@dataclass(frozen=True, slots=True)
class Watch:
    job: Job
    making: str  # what it is at, in words
    ahead: int  # jobs of the same person before it
    waited: int | None  # seconds, while there is nothing yet
    left: str  # from the pace so far, in words; "" where nothing is known
    rejected: int  # tried and not let through


def watch(job: Job) -> Watch:
    """The job as a page shows it."""
    ahead = generation.ahead_of(job) if job.state == Job.State.QUEUED else 0
    making = MAKING[Job.Kind(job.kind)] % {"number": job.made + 1, "asked": job.asked}
    waited, left = None, ""
    if job.state == Job.State.RUNNING and job.made:
        left = in_words(seconds_left(job, timezone.now()))
    elif job.state == Job.State.RUNNING and job.began_at:
        waited = max(0, int((timezone.now() - job.began_at).total_seconds()))
    return Watch(job, making, ahead, waited, left, job.tried - job.made)


def seconds_left(job: Job, now: datetime) -> float | None:
    """How long the rest will take, None where nothing was tried yet.

    It falls while an item is being made, and stands still where that takes longer than its share.
    """
    if not job.tried or not job.worked:
        return None
    share = job.worked / job.tried
    often = (job.made + USUAL * LIKE_IT) / (job.tried + LIKE_IT)
    spent = (now - job.pulse).total_seconds() if job.pulse else 0
    return share * (job.asked - job.made) / often - min(max(spent, 0), share)


def in_words(seconds: float | None) -> str:
    """A time left: to the minute, from ten on to five, from an hour on to half of one."""
    if seconds is None:
        return ""
    if seconds < MINUTE:
        return gettext("less than a minute left")
    minutes = math.ceil(seconds / MINUTE)
    if minutes > 10:
        minutes = 5 * math.ceil(minutes / 5)
    if minutes < 60:
        told = ngettext("about %(count)s minute left", "about %(count)s minutes left", minutes)
        return told % {"count": minutes}
    halves = math.ceil(2 * seconds / HOUR)
    if halves == 2:
        return gettext("about an hour left")
    hours = formats.number_format(halves / 2, 1 if halves % 2 else 0)
    return gettext("about %(hours)s hours left") % {"hours": hours}


def at_work(person_id: int) -> str:
    """What the worker has the model make, in words: "Quiz: Lease"; of others only that it does."""
    running = Job.objects.filter(state=Job.State.RUNNING, pulse__gt=timezone.now() - FORGOTTEN)
    mine = running.filter(owner=person_id).order_by("-pulse").first()
    if mine is None:
        return gettext("another task") if running.exists() else ""
    return f"{mine.get_kind_display()}: {_made_by(mine) or mine.workspace}"


def address(job: Job) -> str:
    """Where the thing that the job makes is shown."""
    made = _made_by(job)
    return str(made.get_absolute_url()) if made else reverse("study:home")


def _made_by(job: Job) -> Quiz | Workshop | Lesson | Deck | Mindmap | None:
    for name in ("quiz", "workshop", "lesson", "deck", "mindmap"):
        made: Quiz | Workshop | Lesson | Deck | Mindmap | None = getattr(job, name, None)
        if made is not None:
            return made
    return None
