"""Do the passages bear on the question? Asked before a model is, and more sternly for a small one.

A large model is left to decide where the search doubts. A small one writes an answer from whatever
it is given, and one that quotes always finds something to quote.
"""

import re
from collections.abc import Sequence

from apps.chat import holding, prompt
from apps.library import citing
from apps.library.analysis import detect_language
from apps.library.search import Findings, Hit
from apps.llm.catalogue import Model

LOOKED_AT = 4  # passages
ALL_WORDS = 0.99  # of the question's, in the passages looked at
POSSESSIVE = re.compile(r"['’]s\b")
# A word with a capital within an English sentence; German gives one to every noun.
NAME = re.compile(r"(?<=[\w,;:] )[A-Z][\w’'-]+(?: [A-Z][\w’'-]+)*")
STEM = 6  # letters a name is known by


def nothing(findings: Findings, question: str, model: Model | None) -> bool:
    """Whether the question is to be refused without asking a model.

    Never where a passage has a sentence with all of the several things that are asked for.
    """
    if not findings.hits:
        return True
    whole = not findings.answerable and holding.says_much(question)
    if whole and any(holds(question, hit) for hit in findings.hits):
        return False
    if findings.sure and not findings.answerable:
        return True
    if model is None or not (model.extractive or prompt.is_small(model)):
        return False
    hits = findings.hits[:LOOKED_AT]
    # Without meaning a passage is judged by words alone, and whatever has all of them is worth
    # asking about: "Who is the receipt from?" has but one word to go by.
    doubtful = not findings.sure and not findings.notice and hits[0].band == "weak"
    if citing.overlap(holding.bare(question), _told(hits)) >= ALL_WORDS:
        doubtful = False
    return doubtful or shares_no_word(question, hits) or bool(unknown_name(question, hits))


def holds(question: str, hit: Hit) -> bool:
    """Whether one sentence of a passage has every word of the question."""
    return bool(holding.found(question, hit.text, f"{hit.chunk.document.name} {hit.chunk.label}"))


def shares_no_word(question: str, hits: Sequence[Hit]) -> bool:
    """Whether no passage in the question's language has any content word of it."""
    spoken = detect_language(question)
    known = {"", spoken} if spoken else None  # a form or a receipt may have no language
    here = [each for each in hits if not known or detect_language(each.chunk.text) in known]
    return bool(here) and not any(citing.overlap(question, _told([each])) for each in here)


def _told(hits: Sequence[Hit]) -> str:
    return "\n".join(f"{h.chunk.document.name} {h.chunk.heading} {h.text}" for h in hits)


def unknown_name(question: str, hits: Sequence[Hit]) -> str:
    """A name of an English question that no passage has; "" where all are there.

    Passages in another language may spell it otherwise: then nothing is said.
    """
    told = _told(hits)
    if detect_language(question) == "de" or detect_language(told) not in ("en", ""):
        return ""
    there = told.casefold()
    for name in NAME.findall(POSSESSIVE.sub("", question)):
        parts = [part for part in re.findall(r"\w+", name) if len(part) > 2]
        if parts and not any(part.casefold().rstrip("s")[:STEM] in there for part in parts):
            return str(name)
    return ""
