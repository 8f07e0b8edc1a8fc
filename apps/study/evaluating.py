"""Measures what is made for practice: each document of a folder in a workspace of its own.

Nothing is judged by a model. What a rule can tell is counted: how many items came, whether any
repeats another, whether the quote that proves an item stands in its passage, how often the gate
said no, and how long it took. The workspace and all in it is removed again.
"""

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.contrib.auth.models import User

from apps.library import folders, ingestion
from apps.library.models import Chunk, Document, Workspace
from apps.llm import catalogue
from apps.study import denial, generation, quality, wording
from apps.study.lesson import HEADING, PIECES
from apps.study.models import Card, Deck, Job, Lesson, Mindmap, Question, Quiz, Work, Workshop

logger = logging.getLogger(__name__)
PAUSE = 0.2  # seconds between two looks at what another worker does
# Items asked for: questions, cards, branches, lessons.
USUAL = {Job.Kind.QUIZ: 5, Job.Kind.DECK: 10, Job.Kind.MINDMAP: 5, Job.Kind.WORKSHOP: 3}
OF_MACHINES = ("json", "unreadable", "traceback", "validation", "{")  # no words for a person


def evaluate(
    folder: Path, *, count: int | None = None, kinds: Sequence[str] = (), items: bool = False
) -> dict[str, Any]:
    """The figures of each document and of all, as `evaluate_study --json` prints them.

    Raises OSError where the folder is not there and LookupError where nothing is in it or nothing
    of a kind can be made.
    """
    files = folders.files_below([folder])
    if not files:
        raise LookupError(f"{folder} holds no file.")
    wanted = _wanted(kinds)
    rows = [_of_document(path, wanted, count, items) for path in files]
    return {"model": catalogue.chat_model().name, "documents": rows, "total": _total(rows)}


def _wanted(kinds: Sequence[str]) -> list[Job.Kind]:
    able = [kind for kind in USUAL if kind in generation.MAKERS]
    if unknown := [kind for kind in kinds if kind not in able]:
        raise LookupError(f"{', '.join(unknown)}: not one of {', '.join(able)}.")
    return [kind for kind in able if not kinds or kind in kinds]


def _of_document(
    path: Path, kinds: Sequence[Job.Kind], count: int | None, items: bool
) -> dict[str, Any]:
    with scratch() as workspace:
        document, reason = read(workspace, path)
        row: dict[str, Any] = {"document": path.name, "status": "refused", "reason": reason}
        if document is None:
            return row
        row |= {
            "status": "read",
            "language": document.language,
            "passages": document.chunk_count,
        }
        for kind in kinds:
            row[kind] = measure(document, kind, count or USUAL[kind], items=items)
            logger.info("%s: %s %s", path.name, kind, row[kind])
        return row


@contextmanager
def scratch() -> Iterator[Workspace]:
    """A workspace of a person who is nobody; both are gone at the end, files included."""
    owner = User.objects.create(username=f"evaluation-{uuid4().hex[:12]}", is_active=False)
    workspace = Workspace.objects.create(owner=owner, name="Evaluation")
    try:
        yield workspace
    finally:
        ingestion.discard_workspace(workspace)
        owner.delete()


def read(workspace: Workspace, path: Path) -> tuple[Document | None, str]:
    """The document with its passages, words enough; or none and the reason."""
    taken = folders.import_files(workspace, [path])[0]
    document = Document.objects.filter(pk=taken.document).first() if taken.document else None
    while document and document.state in (Document.State.QUEUED, Document.State.READING):
        if ingestion.work(document.pk) == "busy":
            time.sleep(PAUSE)
        document.refresh_from_db()
    if document is None or not document.chunk_count:
        reason = document.reason if document else taken.reason
        return None, reason or "There is no text in it."
    return document, ""


