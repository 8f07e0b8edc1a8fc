"""Learns from a person's own documents where the relevance rule's line should be.

Each of some passages is asked a question. Asked of the whole workspace it can be answered; asked
of all but its document, and those like it, it cannot. One half of the documents moves the line;
the other half is held back, and tells whether that was for the better: if not, nothing changes.
Only the line moves, and only so far: the weights take more than a person's documents to learn.

The row is the job, what was seen of each question is stored at once, and a worker that was killed,
or stopped by the person, goes on with the next.
"""

import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from random import Random
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.translation import gettext_noop as noop

from apps.library import likeness, own_questions, queue, reembedding, relevance, sampling, standing
from apps.library.locking import advisory_lock
from apps.library.models import (
    Chunk,
    Document,
    EmbeddingSet,
    LearnedRule,
    Workspace,
)
from apps.library.relevance import Calibration
from apps.library.second_opinion import writer
from apps.llm import structured
from apps.llm.client import ModelError
from apps.web.telling import gettext as _

State = LearnedRule.State
ROOM = 7305  # of advisory locks: one worker at a time for a person's rule
SLICE = 10.0  # seconds
DOCUMENTS = 6  # of a workspace: with fewer there is nothing else left to ask
PASSAGES = 80  # that are asked about
LOOKED_THROUGH = 400  # passages among which they are chosen, of each document at most
FEWEST = 24  # questions, half of them held back
KEPT = 0.95  # of the answerable questions
STRICTER, MILDER = 0.5, 1.0  # how far the line may move
BETTER = 0.02  # by how much the shares that are judged rightly must rise to count as better
LOST = 0.02  # of the answerable questions held back that may be lost for it
KNOWN_AFTER = 3  # questions, how long one takes
CUTS = (-1.0, -0.5, 0.0, 0.5, 1.0)
NO_MODEL = noop("No embedding model is in use yet: there is no line to move.")
TOO_FEW = noop(
    "A line can be learned from a workspace with six or more documents that say something. Add"
    " some, and try again."
)
TOO_FEW_QUESTIONS = noop(
    "Only %(count)s questions could be made from your documents, and it takes %(needed)s. With more"
    " documents, try again."
)
WORSE = noop("On the questions held back the line was no better there, so it stays where it was.")
SAME = noop("Your documents draw the line where it is already, so nothing changes.")
TOO_STRICT = noop(
    "The line your documents draw refuses too many of the questions held back that can be"
    " answered, so it stays where it was."
)


def begin(owner: User, *, anew: bool = False, ring: bool = True) -> LearnedRule:
    """Begin with the embedding model in use, and ring for a worker; returns the row.

    What was stopped goes on where it was, unless it is to begin `anew`. A line that is in use
    stays so until another one is drawn.
    """
    used = reembedding.in_use()
    if used and not anew and (row := _resumed(owner, used.model)):
        if ring:
            queue.ask_for_rule()
        return row
    plan = planned(owner) if used else []
    too_little = NO_MODEL if used is None else "" if len(plan) >= FEWEST else TOO_FEW
    values: dict[str, Any] = {
        "edition": relevance.EDITION,
        "state": State.TOO_LITTLE if too_little else State.LEARNING,
        "reason": _(too_little) if too_little else "",
        "writer": writer(),
        "plan": plan,
        "tried": 0,
        "samples": [],
        "figures": {},
        "shift": 0.0,
        "kept": _in_use(owner, used.model) if used else {},
        "began_at": timezone.now(),
        "ended_at": timezone.now() if too_little else None,
    }
    row, _made = LearnedRule.objects.update_or_create(
        owner=owner, model=used.model if used else "", defaults=values
    )
    if ring:
        queue.ask_for_rule()
    return row


def _in_use(owner: User, model: str) -> dict[str, Any]:
    rows = LearnedRule.objects.filter(owner=owner, model=model, edition=relevance.EDITION)
    row = rows.first()
    return row.in_use if row else {}


def _resumed(owner: User, model: str) -> LearnedRule | None:
    """What was stopped, learned on: of the same rule, with questions by the same writer."""
    row = LearnedRule.objects.filter(owner=owner, model=model, edition=relevance.EDITION).first()
    if row is None or not row.can_go_on or row.writer != writer():
        return None
    row.state, row.began_at, row.ended_at = State.LEARNING, timezone.now(), None
    row.figures = {**row.figures, "went_on": row.tried}
    row.save(update_fields=["state", "began_at", "ended_at", "figures"])
    return row


def at_once(owner: User) -> dict[str, Any]:
    """Learn to the end, here and now; returns what came of it. Raises LookupError."""
    row = begin(owner, ring=False)
    with advisory_lock(ROOM, row.pk) as mine:
        if not mine:
            raise LookupError(_("It is being learned already: the page tells how far it is."))
        if row.is_learning:
            learn(row)
    row.refresh_from_db()
    told = {"state": row.state, "reason": row.reason, "shift": row.shift, "writer": row.writer}
    return {**told, **row.figures}


