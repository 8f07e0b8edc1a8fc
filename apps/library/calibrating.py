"""Learns from labelled sets what "relevant" looks like to the embedding model in use.

The rule is that of `relevance`: a logistic regression of its six coefficients, each set and each
side weighing the same, then the two constants placed so that KEPT of the answerable pass. What it
is worth is told by leaving each set out in turn. Kept as JSON, one entry a model.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from django.utils import timezone
from numpy.typing import NDArray

from apps.library import analysis, compounds, evaluating, ranking, relevance
from apps.library.models import EmbeddingSet, WordStatistic, Workspace
from apps.library.relevance import Calibration
from apps.library.search import question_vector

KEPT = 0.95  # of the answerable questions
ROUNDS = 60
UNSURE = 100.0  # the margin of rules that never were measured
FEW = 50  # questions of a set weigh as many, so that a handful does not weigh as a set
RIDGE = 0.02  # holds coefficients that the sets say nothing about
BEFORE = np.array([12.0, 3.0, 13.0, -1.5, 0.0, -6.0])  # what the ridge pulls to
TOO_LITTLE = "No set has both answerable and unanswerable questions: there is nothing to learn."

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sample:
    """What the statement said about one question, and whether it can be answered."""

    name: str  # of the set
    strength: float
    coverage: float
    share: float
    slots: int  # things asked for
    foreign: bool
    answerable: bool


def calibrate(folder: Path, names: Sequence[str] = ()) -> dict[str, Any]:
    """Measure the sets of a folder, store the rule that fits them, and return it with its worth.

    Raises LookupError for a set that is not there, or where there is nothing to learn from.
    """
    sets = evaluating.read_sets(folder, names)
    strangers = evaluating.strangers(folder)
    found: list[Sample] = []
    for labelled in sets:
        languages = {query.get("lang") for query in labelled.queries}
        asked = [query["text"] for query in strangers if query.get("lang") in languages]
        with evaluating.loaded(labelled) as (workspace, _):
            answerable = [query["text"] for query in labelled.queries]
            found += samples(workspace, labelled.name, answerable, asked)
    embedding_set = EmbeddingSet.objects.get(state=EmbeddingSet.State.ACTIVE)
    return store(embedding_set.model, found)


def samples(
    workspace: Workspace, name: str, answerable: Sequence[str], strangers: Sequence[str]
) -> list[Sample]:
    """What search sees of the questions, with vectors of the set in use."""
    embedding_set = EmbeddingSet.objects.get(state=EmbeddingSet.State.ACTIVE)
    languages = WordStatistic.objects.get(workspace=workspace).languages
    made = []
    for text, is_answerable in [(t, True) for t in answerable] + [(t, False) for t in strangers]:
        asked = compounds.question(workspace, text, languages)
        found = ranking.rank(
            workspace,
            asked,
            vector=question_vector(embedding_set.model, text),
            embedding_set=embedding_set.pk,
            usual=relevance.calibration(embedding_set.model).usual,
        )
        seen = relevance.evidence(found) if found else (0.0, 0.0, 0.0)
        made.append(Sample(name, *seen, len(asked.slots), asked.foreign, is_answerable))
    return made


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
    told = [row["answerable_passed"] + 1 - row["unanswerable_passed"] for row in rows]
    return float(sum(told) / (2 * len(told)))


def fit(found: Sequence[Sample], start: Calibration) -> Calibration:
    """The rule that parts the samples best; LookupError where one side is missing."""
    if len({sample.answerable for sample in found}) < 2:
        raise LookupError(TOO_LITTLE)
    at_home = [sample for sample in found if not sample.foreign] or list(found)
    weights = [float(weight) for weight in _regression(at_home)]
    rule = replace(
        start,
        meaning=round(weights[0], 2),
        words=round(weights[1], 2),
        identifier=round(weights[2], 2),
        share=round(-weights[3], 2),
        length=round(weights[4], 2),
        constant=0.0,
        foreign=0.0,
        margin=1.0,
    )
    constant = -_cut(rule, at_home)
    rule = replace(rule, constant=round(constant, 2))
    foreign = [sample for sample in found if sample.foreign and sample.share < 0.5]
    if not any(sample.answerable for sample in foreign):
        return replace(rule, foreign=start.foreign)
    return replace(rule, foreign=round(max(-_cut(rule, foreign), 0.0), 2))


def _regression(found: Sequence[Sample]) -> Floats:
    """Newton's way; each set's answerable, and its unanswerable, weigh as much as any other's."""
    rows = np.array(
        [
            (
                (1 - s.share) * s.strength,
                (1 - s.share) * s.coverage,
                s.share * s.coverage,
                s.share,
                (1 - s.share) * relevance.length(s.slots),
                1,
            )
            for s in found
        ]
    )
    wanted = np.array([float(s.answerable) for s in found])
    sides = [(s.name, s.answerable) for s in found]
    weigh = np.array([1 / max(sides.count(side), FEW) for side in sides])
    weights = BEFORE.copy()
    for _ in range(ROUNDS):
        chances = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        slope = rows.T @ (weigh * (chances - wanted)) + RIDGE * (weights - BEFORE)
        curve = (rows * (weigh * chances * (1 - chances))[:, None]).T @ rows
        weights = weights - np.linalg.solve(curve + RIDGE * np.eye(len(BEFORE)), slope)
    return weights


def _cut(rule: Calibration, found: Sequence[Sample]) -> float:
    """The z that KEPT of the answerable reach, the sets weighing the same."""
    kept = [s for s in found if s.answerable]
    names = [s.name for s in kept]
    heights = sorted((_z(rule, s), 1 / max(names.count(s.name), FEW)) for s in kept)
    below, limit = 0.0, (1 - KEPT) * sum(weight for _, weight in heights)
    for z, weight in heights:
        below += weight
        if below > limit:
            return z
    return heights[-1][0]


def _z(rule: Calibration, sample: Sample) -> float:
    seen = sample.strength, sample.coverage, sample.share
    return relevance.weigh(*seen, rule, slots=sample.slots, foreign=sample.foreign)


def _worth(rule: Calibration, found: Sequence[Sample], name: str) -> dict[str, Any]:
    """The shares of a set's questions that pass, and of its answerable ones surely refused."""
    heights = {
        side: [_z(rule, s) for s in found if s.name == name and s.answerable is side]
        for side in (True, False)
    }
    return {
        "set": name,
        "answerable_passed": _share(heights[True], 0.0),
        "unanswerable_passed": _share(heights[False], 0.0),
        "surely_refused": round(1 - _share(heights[True], -rule.margin), 4),
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
