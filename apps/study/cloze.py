"""A sentence with a gap, by rule: what a card is where no language model writes. Pure."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from apps.study import quality
from apps.study.windows import sentences

GAP = "____"
PLACE = re.compile(
    r"(?:§+|\b(?:Abs(?:atz(?:es)?|ätzen?|\.)|Nr\.|Nummern?|Satz(?:es)?|Sätzen?|Art(?:ikels?|ikeln|\.)"
    r"|Buchstaben?|paragraphs?|sections?|articles?|no\.))"
    r"(?:\s[\w,]{1,4}(?:\s(?:oder|und|bis|or|and|to))?)*\s$",
    re.I,
)
SHORTEST, LONGEST = 45, 240  # characters of a sentence that makes a card
WORD = re.compile(r"\w+(?:[-.,:/]\w+)*", re.UNICODE)
LEAST_WORD = 5  # letters; shorter words are seldom what a sentence is about


class Cloze(NamedTuple):
    front: str
    back: str
    quote: str


def clozes(text: str, document: str) -> Iterator[Cloze]:
    """The text's sentences with their most telling word blanked, the best first.

    `document` tells which words are rare. Sentences that name a paragraph of the text by its
    number come last: who does not see it can only guess.
    """
    counts = Counter(word.lower() for word in WORD.findall(document))
    found = []
    for sentence in filter(_fit, sentences(text)):
        if gap := _gap(sentence, counts):
            found.append(((not quality.refers(sentence), *gap[1]), sentence, gap[0]))
    for _, sentence, match in sorted(found, key=lambda each: each[0], reverse=True):
        front = f"{sentence[: match.start()]}{GAP}{sentence[match.end() :]}"
        yield Cloze(quality.NUMBERED.sub("", front), match[0], sentence)


def _fit(sentence: str) -> bool:
    """Whether it is a whole sentence that can be understood alone."""
    bare = quality.NUMBERED.sub("", sentence)
    whole = bare[:1].isupper() and bare[-1:] in (".", "!")
    fits = SHORTEST <= len(bare) <= LONGEST and bare.count("(") == bare.count(")")
    return whole and fits and not quality.dangles(bare)


def _gap(
    sentence: str, counts: Counter[str]
) -> tuple[re.Match[str], tuple[int, int, float]] | None:
    """The word to blank and how telling it is: numbers first, then nouns and names, then others;
    of each the rare and long ones."""
    best: tuple[re.Match[str], tuple[int, int, float]] | None = None
    for match in list(WORD.finditer(sentence))[1:]:
        word = match[0]
        numeric = any(letter.isdigit() for letter in word)
        if not numeric and len(word) < LEAST_WORD:
            continue
        if sentence.count(word) > 1:
            continue  # the other one would give it away
        if numeric and PLACE.search(sentence[: match.start()]):
            continue  # nobody learns the numbers of paragraphs
        if (numeric and "/" in word) or quality.PLACES.match(quality.plain(word)):
            continue  # … or of regulations: "2016/679", "Artikel 13"
        rarity = len(word) / counts[word.lower()] if counts[word.lower()] else 0.0
        worth = (int(numeric), int(word[0].isupper()), rarity)
        if best is None or worth > best[1]:
            best = match, worth
    return best