def measure(document: Document, kind: Job.Kind, asked: int, *, items: bool) -> dict[str, Any]:
    """Let the job be done as the worker would, and count."""
    job = Job.objects.create(
        owner=document.workspace.owner, workspace=document.workspace, kind=kind, asked=asked
    )
    job.documents.add(document)
    work = BEGIN[kind](job)
    seconds = _work_off(job)
    asked = job.asked  # a map settles itself how many branches its documents have
    reasons = Counter(job.rejections.values_list("reason", flat=True))
    tried = job.made + reasons.total()
    figures: dict[str, Any] = {
        "asked": asked,
        "made": job.made,
        "exact": job.made == asked,
        "state": job.state,
        "reason": job.reason,
        "json_errors": int(any(word in job.reason.lower() for word in OF_MACHINES)),
        "rejected": reasons.total(),
        "rejection_rate": round(reasons.total() / tried, 3) if tried else 0.0,
        "rejections": dict(reasons.most_common()),
        "seconds": round(seconds, 1),
        "seconds_per_item": round(seconds / job.made, 1) if job.made else None,
    }
    return figures | TOLD[kind](work, items)


def _work_off(job: Job) -> float:
    """Slices until the job is at rest; the seconds they took."""
    began = time.monotonic()
    while not job.ended:
        if not generation.work_on(job):
            time.sleep(PAUSE)
        job.refresh_from_db()
    return time.monotonic() - began


def _quiz_begun(job: Job) -> Work:
    types = list(Question.Type.values)
    return Quiz.objects.create(**_common(job), types=types)


def _deck_begun(job: Job) -> Work:
    return Deck.objects.create(**_common(job))


def _mindmap_begun(job: Job) -> Work:
    return Mindmap.objects.create(**_common(job))


def _workshop_begun(job: Job) -> Work:
    return Workshop.objects.create(**_common(job))


def _common(job: Job) -> dict[str, Any]:
    document = job.documents.get()
    return {
        "owner": job.owner,
        "workspace": job.workspace,
        "job": job,
        "title": document.name[:200],
        "scope_label": document.name,
    }


def _quiz_told(quiz: Work, items: bool) -> dict[str, Any]:
    questions = list(Question.objects.filter(quiz=quiz.pk).select_related("chunk"))
    choices = [each for each in questions if each.type == Question.Type.MCQ]
    told: dict[str, Any] = {
        "duplicates": duplicates([each.stem for each in questions]),
        "unsupported": sum(not proven(each.quote, each.chunk) for each in questions),
        "by_rule": quiz.job.options.get("by_rule", 0) if quiz.job else 0,
        "positions": [sum(each.answer == n for each in choices) for n in range(4)],
        "true": sum(not each.answer for each in questions if each not in choices),
        "false": sum(each.answer for each in questions if each not in choices),
    }
    if items:
        told["items"] = [
            {
                "type": each.type,
                "question": each.stem,
                "options": each.options,
                "answer": each.options[each.answer],
                "explanation": each.explanation,
                "quote": each.quote,
            }
            for each in questions
        ]
    return told


def _deck_told(deck: Work, items: bool) -> dict[str, Any]:
    cards = list(Card.objects.filter(deck=deck.pk).select_related("chunk"))
    told: dict[str, Any] = {
        "by_rule": deck.job.options.get("by_rule", 0) if deck.job else 0,
        "duplicates": duplicates([each.front for each in cards]),
        "unsupported": sum(not proven(each.quote, each.chunk) for each in cards),
    }
    if items:
        told["items"] = [
            {"front": each.front, "back": each.back, "quote": each.quote} for each in cards
        ]
    return told


def _mindmap_told(mindmap: Work, items: bool) -> dict[str, Any]:
    tree = Mindmap.objects.get(pk=mindmap.pk).tree
    labels = [node["label"] for node in _nodes(tree)]
    told: dict[str, Any] = {
        "labels": len(labels),
        "duplicates": len(labels) - len({quality.plain(label) for label in labels}),
        "too_long": sum(len(label) > 60 for label in labels),
    }
    return told | ({"items": tree} if items else {})


