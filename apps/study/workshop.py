"""Make a workshop: its lessons one by one from the documents' own order, then what it is about.

The outline is the documents': neighbouring passages make a lesson. A model only names what is
there, in small asks; where it fails, headings and sentences of the documents do.
"""

from collections.abc import Callable, Iterator

from django.db import transaction

from apps.library.models import Chunk
from apps.progress import ledger
from apps.progress.kinds import Kind
from apps.study import denial, generation, outlining, quality, sampling
from apps.study.authoring import Author
from apps.study.generation import MAKERS, Maker, Rejected
from apps.study.models import Job, Lesson, Workshop
from apps.study.outlining import best_sentences, crumb, excerpt, pick, smooth
from apps.study.workshop_prompts import Framed, Outlined
from apps.web.telling import gettext as _
from apps.web.telling import ngettext

SHOWN = 3  # passages of a lesson that the model sees to name it
SHOWN_CHARACTERS = 300  # of each
PASSAGES = 5  # of a lesson that are written about
CHARACTERS_A_MINUTE = 900
LEAST_MINUTES, MOST_MINUTES = 3, 15
POINTS = 5
ENOUGH = 0.5  # share of a title's words that must stand in the passages
OBJECTIVE = {
    "en": "Say what the text tells about “{}”.",
    "de": "Sagen, was der Text über „{}“ sagt.",
}


def make(job: Job, stop_when: Callable[[], bool]) -> Iterator[Callable[[], None] | Rejected]:
    """One lesson of the outline for each group of passages, then what the whole is about."""
    author = Author(job, stop_when)
    for ids in _plan(job)[job.tried :]:
        found = Chunk.objects.select_related("document").in_bulk(ids)
        chunks = [found[pk] for pk in ids if pk in found]
        if chunks:
            yield _lesson(job, chunks, author)
        else:
            yield Rejected("the passages of the lesson are gone")
    _frame(job, author)


def finish(job: Job) -> None:
    """Say what the whole is about."""
    _frame(job, Author(job, lambda: Job.objects.filter(pk=job.pk, cancel_asked=True).exists()))


def shortfall(job: Job) -> str:
    """Why there are fewer lessons than asked for."""
    if not job.made:
        return sampling.too_little(job, _("a lesson needs a few sentences"))
    return _(
        "%(made)s of %(asked)s lessons: there is no more text in what you chose. Make another "
        "workshop from more documents for more lessons."
    ) % {"made": job.made, "asked": job.asked}


def minutes(characters: int) -> int:
    """The time it takes to read so much and think about it, 3 to 15."""
    return max(LEAST_MINUTES, min(MOST_MINUTES, round(characters / CHARACTERS_A_MINUTE)))


def _plan(job: Job) -> list[list[int]]:
    """The ids of the chunks of each lesson; made once and kept."""
    if not job.plan:
        job.plan = outlining.groups(job, job.asked)
        job.save(update_fields=["plan"])
    return list(job.plan)


def _lesson(job: Job, chunks: list[Chunk], author: Author) -> Callable[[], None]:
    workshop: Workshop = job.workshop
    language = chunks[0].document.language
    texts = [smooth(excerpt(chunk.text)) for chunk in chunks]
    written = pick(range(len(chunks)), PASSAGES)  # the lesson will be about these
    material = "\n\n".join(
        f"{crumb(chunks[n].heading)}\n{texts[n][:SHOWN_CHARACTERS]}".strip()
        for n in pick(written, SHOWN)
    )
    earlier = list(workshop.lessons.values_list("title", flat=True))
    told = author.ask(Outlined, material, language, lambda item: _named(item, material, earlier))
    title = told.title if told else _heading(chunks, earlier)
    known = language if language in OBJECTIVE else "en"
    objective = told.objective if told else OBJECTIVE[known].format(title)
    point = told.key_point if told else next(iter(best_sentences(" ".join(texts), 1)), "")
    ids = [chunk.pk for chunk in chunks]
    length = sum(len(texts[n]) for n in written)

    def store() -> None:
        Lesson.objects.create(
            workshop=workshop,
            ordinal=job.made,
            title=title[:200],
            minutes=minutes(length),
            passages=ids,
        )
        workshop.objectives = [*workshop.objectives, objective]
        workshop.key_points = [*workshop.key_points, *([point] if point else [])]
        workshop.language = workshop.language or language
        workshop.save(update_fields=["objectives", "key_points", "language"])
        author.store_rejections()

    return store


