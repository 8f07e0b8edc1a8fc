"""How far a job is, in words and figures."""

from dataclasses import dataclass

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.study import generation
from apps.study.models import Job

MAKING = {
    Job.Kind.QUIZ: _("Making question %(number)s of %(asked)s"),
    Job.Kind.WORKSHOP: _("Making lesson %(number)s of %(asked)s"),
    Job.Kind.LESSON: _("Making part %(number)s of %(asked)s"),
    Job.Kind.DECK: _("Making card %(number)s of %(asked)s"),
    Job.Kind.MINDMAP: _("Making step %(number)s of %(asked)s"),
}


@dataclass(frozen=True, slots=True)
class Watch:
    job: Job
    making: str  # what it is at, in words
    ahead: int  # jobs of the same person before it
    seconds_left: float | None  # known from the pace so far
    rejected: int  # tried and not let through


def watch(job: Job) -> Watch:
    """The job as a page shows it."""
    ahead = generation.ahead_of(job) if job.state == Job.State.QUEUED else 0
    left = None
    if job.state == Job.State.RUNNING and job.began_at and job.made:
        pace = (timezone.now() - job.began_at).total_seconds() / job.made
        left = pace * (job.asked - job.made)
    making = MAKING[Job.Kind(job.kind)] % {"number": job.made + 1, "asked": job.asked}
    return Watch(job, making, ahead, left, job.tried - job.made)


def address(job: Job) -> str:
    """Where the thing that the job makes is shown."""
    for name in ("quiz", "workshop", "lesson", "deck", "mindmap"):
        made = getattr(job, name, None)
        if made is not None:
            return str(made.get_absolute_url())
    return reverse("study:home")
