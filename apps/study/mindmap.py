"""Make a mindmap: the scope in four to six stretches, each a branch of a few points.

What the branches are about is settled before a model is asked: neighbouring passages under their
headings, about equally many. The model names one branch and its points at a time; what it writes
must stand in the passages. Where it fails, or where there is none, headings and telling words do.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise, zip_longest
from pathlib import PurePath
from typing import Any

from django.utils import timezone
from pydantic import BaseModel, Field

from apps.library.models import Chunk, LocatorKind
from apps.llm import structured
from apps.progress import ledger
from apps.progress.kinds import Kind
from apps.study import generation, quality, sampling, windows, writer
from apps.study import mindmap_labels as labels
from apps.study.generation import MAKERS, Maker, Rejected
from apps.study.mindmap_prompts import messages
from apps.study.models import Job, Mindmap
from apps.study.sentences import is_whole, tidy
from apps.web.telling import gettext as _

BRANCHES = (4, 6)
CHILDREN = (2, 4)
PIECES = 4  # passages shown for a branch
PIECE = 420  # characters of each
LEAST_PIECE = 60
MANY = 24  # passages, from which on none is cut further
RULED = 3  # points of a branch that was made by rule
DETAILS = 2  # of a point, where the passages tell any
MOST_TOKENS = 280
TRIES = 2

Tree = dict[str, Any]
log = logging.getLogger(__name__)


class PointItem(BaseModel):
    """A point of a branch as the model writes it."""

    point: str = Field(min_length=2, max_length=80)
    details: list[str] = Field(default_factory=list, max_length=DETAILS)


class BranchItem(BaseModel):
    """What the model writes."""

    topic: str = Field(min_length=3, max_length=80)
    points: list[PointItem] = Field(min_length=2, max_length=5)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a passage."""

    text: str
    chunk: Chunk


@dataclass(frozen=True, slots=True)
class Known:
    """What the map says already, plain: every label, and those of the root and the branches."""

    labels: set[str]
    topics: set[str]


def make(job: Job, stop_when: Callable[[], bool]) -> Iterator[Callable[[], None] | Rejected]:
    """One branch for each stretch of the plan, in the order of reading."""
    model = writer.of(job)
    parts = plan(job)
    around = " ".join(piece.text for each in parts for piece in _pieces(each))
    for stretch in parts[job.tried :]:
        pieces = _pieces(stretch)
        if not pieces:
            yield Rejected("the passages are gone")
            continue
        tree = Mindmap.objects.get(job=job).tree
        known = Known(_labels(tree), {quality.plain(each["label"]) for each in _top(tree)})
        branch = (
            None if model.extractive else _asked(job, pieces, known, model.name, stop_when)
        ) or by_rule(pieces, around, known.labels)
        if branch is None:
            yield Rejected("the passages have no words to make a branch of")
            continue
        yield partial(_add, job, branch)


def finish(job: Job) -> None:
    """Note it in the ledger, once."""
    made = Mindmap.objects.get(job=job)
    ledger.record(
        job.owner,
        Kind.MINDMAP_CREATED,
        key=f"mindmap-{made.pk}-created",
        mindmap=made.pk,
        branches=len(made.tree.get("children", [])),
        seconds=round((timezone.now() - (job.began_at or job.created_at)).total_seconds()),
        **generation.waited(job),
    )


def shortfall(job: Job) -> str:
    """Why there are fewer branches than wanted."""
    if not job.plan:
        return sampling.too_little(job, _("a map needs at least four sentences"))
    return _(
        "%(made)s of %(asked)s branches: the rest of the passages are gone or have no words to "
        "make a branch of."
    ) % {"made": job.made, "asked": job.asked}


def plan(job: Job) -> list[Tree]:
    """The stretches of the scope, made once: {"pieces": [[chunk id, from, to], …]}."""
    if not job.plan:
        job.plan = stretches(_units(job))
        job.asked = max(len(job.plan), BRANCHES[0])
        job.save(update_fields=["plan", "asked"])
        _root(job)
    return list(job.plan)


def stretches(units: list[Tree]) -> list[Tree]:
    """Units in reading order as four to six groups of neighbours; none where there are too few.

    A unit is {"section", "piece"}. A group ends where a section ends, if that is not far off.
    """
    if len(units) < BRANCHES[0]:
        return []
    runs = sum(one["section"] != two["section"] for one, two in pairwise(units)) + 1
    count = min(max(BRANCHES[0], min(runs, BRANCHES[1])), len(units))
    ends = [0]
    for n in range(1, count):
        ideal = len(units) * n / count
        least, most = ends[-1] + 1, len(units) - (count - n)
        reach = max(1.0, len(units) / count / 2)
        near = [end for end in range(least, most + 1) if abs(end - ideal) <= reach]
        turns = [end for end in near if units[end - 1]["section"] != units[end]["section"]]
        places = turns or near or [least]
        ends.append(min(places, key=lambda end: abs(end - ideal)))
    ends.append(len(units))
    return [_stretch(units[begin:end]) for begin, end in pairwise(ends)]


