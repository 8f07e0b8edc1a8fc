"""Places in a document in the reader's language; they are stored as the parsers name them."""

import re
from collections.abc import Iterable

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.web.telling import restored, stored

FIXED = {
    "Beginning": gettext_lazy("Beginning"),
    "whole file": gettext_lazy("whole file"),
    "embedded files": gettext_lazy("embedded files"),
    "image": gettext_lazy("image"),
    "header": gettext_lazy("header"),
    "footer": gettext_lazy("footer"),
    "footnotes": gettext_lazy("footnotes"),
    "endnotes": gettext_lazy("endnotes"),
    "comments": gettext_lazy("comments"),
}
NUMBERED = {
    "page": gettext_lazy("page %s"),
    "pages from": gettext_lazy("pages from %s"),
    "slide": gettext_lazy("slide %s"),
    "line": gettext_lazy("line %s"),
    "lines": gettext_lazy("lines %s"),
    "row": gettext_lazy("row %s"),
    "rows": gettext_lazy("rows %s"),
}
PLACE = re.compile(
    rf"(?:(?P<before>.+), )?(?P<kind>{'|'.join(NUMBERED)}) (?P<numbers>\d+(?:–\d+)?)"
    r"(?P<after>, .+)?"  # what is defined in lines of code
)
SHEET = "sheet "
PICTURE = " › picture"


def said(label: str) -> str:
    """A place as the reader calls it: "Blatt Plan, Zeilen 21–40" for "sheet Plan, rows 21–40"."""
    if label in FIXED:
        return str(FIXED[label])
    if label.endswith(PICTURE):
        word = _("picture")
        return f"{label.removesuffix(PICTURE)} › {word}"
    found = PLACE.fullmatch(label)
    if not found:
        return label
    place = NUMBERED[found["kind"]] % found["numbers"] + (found["after"] or "")
    before = found["before"]
    if not before:
        return place
    if before.startswith(SHEET):
        before = _("sheet %(name)s") % {"name": before.removeprefix(SHEET)}
    return f"{FIXED.get(before, before)}, {place}"


def together(stored: Iterable[str]) -> list[str]:
    """Places as the reader calls them, neighbours as one: "rows 14–43" for 14–25 and 26–43."""
    told: list[str] = []
    for label in dict.fromkeys(stored):
        joined = _joined(told[-1], label) if told else ""
        if joined:
            told[-1] = joined
        else:
            told.append(label)
    return [said(label) for label in told]


def _joined(one: str, other: str) -> str:
    """Two places as one; "" where they are not rows or lines side by side."""
    above, below = PLACE.fullmatch(one), PLACE.fullmatch(other)
    if not above or not below:
        return ""
    before, kind, first, last, after = _taken_apart(above)
    alike = _taken_apart(below)
    if (before, kind, after) != (alike[0], alike[1], alike[4]) or kind not in {"row", "line"}:
        return ""
    begins, ends = alike[2:4]
    side_by_side = first <= begins <= last + 1
    return f"{before}{kind}s {first}–{max(last, ends)}{after}" if side_by_side else ""


def _taken_apart(place: re.Match[str]) -> tuple[str, str, int, int, str]:
    first, _dash, last = place["numbers"].partition("–")
    before = f"{place['before']}, " if place["before"] else ""
    kind = place["kind"].removesuffix("s")
    return before, kind, int(first), int(last or first), place["after"] or ""


def brief(place: str, most: int = 80) -> str:
    """The end of a long path of headings: "… › § 49 Purposes"."""
    *above, end = place.split(" › ")
    while above and len(f"{above[-1]} › {end}") <= most:
        end = f"{above.pop()} › {end}"
    return f"… › {end}" if above else end


def line(label: str, reason: str) -> str:
    """A line of what was left out, to be kept: "page 3: why", in no language."""
    return f"{label}: {' '.join(stored(reason).split())}"


def noted(line: str) -> str:
    """Such a line with its place and its reason in the reader's language."""
    label, colon, reason = line.partition(": ")
    return f"{said(label)}{colon}{restored(reason)}"
