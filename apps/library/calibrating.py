"""Learns from labelled sets what "relevant" looks like to the embedding model in use.

The rule is that of `relevance`: a logistic regression of its coefficients, each set and each side
weighing the same, on the passage of each question that bears most on it; which one that is follows
from the coefficients, so both are found in turns. Then the two constants are placed so that KEPT of
the answerable pass in every set, and more in most. Two kinds of question have no answer: those that
no set answers, short and of all kinds, and those of other sets, long and of one subject that is not
there. What the rule is worth is told by leaving each set out in turn. Kept as JSON, one entry a
model.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import numpy as np
from django.utils import timezone

from apps.library import analysis, evaluating, indexing, relevance, sampling
from apps.library.evaluating import LabelledSet
from apps.library.models import EmbeddingSet, Workspace
from apps.library.relevance import Calibration, Evidence

KEPT = 0.94  # of the answerable questions, in the set where fewest pass
KEPT_ABROAD = 0.85  # of those asked in another language than the passages
TURNS, ROUNDS = 8, 12
ELSEWHERE = 40  # questions of each other set
SEED = 3  # of which
UNSURE = 100.0  # the margin of rules that never were measured
FEW = 50  # questions of a set weigh as many, so that a handful does not weigh as a set
RIDGE = 0.001  # holds coefficients that the sets say nothing about to those in use
TOO_LITTLE = "No set has both answerable and unanswerable questions: there is nothing to learn."

COEFFICIENTS = ("meaning", "words", "tokens", "length", "constant", "identifier")


@dataclass(frozen=True, slots=True)
class Sample:
    """What search said about one question, and whether it can be answered."""

    name: str  # of the set
    found: tuple[Evidence, ...]
    slots: int  # things asked for
    foreign: bool
    answerable: bool
    elsewhere: bool = False  # a question of another set


def calibrate(folder: Path, names: Sequence[str] = ()) -> dict[str, Any]:
    """Measure the sets of a folder, store the rule that fits them, and return it with its worth.

    Raises LookupError for a set that is not there, or where there is nothing to learn from.
    """
    sets = evaluating.read_sets(folder, names)
    strangers = evaluating.strangers(folder)
    used = indexing.active_set()
    found: list[Sample] = []
    for labelled in sets:
        languages = {query.get("lang") for query in labelled.queries}
        with evaluating.loaded(labelled) as (workspace, _):
            for text in (query["text"] for query in labelled.queries):
                found.append(sample(workspace, used, labelled.name, text, answerable=True))
            for query in strangers:
                if query.get("lang") in languages:
                    found.append(sample(workspace, used, labelled.name, query["text"]))
            for text in elsewhere(labelled, sets):
                found.append(sample(workspace, used, labelled.name, text, elsewhere=True))
    return store(used.model, found)


def elsewhere(labelled: LabelledSet, sets: Sequence[LabelledSet]) -> list[str]:
    """Questions of sets that share no passage and no question with it, in a language it has."""
    languages = {query.get("lang") for query in labelled.queries}
    said = {each["text"] for each in (*labelled.corpus, *labelled.queries)}
    chosen = []
    for other in sets:
        asked = [query["text"] for query in other.queries if query.get("lang") in languages]
        if said.isdisjoint(each["text"] for each in (*other.corpus, *other.queries)):
            chosen += Random(SEED).sample(asked, min(ELSEWHERE, len(asked)))
    return chosen


def sample(
    workspace: Workspace,
    used: EmbeddingSet,
    name: str,
    text: str,
    *,
    answerable: bool = False,
    elsewhere: bool = False,
) -> Sample:
    """What search sees of a question, with vectors of the set in use."""
    look = sampling.look(workspace, text, used)
    seen = tuple(map(relevance.evidence, look.found)) or (relevance.NOTHING,)
    slots, foreign = relevance.things(look.asked), look.asked.foreign
    return Sample(name, seen, slots, foreign, answerable, elsewhere)


def store(model: str, found: Sequence[Sample]) -> dict[str, Any]:
    """Fit the rule of a model, keep it if it is no worse, and return what was found.

    It is held against the rule in use on questions it was not fitted to: those of a set left out,
    or every other one where there is one set. One that was never measured is always replaced.
    """
    used = relevance.calibration(model)
    rule = fit(found, used)
    names = sorted({sample.name for sample in found})
    before = [_worth(used, found, name) for name in names]
    left_out = [_left_out(found, name, rule) for name in names] if len(names) > 1 else []
    after = left_out or [_worth(fit(found[::2], used), found[1::2], names[0])]
    accepted = used.margin >= UNSURE or _gain(after) >= _gain(before)
    entry = {
        "model": model,
        "date": timezone.localdate().isoformat(),
        "sets": names,
        "rule": {key: value for key, value in asdict(rule).items() if key != "source"},
        "passed": [_worth(rule, found, name) for name in names],
        "left_out": left_out,
        "curve": _curve(rule, found),
        "analyser": analysis.VERSION,
        "before": before,
        "accepted": accepted,
    }
    if accepted:
        relevance.keep(entry)
    return entry


def _gain(rows: Sequence[dict[str, Any]]) -> float:
    """The share that is judged rightly, either kind of question and each set weighing the same."""
    none = ("unanswerable_passed", "elsewhere_passed")
    told = [
        row["answerable_passed"] + 1 - fmean(row[each] for each in none if each in row)
        for row in rows
    ]
    return fmean(told) / 2


def fit(found: Sequence[Sample], start: Calibration) -> Calibration:
    """The rule that parts the samples best; LookupError where one side is missing."""
    if len({sample.answerable for sample in found}) < 2:
        raise LookupError(TOO_LITTLE)
    at_home = [sample for sample in found if not sample.foreign] or list(found)
    rule = _regression(at_home, start)
    constant = math.ceil(100 * (rule.constant - _cut(rule, at_home, KEPT))) / 100
    rule = replace(rule, constant=constant)
    foreign = [
        sample for sample in found if sample.foreign and _best(rule, sample).share < relevance.HALF
    ]
    if not any(sample.answerable for sample in foreign):
        return replace(rule, foreign=start.foreign)
    return replace(rule, foreign=round(max(-_cut(rule, foreign, KEPT_ABROAD), 0.0), 2))


def _regression(found: Sequence[Sample], start: Calibration) -> Calibration:
    """The coefficients, by Newton's way; each set's questions of a kind weigh as any other's."""
    kinds = [(s.name, s.answerable, s.elsewhere) for s in found]
    many = Counter(kinds)
    weigh = np.array([(0.5 if kind[2] else 1.0) / max(many[kind], FEW) for kind in kinds])
    wanted = np.array([float(s.answerable) for s in found])
    before = np.array([getattr(start, name) for name in COEFFICIENTS])
    rule = replace(start, foreign=0.0, margin=1.0)
    for _ in range(TURNS):
        rows = np.array([_row(_best(rule, s), s.slots) for s in found])
        weights = np.array([getattr(rule, name) for name in COEFFICIENTS])
        for _ in range(ROUNDS):
            chances = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
            slope = rows.T @ (weigh * (chances - wanted)) + RIDGE * (weights - before)
            curve = (rows * (weigh * chances * (1 - chances))[:, None]).T @ rows
            weights = weights - np.linalg.solve(curve + RIDGE * np.eye(len(before)), slope)
        values = dict(zip(COEFFICIENTS, (round(float(w), 2) for w in weights), strict=True))
        rule = Calibration(**{**asdict(rule), **values})
    return rule


