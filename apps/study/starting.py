"""Begin to make something: the job, its scope, what it is called; and let go of it again."""

from typing import TypeVar

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from apps.library.models import Category, Document
from apps.study import generation, sampling
from apps.study.forms import ScopeForm
from apps.study.models import Deck, Job, Mindmap, Quiz, Work, Workshop

AnyWork = TypeVar("AnyWork", Quiz, Workshop, Deck, Mindmap)


class NothingLeft(ValueError):
    """Every passage that was chosen has been touched; it says so in words."""


@transaction.atomic
def job_of(person: User, kind: Job.Kind, form: ScopeForm) -> Job:
    """A stored job with what the form says; not in the queue yet, see `generation.start`.

    Raises `NothingLeft`, and stores nothing, where only the untouched is wanted and there is none.
    """
    told = form.cleaned_data
    job = Job.objects.create(
        owner=person,
        workspace=form.workspace,
        kind=kind,
        everywhere=form.everywhere,
        untouched_only=told.get("untouched_only", False),
        difficulty=told.get("difficulty", "beginner"),
        asked=told.get("asked", 1),
        options={"quick": True} if told.get("quick") else {},
    )
    job.categories.set(Category.objects.filter(workspace=form.workspace, pk__in=form.chosen("c")))
    job.documents.set(Document.objects.filter(workspace=form.workspace, pk__in=form.chosen("d")))
    if job.untouched_only and not sampling.candidates(job):
        raise NothingLeft(sampling.too_little(job, ""))  # and the job is not kept
    return job


@transaction.atomic
def again(job: Job, kind: Job.Kind, asked: int) -> Job:
    """A job for something else from the same scope at the same level; not in the queue yet."""
    other = Job.objects.create(
        owner=job.owner,
        workspace=job.workspace,
        kind=kind,
        everywhere=job.everywhere,
        difficulty=job.difficulty,
        model=job.model,
        asked=asked,
    )
    other.categories.set(job.categories.all())
    other.documents.set(job.documents.all())
    return other


def work_of(model: type[AnyWork], job: Job, title: str = "", **more: object) -> AnyWork:
    """What a stored job makes, begun; it is called after its scope if not otherwise."""
    label = scope_label(job)
    work = model.objects.create(
        owner=job.owner,
        workspace=job.workspace,
        job=job,
        title=(title or label)[:200],
        scope_label=label,
        difficulty=job.difficulty,
        **more,
    )
    generation.start(job)
    return work


def discard(work: Work) -> None:
    """Delete what was made, and stop whatever is still being made for it."""
    jobs = [work.job] if work.job else []
    if isinstance(work, Workshop):
        jobs += Job.objects.filter(lesson__workshop=work)
    for job in jobs:
        generation.cancel(job)
    work.delete()


def scope_label(job: Job) -> str:
    """What it is made from, in words: "Lease.pdf and Rules.md", "Contracts and 3 documents"."""
    if job.everywhere:
        return _("Everything in %(workspace)s") % {"workspace": job.workspace}
    documents = list(job.documents.values_list("name", flat=True)[:3])
    names = list(job.categories.values_list("name", flat=True))
    if len(documents) <= 2:
        names += documents
    else:
        names.append(_("%(count)s documents") % {"count": job.documents.count()})
    if len(names) < 2:
        return "".join(names)[:300]
    told = {"names": ", ".join(names[:-1]), "last": names[-1]}
    return (_("%(names)s and %(last)s") % told)[:300]
