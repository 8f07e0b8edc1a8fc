"""Where a passage stands on its page, found by its letters."""

import re
from collections.abc import Sequence

Box = tuple[float, float, float, float]
ANCHOR = 40  # letters of the beginning and end that must be found when the whole is not


def boxes(passage: str, words: Sequence[tuple[Box, str, object]]) -> list[Box]:
    """One box for each line the passage stands on, in reading order; empty when it is not found.

    A word is (box, text, line). Only letters and digits count, so hyphens and breaks do not matter.
    """
    letters, owners = "", list[int]()
    for index, (_, text, _) in enumerate(words):
        kept = _letters(text)
        letters += kept
        owners += [index] * len(kept)
    found = _span(_letters(passage), letters)
    if found is None:
        return []
    first, last = owners[found[0]], owners[found[1] - 1]
    return _lines(words[first : last + 1])


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def _span(wanted: str, letters: str) -> tuple[int, int] | None:
    if not wanted:
        return None
    if (whole := letters.find(wanted)) >= 0:
        return whole, whole + len(wanted)
    begin = _anchor(wanted, letters)
    end = _anchor(wanted, letters, last=True)
    if begin is None and end is None:
        return None
    start = begin if begin is not None else max(0, (end or 0) - len(wanted))
    stop = end if end is not None and end > start else min(len(letters), start + len(wanted))
    # Beginning and end of two different places say nothing about what is between them.
    return (
        (start, stop)
        if stop - start <= 2 * len(wanted)
        else (start, min(len(letters), start + len(wanted)))
    )


def _anchor(wanted: str, letters: str, last: bool = False) -> int | None:
    """Where the first (or last) stretch of the passage that is on the page begins (or ends)."""
    steps = range(0, max(1, len(wanted) - ANCHOR + 1), ANCHOR // 2)
    for step in steps:
        stretch = (
            wanted[len(wanted) - step - ANCHOR : len(wanted) - step]
            if last
            else wanted[step : step + ANCHOR]
        )
        at = letters.find(stretch) if stretch else -1
        if at >= 0:
            return min(len(letters), at + len(stretch) + step) if last else max(0, at - step)
    return None


def _lines(words: Sequence[tuple[Box, str, object]]) -> list[Box]:
    lines: dict[object, Box] = {}
    for (x0, y0, x1, y1), _, line in words:
        old = lines.get(line, (x0, y0, x1, y1))
        lines[line] = (min(x0, old[0]), min(y0, old[1]), max(x1, old[2]), max(y1, old[3]))
    return list(lines.values())
