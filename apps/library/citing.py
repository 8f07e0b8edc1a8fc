"""Check the citations of a text against the passages they name, and put them right.

A model's [n] stays where its sentence shares enough content words, and every figure, with
passage n, moves to the passage that shares most where another does, and goes where none does.
A sentence without a citation gets one where a passage clearly supports it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from apps.library.analysis.languages import function_words

ENOUGH = 0.5  # of a sentence's weight must be in the passage it cites
CLEAR = 0.7  # … for a citation that the model did not give
FOREIGN = 0.2  # … where the passage is in another language: names and numbers only

MARK = re.compile(r"\s*\[(\d{1,2})\]")
# A sentence ends at . ! ? : or the line's end, its marks included; not after "14." or "Nr."
SENTENCE = re.compile(
    r".+?(?:(?<![\d\s(])(?<!\b\w)(?<!\b\w\w)[.!?]+[\"”“»)]*(?:\s*\[\d{1,2}\])*(?=\s|$)|$)\s*"
)
END = re.compile(r"[.!?:;,]*[\"”“»)]*\s*$")
WORD = re.compile(r"\d+(?:[.,:/-]\d+)*|[^\W\d_]+(?:-[^\W\d_]+)*")
SEPARATOR = re.compile(r"[.,:/-]")
SAYING = 3  # content words; a sentence of fewer says too little to be checked
SHORT_STEM = 5
STEM = 6  # letters: enough to know a word by in all its forms
VERBATIM = re.compile(r"^\s*(#|\||```|~~~)")  # headings, tables and code carry no citations
COMMON = function_words()["en"] | function_words()["de"]


@dataclass(frozen=True, slots=True)
class Repaired:
    """A text whose citations can be trusted as far as shared words go."""

    text: str
    used: tuple[int, ...]  # the passages it refers to
    unsupported: int  # sentences with something to say that no passage supports
    sentences: int


def repaired(
    text: str,
    passages: Sequence[str],
    *,
    foreign: bool = False,
    strict: bool = False,
    asked: str = "",
) -> Repaired:
    """The text with its citations put right; passage n is `passages[n - 1]`.

    `foreign` says that the text is in another language than the passages. With `strict` a
    sentence that says something no passage supports is left out, and counted. Words of the
    question `asked` support nothing: what a sentence adds to them must stand in the passage.
    """
    repair = _Repair([_weights(passage) for passage in passages], foreign, strict, asked)
    lines, code = [], False
    for line in text.split("\n"):
        code ^= line.lstrip().startswith(("```", "~~~"))
        lines.append(line if code or VERBATIM.match(line) else repair.line(line))
    whole = "\n".join(lines)
    used = numbers(whole, len(passages))
    return Repaired(whole, used, repair.unsupported, repair.sentences)


def support(sentence: str, passage: str) -> float:
    """How much of what a sentence says stands in the passage, 0 to 1; 0 if one figure does not.

    Words are compared by fewer letters than citations are: "gehört" stands where "gehören" does.
    """
    words = _weights(MARK.sub("", sentence), SHORT_STEM)
    return _Repair([_weights(passage, SHORT_STEM)], foreign=False).share(words, 1)


def overlap(sentence: str, passage: str) -> float:
    """The share of a sentence's words that stand in the passage, 0 to 1; figures aside."""
    words = {word for word in _weights(MARK.sub("", sentence), SHORT_STEM) if not word[0].isdigit()}
    there = _weights(passage, SHORT_STEM)
    return sum(word in there for word in words) / len(words) if words else 0.0


def content_words(text: str) -> set[str]:
    """What a text is about: its words without the common ones, cut to their stems."""
    return set(_weights(text))


def numbers(text: str, last: int) -> tuple[int, ...]:
    """The passages a text cites, in order, from 1 to `last`."""
    cited = {int(mark[1]) for mark in MARK.finditer(text)}
    return tuple(sorted(number for number in cited if 1 <= number <= last))


class _Repair:
    def __init__(
        self,
        passages: list[dict[str, float]],
        foreign: bool,
        strict: bool = False,
        asked: str = "",
    ) -> None:
        self._passages, self._strict, self._asked = passages, strict, _weights(asked)
        self._enough = FOREIGN if foreign else ENOUGH
        self._clear = FOREIGN if foreign else CLEAR
        self.sentences = self.unsupported = 0

    def line(self, line: str) -> str:
        return SENTENCE.sub(lambda sentence: self._sentence(sentence[0]), line)

    def _sentence(self, sentence: str) -> str:
        words = _weights(MARK.sub("", sentence))
        if not words:
            return MARK.sub("", sentence)  # a citation of nothing
        self.sentences += 1
        marks = list(MARK.finditer(sentence))
        kept, seen, at = "", set[int](), 0
        for mark in marks:
            since = sentence[at : mark.start()]
            number = self._put_right(int(mark[1]), words, _weights(since))
            kept += since
            if number and number not in seen:
                kept += f" [{number}]"
                seen.add(number)
            at = mark.end()
        kept += sentence[at:]
        if not seen and (best := self._best(words, self._clear)) and len(words) >= SAYING:
            kept = _marked(kept, best)
            seen.add(best)
        self.unsupported += not seen
        return kept if seen or not self._strict or len(words) < SAYING else ""

    def _put_right(self, number: int, whole: dict[str, float], since: dict[str, float]) -> int:
        """The passage a mark should name: the same, a better one, or 0 for none."""
        for words in (whole, since):
            if 1 <= number <= len(self._passages) and self.share(words, number) >= self._enough:
                return number
        return self._best(since or whole, self._enough) or self._best(whole, self._enough)

    def _best(self, words: dict[str, float], least: float) -> int:
        shares = [self.share(words, n) for n in range(1, len(self._passages) + 1)]
        best = max(shares, default=0)
        return shares.index(best) + 1 if best >= least else 0

    def share(self, words: dict[str, float], number: int) -> float:
        """How much of the words' weight is in passage `number`; 0 to 1."""
        passage = self._passages[number - 1]
        if any(word[0].isdigit() and word not in passage for word in words):
            return 0  # a figure that is not there makes it another statement
        added = {word: weight for word, weight in words.items() if word not in self._asked}
        words = added or words
        found = sum(weight for word, weight in words.items() if word in passage)
        return found / sum(words.values()) if words else 0


def _marked(sentence: str, number: int) -> str:
    end = END.search(sentence)
    at = end.start() if end else len(sentence)
    return f"{sentence[:at]} [{number}]{sentence[at:]}"


def _weights(text: str, stem: int = STEM) -> dict[str, float]:
    """Content words, cut to their stem, and how much each says: numbers twice as much."""
    weights = {}
    for word in WORD.findall(text.lower()):
        if word[0].isdigit():
            weights[SEPARATOR.sub("", word).lstrip("0") or "0"] = 2.0  # 18,400 is 18.400
        elif len(word) > 2 and word not in COMMON:
            weights[word[:stem]] = 1.0
    return weights
