"""Tells what the rule that judges passages weighs and how often it is right, for its page."""

from dataclasses import dataclass
from typing import Any

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from apps.library import relevance
from apps.library.relevance import Calibration

WEIGHTS = {
    "meaning": (
        gettext_lazy("Meaning"),
        gettext_lazy("How much nearer the meaning of a passage is to the question than most are."),
    ),
    "words": (
        gettext_lazy("Words"),
        gettext_lazy("How many of the question’s words stand in it; rare ones count more."),
    ),
    "tokens": (
        gettext_lazy("Single words, by their meaning"),
        gettext_lazy("How near each word of the question comes to some word of the passage."),
    ),
    "identifier": (
        gettext_lazy("Sections, numbers, names in code"),
        gettext_lazy(
            "Whether they stand there as written. This alone decides where nothing else is asked."
        ),
    ),
    "length": (
        gettext_lazy("Length of the question"),
        gettext_lazy(
            "A short question comes near many passages by chance: one that asks for more has less"
            " to reach."
        ),
    ),
}
SETS = {
    "xquad-en": gettext_lazy("English questions on English paragraphs of an encyclopedia."),
    "xquad-de": gettext_lazy("German questions on German paragraphs of an encyclopedia."),
    "xquad-de-on-en": gettext_lazy("German questions on English paragraphs."),
    "xquad-mixed": gettext_lazy("Paragraphs in English and German side by side, asked in both."),
    "chunkeval": gettext_lazy("Questions on speeches, reports, chats and articles."),
    "covidqa": gettext_lazy("Questions of medical experts on research papers about Covid-19."),
    "cranfield": gettext_lazy("Engineers’ questions on summaries of papers about flight."),
    "cisi": gettext_lazy("Long questions on summaries of papers about libraries."),
    "pubmedqa": gettext_lazy("Questions that summaries of medical studies answer."),
    "identifiers": gettext_lazy("Nothing but section numbers, part numbers and names in code."),
    "vault": gettext_lazy("Questions on laws, manuals, books and forms, as a vault holds them."),
}


@dataclass(frozen=True, slots=True)
class Share:
    """Of 100 questions of each kind: how many are judged rightly; None where none was asked."""

    name: str  # of a labelled set, or where the threshold would be
    what: str | Promise
    answerable: int
    unanswerable: int | None
    elsewhere: int | None = None  # on another subject
    used: bool = False  # the threshold in use


def told(model: str, rule: Calibration) -> dict[str, Any]:
    """The record of a model's rule in the words of its page.

    `right` is how often it is right where it stands, None where nobody measured; `weights` are
    names, sentences and numbers; `stricter` and `sets` are shares.
    """
    record = relevance.record(model, rule)
    drawn = relevance.record(model)["threshold"]  # where the curve was measured
    stricter = [
        _share(number_format(drawn + row["cut"], 2), "", row, used=not row["cut"])
        for row in record["curve"]
    ]
    return {
        "date": record["date"],
        "threshold": record["threshold"],
        "moved": record["threshold"] != drawn,
        "right": next((share for share in stricter if share.used), None),
        "weights": [(*WEIGHTS[name], getattr(rule, name)) for name in WEIGHTS],
        "stricter": stricter,
        "sets": [_share(row["set"], SETS.get(row["set"], ""), row) for row in record["passed"]],
    }


def _share(name: str, what: str | Promise, row: dict[str, Any], used: bool = False) -> Share:
    """Of what can be answered it is right to pass, of the rest it is right to be told so."""
    absent, elsewhere = (100 - row[side] if side in row else None for side in relevance.SIDES[1:])
    return Share(name, what, row["answerable"], absent, elsewhere, used)
