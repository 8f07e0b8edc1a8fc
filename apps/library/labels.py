"""Places in a document in the reader's language; they are stored as the parsers name them."""

import re

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


def line(label: str, reason: str) -> str:
    """A line of what was left out, to be kept: "page 3: why", in no language."""
    return f"{label}: {' '.join(stored(reason).split())}"


def noted(line: str) -> str:
    """Such a line with its place and its reason in the reader's language."""
    label, colon, reason = line.partition(": ")
    return f"{said(label)}{colon}{restored(reason)}"
