"""Choose passages over the whole scope: every document and section has its turn.

Passages are taken in rounds. In each round every document of the scope gives one passage, from the
section it has given least of, so that ten questions about three documents do not all come from the
first pages of one. What earlier items used comes last.
"""

import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db import connection

from apps.library.models import Chunk
from apps.study.models import Job
from apps.web.telling import gettext as _

SHORTEST = 120  # characters; less gives no question worth asking
NO_PROSE = "the passage is gone or has no prose in it"
TRIES = 12  # looks at passages for each item asked for
MOST_LOOKS = 6  # at one passage, with different windows

# `used` counts the items of this kind that were made of a passage before.
CANDIDATES = """
SELECT c.id, c.document_id, coalesce(nullif(c.heading, ''), c.label) AS section,
       (SELECT count(*) FROM {items} i WHERE i.chunk_id = c.id) AS used,
       v.tested_at IS NOT NULL OR v.read_at IS NOT NULL OR v.cited_at IS NOT NULL AS touched
FROM library_chunk c
JOIN library_document d ON d.id = c.document_id
LEFT JOIN library_coverage v ON v.chunk_id = c.id
WHERE d.workspace_id = %(workspace)s
  AND (%(everywhere)s OR d.id = ANY(%(documents)s) OR d.category_id = ANY(%(categories)s))
  AND char_length(c.text) >= %(shortest)s
ORDER BY c.document_id, c.ordinal
"""
ITEMS = {
    Job.Kind.QUIZ: "study_question",
    Job.Kind.DECK: "study_card",
    Job.Kind.WORKSHOP: "study_lessonsource",
    Job.Kind.LESSON: "study_lessonsource",
    Job.Kind.MINDMAP: "study_question",
}


@dataclass(frozen=True, slots=True)
class Candidate:
    chunk: int
    document: int
    section: str
    used: int
    touched: bool


def candidates(job: Job) -> list[Candidate]:
    """The passages of the job's scope that are long enough, in reading order."""
    documents = list(job.documents.values_list("pk", flat=True))
    categories = list(job.categories.values_list("pk", flat=True))
    asked: dict[str, Any] = {
        "workspace": job.workspace_id,
        "documents": documents,
        "categories": categories,
        "everywhere": job.everywhere,
        "shortest": SHORTEST,
    }
    with connection.cursor() as cursor:
        cursor.execute(CANDIDATES.format(items=ITEMS[Job.Kind(job.kind)]), asked)
        rows = [Candidate(*row) for row in cursor.fetchall()]
    return [row for row in rows if not row.touched] if job.untouched_only else rows


def too_little(job: Job, need: str) -> str:
    """Why there is nothing to make it from, in words; `need` is what would be enough."""
    if job.untouched_only:
        return _(
            "You have touched all of what you chose: there is no passage left that you have not "
            "read, cited or been asked about. Make one without that choice."
        )
    return _("There is too little text in what you chose: %(need)s.") % {"need": need}


def without_prose(job: Job) -> str:
    """Why nothing came of the passages, where none of them has prose; "" where one has."""
    if job.made or job.rejections.exclude(reason=NO_PROSE).exists():
        return ""
    if not Chunk.objects.filter(pk__in=job.plan).exists():
        return _("The documents you chose were deleted while this was made.")
    return _(
        "There are no sentences to make it from in what you chose: only lists, tables, or a script "
        "whose sentences cannot be told apart here. Texts in Latin letters can be used."
    )


def order(rows: list[Candidate], seed: int) -> list[int]:
    """Chunk ids in the order they are to be used: stratified, repeatable for a seed."""
    chance = random.Random(seed)
    waiting: dict[int, dict[str, list[Candidate]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        waiting[row.document][row.section].append(row)
    for sections in waiting.values():
        for passages in sections.values():
            chance.shuffle(passages)
            passages.sort(key=lambda row: -row.used)  # the least used are popped first
    given: dict[tuple[int, str], int] = defaultdict(int)
    documents = sorted(waiting)
    chance.shuffle(documents)
    ordered = []
    while documents:
        for document in list(documents):
            sections = waiting[document]
            section = min(
                sections,
                key=lambda name: (sections[name][-1].used, given[document, name], chance.random()),
            )
            ordered.append(sections[section].pop().chunk)
            given[document, section] += 1
            if not sections[section]:
                del sections[section]
            if not sections:
                documents.remove(document)
    return ordered


def plan(job: Job) -> list[int]:
    """The chunk ids the job is to use, in order; made once and kept, so that a resumed job goes on
    where it was whatever it has made meanwhile."""
    if not job.plan:
        job.plan = order(candidates(job), seed=job.pk)[: job.asked * TRIES]
        job.save(update_fields=["plan"])
    return list(job.plan)


@dataclass(frozen=True, slots=True)
class Look:
    """One try with a passage: the how-manieth of the job, and of the passage (both from 0)."""

    number: int
    again: int
    late: bool  # half as many were rejected as are wanted, or this passage was: rules may help
    chunk: Chunk | None  # None where it was deleted meanwhile


def looks(job: Job) -> Iterator[Look]:
    """The passages of the plan from where the job is, those of a small scope again and again.

    There are enough looks for TRIES with each item asked for, no passage is looked at more than
    MOST_LOOKS times; whoever continues a job that ended short gives it all passages once more.
    """
    ids = plan(job)
    if not ids:
        return
    rounds = min(MOST_LOOKS, -(-job.asked * TRIES // len(ids))) + job.options.get("continued", 0)
    for n in range(job.tried, rounds * len(ids)):
        again, place = divmod(n, len(ids))
        found = Chunk.objects.select_related("document").filter(pk=ids[place])
        late = again > 0 or 2 * (n - job.made) >= job.asked
        yield Look(n, again, late, found.first())
