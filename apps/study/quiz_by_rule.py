"""Questions by rule: a sentence of the passage with a gap, or with a wrong word in it. Pure.

They stand in where no language model is installed, and where what the model wrote about a passage
did not pass the gate too often. Their key stands in the document word for word.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from apps.study import quality
from apps.study.cloze import GAP, WORD, Cloze, clozes

WRONG = 3
YEARS = range(1800, 2200)
FILL = {"en": "Fill the gap: {}", "de": "Ergänze die Lücke: {}"}
THOUSANDS = re.compile(r"(?<=\d)[.,](?=\d{3}(?!\d))")
ENDING = 2  # letters at the end in which a wrong word resembles the right one


class Gap(NamedTuple):
    """A sentence, its gap, what belongs there and what does not."""

    front: str
    right: str
    wrong: list[str]
    quote: str

    def question(self, language: str) -> str:
        """What is asked with four options to choose from."""
        return FILL.get(language, FILL["en"]).format(self.front)

    @property
    def true(self) -> str:
        return self.front.replace(GAP, self.right)

    @property
    def false(self) -> str:
        return self.front.replace(GAP, self.wrong[0])


def gaps(text: str, document: str) -> Iterator[Gap]:
    """The text's sentences as gaps with three wrong words each, the best first.

    The wrong words are numbers near the right one, or words of the document that look alike.
    """
    for made in clozes(text, document):
        if found := _with_wrong(made, document):
            yield found


def _with_wrong(made: Cloze, document: str) -> Gap | None:
    if not (made.back[0].isdigit() or made.back.isalpha()):
        return None
    wrong = _numbers(made.back) if made.back[0].isdigit() else _words(made.back, document)
    apart = _apart(wrong, made.quote)
    if GAP not in made.front or len(apart) < WRONG:
        return None
    return Gap(made.front, made.back, apart, made.quote)


def _apart(wrong: Iterable[str], sentence: str) -> list[str]:
    """The first three that are no form or part of a word of the sentence, nor of one another.

    "The maker of a part" is not made wrong by "the maker of a product part".
    """
    known = quality.plain(sentence).split()
    apart: list[str] = []
    for each in wrong:
        bare = quality.plain(each)
        if not any(_akin(bare, word) for word in known):
            apart.append(each)
            known.append(bare)
        if len(apart) == WRONG:
            break
    return apart


def _akin(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if not short.isalpha() or len(short) < quality.STEM:
        return one == other
    return short[: max(quality.STEM, len(short) - ENDING)] in long


def _numbers(right: str) -> Iterator[str]:
    """Numbers of the same form: "22:00" gives "23:00", "1.240" gives "2.480"."""
    bare = THOUSANDS.sub("", right)
    mark = next((sign for sign in ",." if sign in right), "") if bare != right else ""
    head = re.match(r"\d+", bare)
    if head is None:
        return
    value, rest = int(head[0]), bare[head.end() :]
    for step in _steps(value, clock=rest.startswith(":")):
        yield f"{step:,}".replace(",", mark) + rest if mark else f"{step}{rest}"


def _steps(value: int, *, clock: bool) -> list[int]:
    """Numbers that a reader could take for the right one."""
    if clock:
        return [hour for hour in (value + 1, value - 1, value - 2, value + 2) if 0 <= hour < 24]
    if value in YEARS:
        return [value - 1, value + 1, value + 2]
    if value < 10:
        return [each for each in (value + 1, value - 1, value + 2, value + 3) if each > 0]
    if value < 100:
        return [value + 10, value - 5, value + 5]
    return [value * 2, value + value // 2, value // 2]


def _words(right: str, document: str) -> list[str]:
    """Words of the document of the same case, first those that end and measure like the right."""
    found = dict.fromkeys(match[0] for match in WORD.finditer(document))
    alike = [
        word
        for word in found
        if word[0].isupper() == right[0].isupper()
        and word.isalpha()
        and len(word) >= 5
        and word[:5].lower() != right[:5].lower()
    ]
    end = right[-ENDING:]
    return sorted(alike, key=lambda word: (not word.endswith(end), abs(len(word) - len(right))))