def by_rule(pieces: Sequence[Piece], around: str, known: set[str]) -> Tree | None:
    """A branch from headings and telling phrases, without a model; None where there are none."""
    told = _headings(pieces)
    ranked = [labels.terms(piece.text, around) for piece in pieces]
    in_turn = [phrase for row in zip_longest(*ranked) for phrase in row if phrase]
    topic = next((n for n in [*told, *in_turn] if quality.plain(n) not in known), "")
    if not topic:
        return None
    points = _apart([topic, *told, *in_turn], known, pieces)[1:]
    if len(points) < CHILDREN[0]:
        return None
    return _branch(topic, points[:RULED], pieces) | {"by_rule": True}


def checked(item: BranchItem, pieces: Sequence[Piece], known: Known) -> Tree | str:
    """The model's branch with what is wrong in it left out, or the reason there is none."""
    text = "\n".join(f"{piece.chunk.heading}\n{piece.text}" for piece in pieces)
    topic = labels.clean(item.topic)
    if not topic or quality.plain(topic) in known.topics:
        return "the topic is empty or there already"
    if quality.in_some_form(topic, text) < labels.LEAST_OF_TOPIC:
        return "the topic is not in the passages"
    named = [each.point for each in item.points]
    if quality.other_language(" ".join([topic, *named]), text):
        return "it is in another language than the passages"
    points = _apart([topic, *map(labels.clean, named)], known.labels, pieces)[1:]
    if not points:
        return "none of the points is in the passages"
    if len(points) < CHILDREN[0]:  # one more by rule
        told = [*_headings(pieces), *(n for each in pieces for n in labels.terms(each.text, ""))]
        points = _apart([topic, *points, *told], known.labels, pieces)[1 : CHILDREN[0] + 1]
    if len(points) < CHILDREN[0]:
        return "fewer than two points are in the passages"
    branch = _branch(topic, points[: CHILDREN[1]], pieces)
    details = {labels.clean(each.point): each.details for each in item.points}
    _detail(branch, details, known.labels | _labels(branch), pieces)
    return branch


def _detail(
    branch: Tree, told: dict[str, list[str]], known: set[str], pieces: Sequence[Piece]
) -> None:
    """Hang on each point what is told of it: words of its own piece, nothing said before."""
    for point in branch["children"]:
        own = [each for each in pieces if each.chunk.pk == point["chunk"]]
        names = [point["label"], *map(labels.clean, told.get(point["label"], []))]
        details = [each for each in _apart(names, known, own)[1:] if len(each) > 1]
        point["children"] = [_node(each, own) for each in details[:DETAILS]]
        known |= {quality.plain(each) for each in details}


def _asked(
    job: Job, pieces: list[Piece], known: Known, model: str, stop_when: Callable[[], bool]
) -> Tree | None:
    """The model's branch; None where no try passed."""
    sent = messages(
        next(iter(_headings(pieces)), ""),
        [_readable(piece.text) for piece in pieces],
        pieces[0].chunk.document.language,
    )
    for attempt in range(TRIES):
        try:
            item = structured.ask(
                sent,
                BranchItem,
                model=model,
                seed=job.pk + attempt,
                temperature=0.7 if attempt else 0.0,
                most_tokens=MOST_TOKENS,
                stop_when=stop_when,
            )
        except structured.Unreadable as fault:
            log.info("job %s: unreadable: %s", job.pk, fault)
            continue
        branch = checked(item, pieces, known)
        if not isinstance(branch, str):
            return branch
        log.info("job %s: %s: %s", job.pk, branch, item)
    return None


def _readable(text: str) -> str:
    """The sentences and headings of a piece on one line."""
    return " ".join(tidy(part) for part in windows.sentences(text))


def _headings(pieces: Sequence[Piece]) -> list[str]:
    """What the documents' own headings call the pieces, those that stand in them as lines last.

    A page number is no heading.
    """
    named = [piece.chunk for piece in pieces if piece.chunk.kind == LocatorKind.SECTION]
    lines = [tidy(part) for piece in pieces for part in windows.sentences(piece.text)]
    return labels.headings([*(chunk.heading for chunk in named), *filter(labels.is_heading, lines)])


