"""Follow a workshop: open lessons, have them written, tick them off."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.library import coverage
from apps.progress import ledger
from apps.progress.kinds import Kind
from apps.study import generation, starting
from apps.study.lesson import PIECES
from apps.study.models import Job, Lesson, Question, Quiz, Workshop

RECAP = 5  # questions


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a workshop is."""

    lessons: list[Lesson]
    completed: int

    @property
    def next(self) -> Lesson | None:
        """The first lesson that is not completed."""
        return next((each for each in self.lessons if each.completed_at is None), None)


def standing(workshop: Workshop) -> Standing:
    """The lessons in order, each with its job at hand."""
    lessons = list(workshop.lessons.select_related("job"))
    return Standing(lessons, sum(each.completed_at is not None for each in lessons))


@transaction.atomic
def write(lesson: Lesson, *, anew: bool = False) -> Job | None:
    """Have a lesson written: once, however often it is asked for; `anew` makes another take of a
    finished one, from other passages where there are more."""
    locked = Lesson.objects.select_for_update().select_related("workshop").get(pk=lesson.pk)
    job = locked.job
    if (job and not job.ended) or (locked.made_at and not anew):
        return job
    if job and not anew:
        generation.go_on(job)
        return job
    workshop = locked.workshop
    take = job.options.get("take", 0) + 1 if job else 0
    locked.job = Job.objects.create(
        owner=workshop.owner,
        workspace=workshop.workspace,
        kind=Job.Kind.LESSON,
        difficulty=workshop.difficulty,
        options={"take": take},
        asked=PIECES + 1,
    )
    locked.save(update_fields=["job"])
    generation.start(locked.job)
    return locked.job


def opened(person: User, lesson: Lesson) -> None:
    """Note that a written lesson was opened, once a day, and that its passages were read."""
    if lesson.made_at is None:
        return
    day = timezone.now().date()
    ledger.record(
        person,
        Kind.LESSON_OPENED,
        key=f"lesson-{lesson.pk}-opened-{day}",
        workshop=lesson.workshop_id,
        lesson=lesson.pk,
        **generation.waited(lesson.job),
    )
    coverage.mark(lesson.sources.exclude(chunk=None).values_list("chunk", flat=True), "read")


@transaction.atomic
def complete(person: User, lesson: Lesson) -> None:
    """Tick a lesson off; with the last one the workshop is complete. Twice is once."""
    now = timezone.now()
    Lesson.objects.filter(pk=lesson.pk, completed_at=None).update(completed_at=now)
    facts: dict[str, Any] = {
        "workshop": lesson.workshop_id,
        "difficulty": lesson.workshop.difficulty,
    }
    ledger.record(
        person,
        Kind.LESSON_COMPLETED,
        key=f"lesson-{lesson.pk}-completed",
        lesson=lesson.pk,
        minutes=lesson.minutes,
        **facts,
    )
    workshop = lesson.workshop
    unfinished = workshop.job is not None and not workshop.job.ended
    if unfinished or workshop.lessons.filter(completed_at=None).exists():
        return
    Workshop.objects.filter(pk=workshop.pk, completed_at=None).update(completed_at=now)
    ledger.record(
        person,
        Kind.WORKSHOP_COMPLETED,
        key=f"workshop-{workshop.pk}-completed",
        count=workshop.lessons.count(),
        **facts,
    )


@transaction.atomic
def undo(lesson: Lesson) -> None:
    """Take the tick away; what was earned stays."""
    Lesson.objects.filter(pk=lesson.pk).update(completed_at=None)
    Workshop.objects.filter(pk=lesson.workshop_id).update(completed_at=None)


def recap(workshop: Workshop) -> Quiz | None:
    """A quiz of five on the same documents, being made; None where nobody knows which any more."""
    if workshop.job is None:
        return None
    job = starting.again(workshop.job, Job.Kind.QUIZ, RECAP)
    title = _("Recap: %(title)s") % {"title": workshop.title}
    return starting.work_of(Quiz, job, title, types=list(Question.Type.values))
