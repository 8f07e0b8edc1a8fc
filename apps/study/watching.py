"""How far a job is, in words and figures."""

from dataclasses import dataclass

from django.urls import reverse
from django.utils import timezone

from apps.study import generation
from apps.study.models import Job

NOUNS = {
    Job.Kind.QUIZ: "question",
    Job.Kind.WORKSHOP: "lesson",
    Job.Kind.LESSON: "part",
    Job.Kind.DECK: "card",
    Job.Kind.MINDMAP: "step",
}


@dataclass(frozen=True, slots=True)
class Watch:
    job: Job
    noun: str
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
    return Watch(job, NOUNS[Job.Kind(job.kind)], ahead, left, job.tried - job.made)


def address(job: Job) -> str:
    """Where the thing that the job makes is shown."""
    for name in ("quiz", "workshop", "lesson", "deck", "mindmap"):
        made = getattr(job, name, None)
        if made is not None:
            return str(made.get_absolute_url())
    return reverse("study:home")