def _units(job: Job) -> list[Tree]:
    """Every stretch of a few sentences in the scope, in reading order, with its section."""
    rows = sampling.candidates(job)
    if len(rows) > MANY:  # whole passages will do, and need not be read for this
        return [
            {"section": f"{row.document} {row.section}", "piece": [row.chunk, 0, PIECE]}
            for row in rows
        ]
    found = Chunk.objects.in_bulk([row.chunk for row in rows])
    return [
        {"section": f"{row.document} {row.section}", "piece": [row.chunk, *span]}
        for row in rows
        if row.chunk in found
        for span in spans(found[row.chunk].text)
    ]


def spans(text: str) -> list[tuple[int, int]]:
    """Where the stretches of a passage begin and end: whole sentences, up to 420 characters."""
    ends, begin = [0], 0
    for part in windows.sentences(text):
        at = text.index(part, begin)
        if at + len(part) - ends[-1] > PIECE and begin - ends[-1] >= LEAST_PIECE:
            ends.append(at)
        begin = at + len(part)
    ends.append(len(text))
    return [(one, two) for one, two in pairwise(ends) if len(text[one:two].strip()) >= LEAST_PIECE]


def _stretch(units: list[Tree]) -> Tree:
    """A few pieces from all over a group, the first one always."""
    step = max(1.0, len(units) / PIECES)
    picked = [units[int(n * step)] for n in range(min(PIECES, len(units)))]
    return {"pieces": [unit["piece"] for unit in picked]}


def _pieces(stretch: Tree) -> list[Piece]:
    ids = [chunk for chunk, _, _ in stretch["pieces"]]
    found = Chunk.objects.select_related("document").in_bulk(ids)
    return [
        Piece(found[pk].text[begin : min(end, begin + 2 * PIECE)].strip(), found[pk])
        for pk, begin, end in stretch["pieces"]
        if pk in found
    ]


def _root(job: Job) -> None:
    """Name the map after its scope; a document by its title."""
    mindmap = Mindmap.objects.get(job=job)
    label = mindmap.title
    if not job.everywhere and not job.categories.exists() and job.documents.count() == 1:
        document = job.documents.get()
        label = document.title or PurePath(document.name).stem
        mindmap.language = document.language
    mindmap.tree = {"label": labels.clean(label) or _("Map"), "chunk": None, "children": []}
    mindmap.save(update_fields=["tree", "language"])


def _add(job: Job, branch: Tree) -> None:
    mindmap = Mindmap.objects.select_for_update().get(job=job)
    mindmap.tree["children"] = [*mindmap.tree.get("children", []), branch]
    mindmap.save(update_fields=["tree"])


def _branch(topic: str, points: Sequence[str], pieces: Sequence[Piece]) -> Tree:
    return _node(topic, pieces) | {"children": [_node(point, pieces) for point in points]}


def _node(label: str, pieces: Sequence[Piece]) -> Tree:
    """A node with the passage that says most of its label."""
    piece = max(pieces, key=lambda each: quality.in_some_form(label, each.text))
    return {
        "label": label,
        "chunk": piece.chunk.pk,
        "document": piece.chunk.document.name,
        "document_id": piece.chunk.document_id,
        "place": piece.chunk.label,
        "quote": _quote(piece.text, label),
        "children": [],
    }


def _quote(text: str, label: str) -> str:
    """The sentence that says most of the label; a heading only where there is nothing else."""
    whole = "\n\n".join(part for part in windows.sentences(text) if is_whole(part))
    return quality.best_quote(whole, label) or quality.best_quote(text, label)


def _apart(names: Sequence[str], known: set[str], pieces: Sequence[Piece]) -> list[str]:
    """The names that stand in the pieces and repeat neither another nor what is known.

    The first one, the topic, is kept whatever it is.
    """
    text = "\n".join(f"{piece.chunk.heading}\n{piece.text}" for piece in pieces)
    kept, said = [names[0]], {*known, quality.plain(names[0])}
    for name in names[1:]:
        plain = quality.plain(name) if quality.telling(name) else ""
        inside = any(f" {plain} " in f" {other} " for other in said)
        if plain and not inside and quality.in_some_form(name, text) >= labels.LEAST_SUPPORT:
            kept.append(name)
            said.add(plain)
    return kept


def _top(tree: Tree) -> list[Tree]:
    return [tree, *tree.get("children", [])] if tree else []


def _labels(tree: Tree) -> set[str]:
    """Every label of a tree, plain."""
    told = {quality.plain(tree["label"])} if tree else set()
    return told.union(*(_labels(child) for child in tree.get("children", [])))


MAKERS[Job.Kind.MINDMAP] = Maker(make, finish, shortfall)
