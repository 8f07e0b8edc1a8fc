"""Check each cited sentence against its passages: does what it says stand there?

No second model is asked. Figures and ordinals must be there, in the same unit; names must be
there; "not" must be on the same side; and words or meaning must agree. Words decide where they
can, vectors where they cannot: for what is said in other words, or in another language.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop as noop

from apps.chat import figures, sentences
from apps.chat.steps import Checked, Found
from apps.library import citing
from apps.library.analysis import detect_language
from apps.llm import client

SUPPORTED, WEAK, UNSUPPORTED = "supported", "weak", "unsupported"
# Learned on labelled pairs, see tests/chat/test_claims.py.
MUCH = 0.65  # of the sentence's words stand in the passage: nothing else is needed
LITTLE = 0.4  # … and below that it is said otherwise, or not at all
NEAR = 0.88  # cosine of the sentence and the best stretch of the passage
ABROAD_NEAR = 0.837  # … in another language
STRETCH = 2  # sentences compared at once
MOST_STRETCHES = 24
LED_BY = 24  # characters of a stretch that it is found again by
NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|n't|nicht|kein\w*|nie|niemals|weder|ohne"
    r"|nichts)\b|n't\b",
    re.I,
)
REACH = 3  # words on either side that a "not" is about
NAME = re.compile(r"(?<=[\w,;:] )(?:[A-ZÄÖÜ][\w’'-]+)(?: [A-ZÄÖÜ][\w’'-]+)*")
# A sentence that only says where something stands: "… is described in the passage on page 3."
POINTING = re.compile(
    r"\b(?:described|mentioned|stated|found|discussed|explained|listed|given|shown|covered"
    r"|beschrieben|erwähnt|genannt|zu finden|erklärt|aufgeführt|behandelt|enthalten|angegeben)\b",
    re.I,
)
PLACE = re.compile(
    r"\b(?:passages?|documents?|texts?|pages?|sections?|chapters?|textstellen?|dokumente?s?|seiten?"
    r"|abschnitte?s?|kapitels?|absatz)\b(?:\s+\d+)?",
    re.I,
)
FEW = 5  # content words besides, so that more is said than where it stands
ONLY_POINTS = noop("This sentence only says where something stands, not what.")
NO_FIGURE = noop("“%(what)s” does not stand in the passage.")
OTHER_UNIT = noop("“%(what)s” stands in the passage with another unit.")
NO_NAME = noop("“%(what)s” is not named in the passage.")
OTHER_SIDE = noop("The passage and this sentence differ in a “not”.")
SAYS_LITTLE = noop("Only part of this sentence can be found in the passage.")
SAYS_NOTHING = noop("What this sentence says could not be found in the passage.")

Similarity = Callable[[str, Sequence[str]], float | None]


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence that cites; it begins at `begin`, its last citation ends at `at` in the text."""

    text: str
    numbers: tuple[int, ...]
    begin: int
    at: int


def check(text: str, sources: Sequence[Found]) -> Iterator[Checked]:
    """The verdict on each cited sentence of a text, in order, and where its proof begins."""
    known = {source.number: source for source in sources}
    for claim in cited(text):
        passages = [known[number] for number in claim.numbers if number in known]
        if passages:
            quoted = "\n".join(f"{each.title} {each.label}\n{each.quote}" for each in passages)
            nearest: list[str] = []

            def similar(
                sentence: str, stretches: Sequence[str], found: list[str] = nearest
            ) -> float | None:
                near = nearness(sentence, stretches)
                found += [near[1]] if near else []
                return near[0] if near else None

            state, reason = verdict(claim.text, quoted, similar)
            starts = {str(each.number): _begins(claim.text, each, nearest) for each in passages}
            reason = _(reason) if reason else ""
            yield Checked(claim.at, claim.numbers, state, reason, starts)


def _begins(claim: str, source: Found, nearest: Sequence[str]) -> int:
    """Where the part of a passage begins that bears a claim: by its words, else by its meaning.

    -1 where neither tells.
    """
    by_words = sentences.bearing(claim, source.plain)
    if by_words is not None:
        return by_words
    return max((source.plain.find(stretch[:LED_BY]) for stretch in nearest), default=-1)


def cited(text: str) -> Iterator[Claim]:
    """The sentences that carry citations; headings, tables and code do not."""
    start, code = 0, False
    for line in text.split("\n"):
        code ^= line.lstrip().startswith(("```", "~~~"))
        if not code and not citing.VERBATIM.match(line):
            for sentence in citing.SENTENCE.finditer(line):
                marks = list(citing.MARK.finditer(sentence[0]))
                if marks:
                    bare = citing.MARK.sub("", sentence[0]).strip()
                    begin = start + sentence.start()
                    numbers = tuple(int(mark[1]) for mark in marks)
                    yield Claim(bare, numbers, begin, begin + marks[-1].end())
        start += len(line) + 1