def left(row: LearnedRule) -> str:
    """How long the rest takes at the pace so far, in words; "" where that is not known."""
    seconds = row.figures.get("seconds")
    if not row.is_learning or not seconds or row.tried < KNOWN_AFTER:
        return ""
    rest = (len(row.plan) - row.tried) * seconds / row.tried
    return standing.in_words(timedelta(seconds=rest))


def waits() -> bool:
    """Whether learning waits: documents are read first."""
    return Document.objects.workable().exists()


def at_work(person_id: int) -> str:
    """What has the model, in words, while it words questions; of others only that it does."""
    asking = LearnedRule.objects.filter(state=State.LEARNING).exclude(writer="")
    if waits():
        return ""
    if asking.filter(owner=person_id).exists():
        return _("Learn from my documents")
    return _("another task") if asking.exists() else ""


def stop(owner: User) -> None:
    """Stop learning, to be gone on with; or forget what was learned: the usual rule is back."""
    rows = LearnedRule.objects.filter(owner=owner)
    if rows.filter(state=State.LEARNING).update(state=State.STOPPED, ended_at=timezone.now()):
        return
    rows.filter(state=State.USED).delete()
    rows.update(kept={})


def planned(owner: User) -> list[int]:
    """Passages to ask about, as many of each document, those of one half of them at even places."""
    documents = Document.objects.owned_by(owner).filter(state=Document.State.READY)
    many: dict[int, list[int]] = {}
    for pk, workspace in documents.order_by("pk").values_list("pk", "workspace"):
        many.setdefault(workspace, []).append(pk)
    asked = [pk for pks in many.values() if len(pks) >= DOCUMENTS for pk in pks]
    chance = Random(f"{owner.pk}")  # the same documents are asked the same
    chance.shuffle(asked)
    asked = asked[:PASSAGES]
    rounds = [_passages(pk, chance, 1 + PASSAGES // max(len(asked), 1)) for pk in asked]
    halves: tuple[list[int], list[int]] = ([], [])
    for n, passages in enumerate(rounds):
        halves[n % 2].extend(passages)
    for half in halves:
        chance.shuffle(half)
    return [pk for pair in zip(*halves, strict=False) for pk in pair][:PASSAGES]


def is_due() -> bool:
    """Whether a rule is being learned."""
    return LearnedRule.objects.filter(state=State.LEARNING).exists()


def go_on(seconds: float = SLICE) -> int:
    """Ask on for so long; returns how many questions, and rings for the next slice."""
    row = LearnedRule.objects.filter(state=State.LEARNING).order_by("began_at").first()
    if row is None or waits():
        return 0  # documents go first; the sweep rings again
    with advisory_lock(ROOM, row.pk) as mine:
        if not mine:
            return 0
        row.refresh_from_db()
        if row.edition != relevance.EDITION:  # the vault was updated in between
            row = begin(row.owner, ring=False)
        done = learn(row, time.monotonic() + seconds)
    if is_due():
        queue.ask_for_rule()
    return done


def learn(row: LearnedRule, until: float = float("inf")) -> int:
    """Ask the planned questions until then; draw the line after the last. Returns how many."""
    began = row.tried
    mine = LearnedRule.objects.filter(pk=row.pk, state=State.LEARNING, began_at=row.began_at)
    try:
        while row.tried < len(row.plan):
            if time.monotonic() > until or not mine.exists():
                return row.tried - began
            asked_at = time.monotonic()
            row.samples += _asked(row, row.plan[row.tried], lambda: not mine.exists())
            row.tried += 1
            took = row.figures.get("seconds", 0.0) + time.monotonic() - asked_at
            row.figures = {"seconds": round(took, 2)}
            mine.update(samples=row.samples, tried=row.tried, figures=row.figures, reason="")
    except structured.Stopped:
        return row.tried - began
    except ModelError as error:  # the sweep rings again
        mine.update(reason=str(error))
        return row.tried - began
    values = outcome(row.samples, relevance.calibration(row.model))
    if values["state"] != State.TOO_LITTLE:  # what the documents say now counts, not what they said
        values["figures"]["dropped"] = bool(row.kept) and values["state"] != State.USED
        values["kept"] = {}
    mine.update(**values, ended_at=timezone.now())
    row.refresh_from_db()
    return row.tried - began


def outcome(samples: Sequence[dict[str, Any]], rule: Calibration) -> dict[str, Any]:
    """What becomes of the row: its `state`, `shift`, `figures` and `reason`."""
    learned = [sample for sample in samples if not sample["held"]]
    held = [sample for sample in samples if sample["held"]]
    if (usable := min(len(learned), len(held))) < FEWEST:  # two of each question, in one half
        reason = _(TOO_FEW_QUESTIONS) % {"count": usable, "needed": FEWEST}
        return {"state": State.TOO_LITTLE, "figures": {}, "reason": reason}
    shift = drawn(learned, rule)
    before, after = _worth(held, rule, 0.0), _worth(held, rule, shift)
    better = _gain(after) - _gain(before) >= BETTER
    keeps = after["answerable"] >= before["answerable"] - LOST
    figures = {
        "questions": len(samples) // 2,
        "drawn": shift,
        "held_back": {"before": _percent(before), "after": _percent(after)},
        "curve": [{"cut": cut} | _percent(_worth(samples, rule, shift - cut)) for cut in CUTS],
    }
    used = better and keeps
    return {
        "state": State.USED if used else State.NO_BETTER,
        "shift": shift if used else 0.0,
        "figures": figures,
        "reason": "" if used else _(_why_not(shift, better)),
    }


def _why_not(shift: float, better: bool) -> str:
    """Why the line stays where it was."""
    if not shift:
        return SAME
    return TOO_STRICT if better else WORSE


def drawn(samples: Sequence[dict[str, Any]], rule: Calibration) -> float:
    """How far the line moves so that KEPT of the answerable pass, within what is allowed."""
    heights = sorted(height(sample, rule) for sample in samples if sample["answerable"])
    cut = heights[int((1 - KEPT) * len(heights))]
    return round(min(max(-cut, -STRICTER), MILDER), 2)


def height(sample: dict[str, Any], rule: Calibration) -> float:
    """How far above the line, 0, a question is."""
    seen = relevance.Evidence(**{name: sample[name] for name in relevance.Evidence._fields})
    return relevance.weigh(seen, rule, slots=sample["slots"], foreign=sample["foreign"])


def _worth(samples: Sequence[dict[str, Any]], rule: Calibration, shift: float) -> dict[str, float]:
    """The shares of either kind that pass with the line moved so far."""
    found = {}
    for side, answerable in (("answerable", True), ("unanswerable", False)):
        heights = [height(s, rule) + shift for s in samples if s["answerable"] is answerable]
        found[side] = sum(z >= 0 for z in heights) / max(len(heights), 1)
    return found


def _gain(worth: dict[str, float]) -> float:
    return (worth["answerable"] + 1 - worth["unanswerable"]) / 2


def _percent(worth: dict[str, float]) -> dict[str, int]:
    return {side: round(100 * share) for side, share in worth.items()}


def _passages(document: int, chance: Random, most: int) -> list[int]:
    chunks = Chunk.objects.filter(document=document).only("pk", "text")[:LOOKED_THROUGH]
    fit = [chunk.pk for chunk in own_questions.worth_asking(list(chunks))]
    return chance.sample(fit, min(most, len(fit)))


def _asked(row: LearnedRule, pk: int, stop_when: Callable[[], bool]) -> list[dict[str, Any]]:
    """What search sees of a question to a passage: with its document, and without."""
    chunks = Chunk.objects.select_related("document__workspace")
    chunk = chunks.filter(pk=pk).first()
    if chunk is None:
        return []
    question = ""
    if row.writer:
        question = own_questions.by_model(chunk, row.writer, stop_when)
    else:
        after = chunk.document.chunks.filter(ordinal=chunk.ordinal + 1).first()
        question = own_questions.by_rule(chunk, after.text if after else chunk.heading)
    others = _others(chunk.document)
    if not question or len(others) < DOCUMENTS - 1:
        return []
    held = bool(row.tried % 2)
    seen = _seeing(row, chunk.document.workspace, question)
    return [
        seen(None) | {"answerable": True, "held": held},
        seen(others) | {"answerable": False, "held": held},
    ]


def _others(document: Document) -> list[int]:
    """The documents of the same workspace that do not say nearly the same."""
    alike = [like.document.pk for like in likeness.of(document)]
    there = Document.objects.filter(workspace=document.workspace).searchable()
    left = there.exclude(pk__in=[document.pk, *alike])
    if document.title:
        left = left.exclude(title=document.title)
    return list(left.values_list("pk", flat=True))


def _seeing(
    row: LearnedRule, workspace: Workspace, question: str
) -> Callable[[list[int] | None], dict[str, Any]]:
    """Tells what the rule weighs of a question asked of these documents, or of all where None."""
    used = EmbeddingSet.objects.get(state=EmbeddingSet.State.ACTIVE)
    rule = relevance.calibration(row.model)

    def seen(documents: list[int] | None) -> dict[str, Any]:
        look = sampling.look(workspace, question, used, documents)
        slots, foreign = relevance.things(look.asked), look.asked.foreign
        every = map(relevance.evidence, look.found)
        best = relevance.best(every, rule, slots=slots, foreign=foreign)
        told = {name: round(value, 4) for name, value in best._asdict().items()}
        return told | {"slots": slots, "foreign": foreign}

    return seen