def _workshop_told(workshop: Work, items: bool) -> dict[str, Any]:
    """Every lesson is written, and each of its sentences compared with the passage it cites."""
    lessons = list(Lesson.objects.filter(workshop=workshop.pk))
    seconds = sum(_write(lesson, workshop) for lesson in lessons)
    told = [each for lesson in lessons for each in _sentences(lesson)]
    figures: dict[str, Any] = {
        "written": sum(lesson.made_at is not None for lesson in lessons),
        "lesson_seconds": round(seconds, 1),
        "sentences": len(told),
        "duplicates": len(lessons) - len({quality.plain(lesson.title) for lesson in lessons}),
        "unsupported": sum(not wording.supports(*each) for each in told),
        "contradicted": sum(denial.contradicts(*each) for each in told),
        "word_for_word": sum(quality.in_passage(*each) for each in told),
    }
    return figures | ({"items": [_lesson_told(lesson) for lesson in lessons]} if items else {})


def _write(lesson: Lesson, workshop: Work) -> float:
    """Have a lesson written; the seconds it took."""
    lesson.job = Job.objects.create(
        owner=workshop.owner,
        workspace=workshop.workspace,
        kind=Job.Kind.LESSON,
        difficulty=workshop.difficulty,
        asked=PIECES + 1,
    )
    lesson.save(update_fields=["job"])
    seconds = _work_off(lesson.job)
    lesson.refresh_from_db()
    return seconds


def _sentences(lesson: Lesson) -> Iterator[tuple[str, str]]:
    """The words of each statement of a lesson, and the text of the passages it cites."""
    quotes = dict(lesson.sources.values_list("number", "quote"))
    written = "\n".join([lesson.introduction, HEADING.sub("", lesson.core), lesson.takeaways])
    for line in filter(str.strip, written.split("\n")):
        for sentence in wording.SPLIT.split(line.removeprefix("- ")):
            numbers = map(int, wording.CITED.findall(sentence))
            yield wording.plain(sentence), "\n".join(quotes.get(each, "") for each in numbers)


def _lesson_told(lesson: Lesson) -> dict[str, Any]:
    fields = ("title", "introduction", "core", "takeaways", "self_check")
    quotes = [source.quote for source in lesson.sources.all()]
    return {name: getattr(lesson, name) for name in fields} | {"quotes": quotes}


def _nodes(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if tree:
        yield tree
    for child in tree.get("children", []):
        yield from _nodes(child)


def duplicates(texts: Sequence[str]) -> int:
    """How many of the texts say nearly what an earlier one says."""
    return sum(quality.repeats(text, texts[:n]) for n, text in enumerate(texts))


def proven(quote: str, chunk: Chunk | None) -> bool:
    """Whether the quote stands in the passage it is said to be from."""
    return chunk is not None and quality.in_passage(quote, chunk.text)


def _total(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The figures named in the goals, over all documents that could be read."""
    runs = [row[kind] for row in rows for kind in USUAL if kind in row]
    made = sum(run["made"] for run in runs)
    tried = made + sum(run["rejected"] for run in runs)
    return {
        "runs": len(runs),
        "exact": round(sum(run["exact"] for run in runs) / len(runs), 3) if runs else 0.0,
        "made": made,
        "asked": sum(run["asked"] for run in runs),
        "duplicates": sum(run["duplicates"] for run in runs),
        "unsupported": sum(run.get("unsupported", 0) for run in runs),
        "json_errors": sum(run["json_errors"] for run in runs),
        "rejection_rate": round(1 - made / tried, 3) if tried else 0.0,
        "seconds_per_item": (
            round(sum(run["seconds"] for run in runs) / made, 1) if made else None
        ),
    }


BEGIN: dict[Job.Kind, Callable[[Job], Work]] = {
    Job.Kind.QUIZ: _quiz_begun,
    Job.Kind.DECK: _deck_begun,
    Job.Kind.MINDMAP: _mindmap_begun,
    Job.Kind.WORKSHOP: _workshop_begun,
}
TOLD: dict[Job.Kind, Callable[[Work, bool], dict[str, Any]]] = {
    Job.Kind.QUIZ: _quiz_told,
    Job.Kind.DECK: _deck_told,
    Job.Kind.MINDMAP: _mindmap_told,
    Job.Kind.WORKSHOP: _workshop_told,
}