def _named(item: Outlined, material: str, earlier: list[str]) -> Outlined:
    """The item as it is. Raises Rejected."""
    item.title = item.title.strip(" .:\"'“”„")
    if quality.support(item.title, material) < ENOUGH:
        raise Rejected("the title is not about the passages")
    if quality.repeats(item.title, earlier):
        raise Rejected("another lesson has this title")
    if quality.other_language(f"{item.title}. {item.key_point}", material):
        raise Rejected("it is in another language than the passages")
    if quality.support(item.key_point, material) < ENOUGH or item.key_point[-1] not in ".!?":
        raise Rejected("the key point is not in the passages")
    if denial.contradicts(item.key_point, material):
        raise Rejected("the passages say no where the key point says yes, or the other way round")
    if quality.support(item.objective, material) < ENOUGH / 2:
        raise Rejected("the objective is not about the passages")
    return item


def _heading(chunks: list[Chunk], earlier: list[str]) -> str:
    """What the documents call these passages: the first heading that no lesson has yet."""
    for chunk in chunks:
        title = crumb(chunk.heading)
        if len(title) >= 3 and title not in earlier:
            return title
    document = chunks[0].document
    return f"{document.title or document.name}, {chunks[0].label}"


def _frame(job: Job, author: Author) -> None:
    """Title, summary, and the five most spread of what the lessons say; once."""
    workshop: Workshop = job.workshop
    lessons = list(workshop.lessons.values_list("title", flat=True))
    if workshop.summary or not lessons:
        return
    points = pick(workshop.key_points, POINTS)
    lines = [
        f"{title}: {point}" for title, point in zip(lessons, workshop.key_points, strict=False)
    ]
    material = "\n".join(lines or lessons)
    told = author.ask(Framed, material, workshop.language, lambda item: _framed(item, material))
    summary = ngettext(
        "%(count)s lesson: “%(first)s”.",
        "%(count)s lessons, from “%(first)s” to “%(last)s”.",
        len(lessons),
    ) % {"count": len(lessons), "first": lessons[0], "last": lessons[-1]}
    with transaction.atomic():
        untouched = Workshop.objects.filter(pk=workshop.pk, title=workshop.scope_label[:200])
        if told:
            untouched.update(title=told.title)
        Workshop.objects.filter(pk=workshop.pk).update(
            summary=" ".join(told.summary) if told else summary,
            key_points=points,
            objectives=pick(workshop.objectives, POINTS),
        )
        author.store_rejections()
        ledger.record(
            workshop.owner,
            Kind.WORKSHOP_CREATED,
            key=f"workshop-{workshop.pk}-created",
            workshop=workshop.pk,
            count=len(lessons),
            difficulty=workshop.difficulty,
            **generation.waited(workshop.job),
        )


def _framed(item: Framed, material: str) -> Framed:
    """The item with those of its sentences that the lessons bear out. Raises Rejected."""
    item.title = item.title.strip(" .:\"'“”„")
    if quality.support(item.title, material) < ENOUGH:
        raise Rejected("the title is not about the lessons")
    if quality.support(item.summary[0], material) < ENOUGH:
        raise Rejected("the lessons do not bear the summary out")
    if denial.contradicts(item.summary[0], material):
        raise Rejected("the lessons say no where the summary says yes, or the other way round")
    item.summary = [
        each
        for each in item.summary
        if quality.support(each, material) >= ENOUGH and not denial.contradicts(each, material)
    ]
    if quality.other_language(" ".join(item.summary), material):
        raise Rejected("it is in another language than the lessons")
    return item


MAKERS[Job.Kind.WORKSHOP] = Maker(make, finish, shortfall)
