"""The sentences of a passage, also where they run over the ends of its lines, and their places."""

import re
from collections.abc import Iterator

from apps.library import citing

# The end of a line within a sentence; a shorter line without a mark at its end is a heading. Tried
# at the beginnings of lines only, or a long line would cost the square of its length.
WRAPPED = re.compile(r"^([^\n]{40,}[^\n.!?:;|])\n(?=[^\n|#*•–-])", re.M)
ENOUGH = 0.25  # of a claim's words, in the sentence that bears it
HEADING = re.compile(r"^#+ .*$", re.M)  # of Markdown
# A row of a table or an item of a list says something, however short it is.
LISTED = re.compile(r"^\s*(?:[-*•+–] |\(?[\da-z]{1,2}[.)] |\|)|\S \| ?|\t", re.M)
SAID = 4  # words of a sentence; a line of LONG is one without a mark at its end
LONG = 14


def of(passage: str) -> Iterator[tuple[int, str]]:
    """Where each sentence begins, and the sentence."""
    at = 0
    for line in WRAPPED.sub(r"\1 ", passage).split("\n"):  # of the same length
        for sentence in citing.SENTENCE.finditer(line):
            if text := sentence[0].strip():
                yield at + sentence.start(), text
        at += len(line) + 1


def around(place: int, passage: str) -> str:
    """The sentence that a place of the passage is in; "" of a place below 0."""
    if place < 0:
        return ""
    return next((text for at, text in reversed(list(of(passage))) if at <= place), "")


def bearing(claim: str, passage: str) -> int | None:
    """Where the sentence begins that shares most with a claim; None where none shares enough."""
    shares = [(citing.overlap(claim, text), -at) for at, text in of(passage)]
    share, at = max(shares, default=(0.0, 0))
    return -at if share >= ENOUGH else None


def says_something(passage: str) -> bool:
    """Whether it has a sentence, a row or an item of a list, and not just titles and details.

    A document's title block and its front matter name it and say nothing.
    """
    text = HEADING.sub("", passage)
    if LISTED.search(text):
        return True
    return any(_is_said(sentence) for _, sentence in of(text))


def _is_said(sentence: str) -> bool:
    words = len(sentence.split())
    return words >= LONG or (words >= SAID and sentence.endswith((".", "!", "?", "…", ";")))
