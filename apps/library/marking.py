"""Finds where a passage answers to a question: the best stretch of it, and its words there."""

import re
from collections.abc import Sequence

from apps.library.analysis.tokens import is_unspaced
from apps.library.pointing import Span

STRETCH = 340  # characters, about three lines
BETWEEN = " · "  # the cells of a row
_SPACE = re.compile(r"\s+")
# Marks of Markdown that say how a text looks, not what it says; a name in code keeps its own.
_RULE = re.compile(r"^[ \t]*(?:\|?[ \t:]*-{3,}[-| \t:]*|[*_=]{3,}|```.*|~~~.*)$", re.MULTILINE)
_LINE = re.compile(
    r"^[ \t]{0,3}(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?)", re.MULTILINE
)
_BAR = re.compile(r"^[ \t]*\|[ \t]*|[ \t]*\|[ \t]*$", re.MULTILINE)
_CELL = re.compile(r"[ \t]+\|(?:[ \t]+\|)*[ \t]+")
_LINK = re.compile(r"(?<!\w)!?\[([^\[\]\n]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+\"[^\"\n]*\")?\)")
_STRONG = re.compile(
    r"(\*{1,3})(?=\S)([^*\n]+?)(?<=\S)\1(?!\w)|(?<!\w)__(?=\S)([^_\n]+ [^_\n]*?)(?<=\S)__(?!\w)"
)
_TICKS = re.compile(r"(?<!`)(`{1,2})(?!`)([^`\n]+)(?<!`)\1(?!`)")


def excerpt(text: str, words: Sequence[str], stretch: int) -> str:
    """The stretch of `text` with most of `words`, on one line and without marks."""
    text = _SPACE.sub(" ", plain(text)).strip()
    start, end = window(text, spans(text, words), stretch)
    return text[start:end]


def plain(text: str, ticked: str = r"\2") -> str:
    """The text without the marks of Markdown, as a reader takes it in; lines stay.

    What stands in backticks becomes `ticked`, a template for its second group.
    """
    text = _BAR.sub("", _LINE.sub("", _RULE.sub("", text)))
    text = _STRONG.sub(lambda found: found[2] or found[3], _LINK.sub(r"\1", text))
    return _CELL.sub(BETWEEN, _TICKS.sub(ticked, text))


def lined(text: str, every: bool = False) -> str:
    """The text as `plain` tells it, rows of a table on lines, the rest running on.

    With `every` each line stays one, with all its signs, as in a file of commands.
    """
    told = ""
    for line in (text if every else plain(text)).split("\n"):
        words = " ".join(line.split())
        if told and words:
            apart = every or BETWEEN in words or BETWEEN in told.rpartition("\n")[2]
            told += "\n" if apart else " "
        told += words
    return told


def spans(text: str, words: Sequence[str]) -> list[Span]:
    """Where the words stand as whole words, whatever their case; longer ones first."""
    if not words:
        return []
    found = "|".join(_whole(word) for word in sorted(set(words), key=len, reverse=True))
    return [match.span() for match in re.finditer(found, text, re.IGNORECASE)]


def _whole(word: str) -> str:
    pattern = _SPACE.sub(r"\\s+", re.escape(_SPACE.sub(" ", word)).replace(r"\ ", " "))
    if is_unspaced(word):
        return pattern
    before = r"(?<!\w)" if word[0].isalnum() else ""
    return before + pattern + (r"(?!\w)" if word[-1].isalnum() else "")


def window(text: str, found: Sequence[Span], stretch: int = STRETCH) -> Span:
    """The stretch in which most different words stand, begun and ended between words."""
    if len(text) <= stretch:
        return 0, len(text)
    best, most = 0, -1
    for left, _ in found:
        inside = {text[a:b].casefold() for a, b in found if left <= a and b <= left + stretch - 60}
        if len(inside) > most:
            best, most = left, len(inside)
    start = max(0, min(best - 60, len(text) - stretch))
    if start:
        start = text.find(" ", start, start + 40) + 1 or start
    end = min(start + stretch, len(text))
    if end < len(text):
        end = max(text.rfind(" ", end - 40, end), 0) or end
    return start, end