def _row(seen: Evidence, slots: int) -> tuple[float, ...]:
    """What each of the coefficients is multiplied by."""
    sense = seen.strength, seen.coverage, seen.nearness, relevance.length(slots), 1.0
    literally = seen.share * (seen.literal - relevance.NEEDED)
    return (*((1 - seen.share) * value for value in sense), literally)


def _best(rule: Calibration, sample: Sample) -> Evidence:
    return relevance.best(sample.found, rule, slots=sample.slots, foreign=sample.foreign)


def _cut(rule: Calibration, found: Sequence[Sample], kept: float) -> float:
    """The z that so many of the answerable reach in every set; few questions make no set."""
    heights: dict[str, list[float]] = {}
    for sample in found:
        if sample.answerable:
            heights.setdefault(sample.name, []).append(_z(rule, sample))
    every = [each for each in heights.values() if len(each) >= FEW] or [*heights.values()]
    return min(sorted(each)[int((1 - kept) * len(each))] for each in every)


def _z(rule: Calibration, sample: Sample) -> float:
    seen = _best(rule, sample)
    return relevance.weigh(seen, rule, slots=sample.slots, foreign=sample.foreign)


def _worth(rule: Calibration, found: Sequence[Sample], name: str) -> dict[str, Any]:
    """The shares of a set's questions that pass, and of its answerable ones surely refused."""
    mine = [s for s in found if s.name == name]
    yes = [_z(rule, s) for s in mine if s.answerable]
    no = [_z(rule, s) for s in mine if not s.answerable and not s.elsewhere]
    other = [_z(rule, s) for s in mine if s.elsewhere]
    return {
        "set": name,
        "answerable_passed": _share(yes, 0.0),
        "unanswerable_passed": _share(no, 0.0),
        **({"elsewhere_passed": _share(other, 0.0)} if other else {}),
        "surely_refused": round(1 - _share(yes, -rule.margin), 4),
    }


def _left_out(found: Sequence[Sample], name: str, start: Calibration) -> dict[str, Any]:
    others = [sample for sample in found if sample.name != name]
    try:
        return _worth(fit(others, start), found, name)
    except LookupError:
        return _worth(start, found, name)


def _curve(rule: Calibration, found: Sequence[Sample]) -> list[dict[str, float]]:
    """What would pass with the cut elsewhere, over all sets."""
    yes = [_z(rule, sample) for sample in found if sample.answerable]
    no = [_z(rule, sample) for sample in found if not sample.answerable]
    return [
        {
            "cut": cut,
            "answerable_passed": _share(yes, cut),
            "unanswerable_passed": _share(no, cut),
        }
        for cut in (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0)
    ]


def _share(heights: Sequence[float], cut: float) -> float:
    return round(sum(z >= cut for z in heights) / max(len(heights), 1), 4)
