"""A sentence of a lesson as Markdown: its words as they are, its source behind them."""

import re
from collections.abc import Sequence

from apps.library import citing
from apps.study import denial, quality

CLEAR = 0.7  # of what a statement says must stand in its passages: small models invent words
ENOUGH = 0.5  # … of a question
LONGEST = 200  # characters without a full stop: the model ran out of room
MARK = re.compile(r"\s*\[\d{1,3}\]")
CITED = re.compile(r"\[(\d{1,3})\]")
KEPT_MARK = re.compile(r"( \[\d{1,2}\])")
SPECIAL = re.compile(r"([\\`*_\[\]<>~|]|&(?=[#\w]+;))")
AT_THE_BEGINNING = re.compile(r"^([#+\-=>]|\d+(?=[.)]))")
REPEATED = re.compile(r" \[(\d{1,2})\](?=[.!?…]+ [^\[\n]*\[\1\])")  # the next sentence has it too
SPLIT = re.compile(r"(?<=[.!?…])\s+(?=[A-ZÄÖÜ„“\"(\d])")
SENTENCE = re.compile(r"^(?P<words>.*?)(?P<end>(?:[.!?…]+[\"”“»)]*)?)$", re.S)


def escaped(text: str) -> str:
    """Words of a document or model as Markdown that shows them and does nothing else."""
    line = SPECIAL.sub(r"\\\1", " ".join(text.split()))
    begin = AT_THE_BEGINNING.match(line)
    if not begin:
        return line
    if begin[1][0].isdigit():
        return f"{begin[1]}\\{line[begin.end() :]}"
    return "\\" + line


def plain(markdown: str) -> str:
    """The words of such Markdown again, without citations."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", MARK.sub("", markdown))


def cited(sentence: str, quotes: Sequence[str], number: int = 1, *, least: float = CLEAR) -> str:
    """The sentence as Markdown with the number of the passage that supports it behind its words.

    "" where no passage does. `number` is the passage it was made from; another one that supports
    it better takes its place. Passage n is `quotes[n - 1]`.
    """
    parts = SENTENCE.match(" ".join(MARK.sub("", sentence).split()))
    if not parts or not parts["words"] or not quotes:
        return ""
    if not parts["end"] and (len(parts["words"]) > LONGEST or parts["words"][-1] in ",;:-("):
        return ""  # cut off
    number = max(
        range(1, len(quotes) + 1),
        key=lambda n: (citing.support(parts["words"], quotes[n - 1]), n == number),
    )
    repaired = citing.repaired(f"{parts['words']} [{number}]{parts['end'] or '.'}", quotes)
    if not repaired.used or repaired.unsupported:
        return ""
    sources = "\n".join(quotes[n - 1] for n in repaired.used)
    if not supports(f"{parts['words']}{parts['end']}", sources, least):
        return ""
    pieces = KEPT_MARK.split(repaired.text.strip())
    return "".join(piece if KEPT_MARK.fullmatch(piece) else _outer(piece) for piece in pieces)


def supports(words: str, passages: str, least: float = CLEAR) -> bool:
    """Whether what a sentence says stands in the passages, and they do not say the contrary."""
    enough = citing.support(words, passages) >= least
    return enough and (words.rstrip().endswith("?") or not denial.contradicts(words, passages))


def quoted(sentence: str, number: int) -> str:
    """A sentence that stands in passage `number` word for word, as Markdown."""
    parts = SENTENCE.match(" ".join(MARK.sub("", sentence).split()))
    assert parts
    return f"{escaped(parts['words'])} [{number}]{parts['end'] or '.'}"


def supported(
    sentences: Sequence[str], quotes: Sequence[str], number: int = 1, *, least: float = CLEAR
) -> list[str]:
    """Those of the sentences that a passage supports, as Markdown, none twice."""
    told: list[str] = []
    kept = []
    for sentence in sentences:
        markdown = cited(sentence, quotes, number, least=least)
        if markdown and not quality.repeats(sentence, told):
            told.append(sentence)
            kept.append(markdown)
    return kept


def once(markdown: str) -> str:
    """Of sentences that follow each other with the same source, only the last one names it."""
    return REPEATED.sub("", markdown)


def without(markdown: str, passages: Sequence[str]) -> str:
    """The text without the sentences that stand in one of the passages; headings stay."""
    lines = []
    for line in markdown.split("\n"):
        if line.startswith("#"):
            lines.append(line)
            continue
        sentences = SPLIT.split(line)
        kept = [each for each in sentences if not _stands(each, passages)]
        if kept or not line.strip():
            lines.append(" ".join(kept))
    return "\n".join(lines)


def _stands(sentence: str, passages: Sequence[str]) -> bool:
    told = quality.plain(plain(sentence))
    return len(told.split()) > 4 and any(told in quality.plain(each) for each in passages)


def _outer(piece: str) -> str:
    """Escape without losing the white space at the ends."""
    before = piece[: len(piece) - len(piece.lstrip())]
    after = piece[len(piece.rstrip()) :] if piece.strip() else ""
    return f"{before}{escaped(piece)}{after}"