def contradicted(sentence: str, passage: str) -> str:
    """What of a sentence's figures the passage does not have, for the reader; "" if none."""
    said, there = figures.read(sentence), figures.read(passage)
    for figure in said:
        if not any(figure.same(other) for other in there):
            return _(NO_FIGURE) % {"what": figure.text}
        if figure.unit and not any(figure.same(other, unit=True) for other in there):
            return _(OTHER_UNIT) % {"what": figure.text}
    return ""


def only_points(sentence: str) -> bool:
    """Whether a sentence names the place of something, and says next to nothing of it."""
    if not (POINTING.search(sentence) and PLACE.search(sentence)):
        return False
    rest = PLACE.sub(" ", POINTING.sub(" ", sentence))
    return not figures.read(rest) and len(citing.content_words(rest)) < FEW


def refuted(sentence: str, passage: str) -> bool:
    """Whether a sentence is not to stand with this passage as its proof, judged by words alone."""
    if contradicted(sentence, passage) or only_points(sentence):
        return True
    spoken = {detect_language(sentence), detect_language(passage)} - {""}
    missing = _missing_name(sentence, passage) if spoken == {"en"} else None
    return bool(missing and missing[1])


def verdict(sentence: str, passage: str, similar: Similarity) -> tuple[str, str]:
    """Whether a passage supports a sentence, and if not fully, why not, for the reader."""
    if fault := contradicted(sentence, passage):
        return UNSUPPORTED, fault
    if only_points(sentence):
        return WEAK, ONLY_POINTS
    languages = {detect_language(sentence), detect_language(passage)} - {""}
    foreign = len(languages) > 1
    if "en" in languages and not foreign and (missing := _missing_name(sentence, passage)):
        name, whole = missing
        return UNSUPPORTED if whole else WEAK, _(NO_NAME) % {"what": name}
    share = citing.overlap(sentence, passage)
    sentences = _sentences(passage)
    best = max(sentences, key=lambda each: citing.overlap(sentence, each), default="")
    if not foreign and citing.overlap(sentence, best) >= LITTLE and _opposed(sentence, best):
        return WEAK, OTHER_SIDE
    if share >= MUCH:
        return SUPPORTED, ""
    near = similar(sentence, _stretches(sentences))
    if near is None:
        return (WEAK, SAYS_LITTLE) if share >= LITTLE else (UNSUPPORTED, SAYS_NOTHING)
    if foreign:
        return (SUPPORTED, "") if near >= ABROAD_NEAR else (WEAK, SAYS_LITTLE)
    if near >= NEAR and share >= LITTLE:
        return SUPPORTED, ""
    if share >= LITTLE or near >= NEAR:
        return WEAK, SAYS_LITTLE
    return UNSUPPORTED, SAYS_NOTHING


def _missing_name(sentence: str, passage: str) -> tuple[str, bool] | None:
    """A name that the passage does not have, and whether no part of it is there.

    Of English only: German writes all nouns like names.
    """
    words = {word.casefold() for word in re.findall(r"\w+", passage)}
    partly = None
    for name in NAME.findall(sentence):
        parts = [part for part in re.findall(r"\w+", name) if len(part) > 2]
        missing = [part for part in parts if part.casefold() not in words]
        if missing and len(missing) == len(parts):
            return name, True
        if missing and max(map(len, missing)) > 3:
            partly = name, False
    return partly


def _opposed(sentence: str, other: str) -> bool:
    """Whether only one of the two says "not" of what both speak about."""
    here, there = list(NEGATION.finditer(sentence)), list(NEGATION.finditer(other))
    if bool(here) == bool(there):
        return False
    spoken = citing.content_words(other if here else sentence)
    text, marks = (sentence, here) if here else (other, there)
    return any(citing.content_words(_around(text, mark)) & spoken for mark in marks)


def _around(text: str, mark: re.Match[str]) -> str:
    """The words next to a "not": within its clause, a few on either side."""
    before = re.split(r"[,;:]", text[: mark.start()])[-1].split()[-REACH:]
    after = re.split(r"[,;:]", text[mark.end() :])[0].split()[:REACH]
    return " ".join([*before, *after])


def _sentences(passage: str) -> list[str]:
    return [
        each[0].strip()
        for line in passage.split("\n")
        for each in citing.SENTENCE.finditer(line)
        if each[0].strip()
    ]


def _stretches(sentences: Sequence[str]) -> list[str]:
    """Overlapping runs of sentences."""
    last = max(1, len(sentences) - STRETCH + 1)
    return [" ".join(sentences[n : n + STRETCH]) for n in range(last)][:MOST_STRETCHES]


def nearness(sentence: str, stretches: Sequence[str]) -> tuple[float, str] | None:
    """The cosine of the sentence and the nearest stretch, and that; None without an embedder."""
    if not stretches:
        return None
    try:
        vectors = client.embed([sentence, *stretches], "query")
    except client.ModelError:
        return None
    cosines = vectors[1:] @ vectors[0]
    return float(np.max(cosines)), stretches[int(np.argmax(cosines))]
