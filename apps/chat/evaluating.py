"""Measures answers on labelled sets: what they say, what they cite, when they refuse, how soon.

A set is a folder as `apps.library.evaluating` reads it. Its questions may name the `answer` that
must stand in what is said. Questions that no set answers are asked, too, and should be refused.
"""

import logging
import re
import statistics
import time
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from apps.chat.answer import Question, answer_to
from apps.chat.halting import Halt
from apps.chat.steps import Account, Wrote
from apps.library import evaluating
from apps.library.evaluating import LabelledSet
from apps.library.models import Workspace
from apps.llm.client import ModelError

logger = logging.getLogger(__name__)
NOT_A_LETTER = re.compile(r"[\W_]+")


@dataclass(slots=True)
class Told:
    """One question and what came of it."""

    query: dict[str, str]
    account: Account = field(default_factory=Account)
    first_word: float | None = None  # seconds
    seconds: float = 0.0
    error: str = ""


def evaluate(
    folder: Path,
    names: Sequence[str] = (),
    *,
    limit: int | None = None,
    model: str = "",
    items: bool = False,
) -> dict[str, Any]:
    """Figures of each set, as `evaluate_answers --json` prints them.

    `folder` is a set or holds some. At most `limit` questions of each kind are asked, spread evenly
    over the set. LookupError says what is missing.
    """
    single = (folder / "corpus.jsonl").exists()
    parent = folder.parent if single else folder
    sets = evaluating.read_sets(parent, [folder.name] if single else names)
    strangers = evaluating.strangers(parent)
    report: dict[str, Any] = {"sets": []}
    for labelled in sets:
        languages = {query.get("lang") for query in labelled.queries}
        foreign = [query for query in strangers if query.get("lang") in languages]
        with evaluating.loaded(labelled, files=True) as (workspace, ids):
            answered = _asked(workspace, spread(labelled.queries, limit), model)
            refused = _asked(workspace, spread(foreign, limit), model)
        row = _figures(labelled, answered, refused, ids)
        if items:
            row["items"] = [_item(each) for each in (*answered, *refused)]
        report["sets"].append(row)
    return report


def spread(queries: Sequence[dict[str, str]], limit: int | None) -> list[dict[str, str]]:
    """At most `limit` of them, from the whole length."""
    if not limit or len(queries) <= limit:
        return list(queries)
    return [queries[n * len(queries) // limit] for n in range(limit)]


def _asked(workspace: Workspace, queries: Sequence[dict[str, str]], model: str) -> list[Told]:
    return [_tell(workspace, query, model) for query in queries]


def _tell(workspace: Workspace, query: dict[str, str], model: str) -> Told:
    told, began = Told(query), time.perf_counter()
    try:
        for step in answer_to(Question(query["text"], workspace, model=model), Halt()):
            told.account = told.account.adding(step)
            if told.first_word is None and isinstance(step, Wrote):
                told.first_word = time.perf_counter() - began
    except ModelError as error:
        told.error = str(error)
    told.seconds = time.perf_counter() - began
    said = "refused" if told.account.refused else told.account.text or told.error
    logger.info("%s %.1f s %s → %s", query["id"], told.seconds, query["text"], said)
    return told


def holds(text: str, expected: str) -> bool:
    """Whether the expected words stand in the text, whatever their case and punctuation."""
    return _letters(expected) in _letters(text)


def _letters(text: str) -> str:
    folded = unicodedata.normalize("NFKC", re.sub(r"\s*\[\d+\]", "", text)).casefold()
    return f" {NOT_A_LETTER.sub(' ', folded).strip()} "


def words_of(text: str, expected: str) -> float:
    """The share of the expected string's words that stand in the text, 0 to 1."""
    wanted, said = _letters(expected).split(), set(_letters(text).split())
    return sum(word in said for word in wanted) / len(wanted) if wanted else 0.0


def _figures(
    labelled: LabelledSet, answered: list[Told], refused: list[Told], ids: dict[int, str]
) -> dict[str, Any]:
    files = {item["id"]: item.get("file") or item["id"] for item in labelled.corpus}
    cited = [right for told in answered for right in _citations(told, labelled, ids, files)]
    expecting = [told for told in answered if told.query.get("answer")]
    spoken = [told.first_word for told in answered if told.first_word is not None]
    took = [told.seconds for told in answered]
    return {
        "set": labelled.name,
        "questions": len(answered),
        "model": next((each.account.asked.model for each in answered if each.account.asked), ""),
        "expected": _share([holds(t.account.text, t.query["answer"]) for t in expecting]),
        "expected_words": _share([words_of(t.account.text, t.query["answer"]) for t in expecting]),
        "expected_in_passages": _share(
            [any(holds(s.quote, t.query["answer"]) for s in t.account.sources) for t in expecting]
        ),
        "citations": len(cited),
        "citations_right": _share(cited),
        "refused_wrongly": _share([told.account.refused for told in answered]),
        "unanswerable": len(refused),
        "refused": _share([told.account.refused for told in refused]),
        "failed": sum(bool(told.error) for told in (*answered, *refused)),
        "first_word_seconds": round(statistics.median(spoken), 2) if spoken else None,
        "seconds": round(statistics.median(took), 2) if took else None,
    }


def _citations(
    told: Told, labelled: LabelledSet, ids: dict[int, str], files: dict[str, str]
) -> list[bool]:
    """For each citation whether it names a document that a right passage is of."""
    right = {files[each] for each in labelled.relevant[told.query["id"]] if each in files}
    return [
        files.get(ids.get(source.chunk or 0, ""), "") in right
        for source in told.account.sources
        if source.used
    ]


def _share(found: Sequence[bool | float]) -> float | None:
    return round(statistics.fmean(found), 4) if found else None


def _item(told: Told) -> dict[str, Any]:
    used = [f"{each.title}, {each.label}" for each in told.account.sources if each.used]
    return {
        "id": told.query["id"],
        "question": told.query["text"],
        "expected": told.query.get("answer"),
        "answer": told.account.text,
        "refused": told.account.refused,
        "cited": used,
        "passages": [each.quote for each in told.account.sources],
        "seconds": round(told.seconds, 2),
        "error": told.error,
    }
