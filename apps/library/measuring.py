"""How long a document is, in what its kind is counted in: pages, slides, sheets, rows, minutes."""

import re

from django.db.models import QuerySet
from django.utils.formats import number_format
from django.utils.translation import ngettext_lazy

from apps.library.models import Document, Part

# What a part of a format is called while it is read, and in the list where it is all there is.
UNITS = {
    "pdf": "page",
    "image": "page",
    "pptx": "slide",
    "markdown": "section",
    "html": "section",
    "docx": "section",
    "audio": "minute",
}


COUNTED = {
    "page": ngettext_lazy("%(number)s page", "%(number)s pages", "count"),
    "slide": ngettext_lazy("%(number)s slide", "%(number)s slides", "count"),
    "section": ngettext_lazy("%(number)s section", "%(number)s sections", "count"),
    "minute": ngettext_lazy("%(number)s minute", "%(number)s minutes", "count"),
    "sheet": ngettext_lazy("%(number)s sheet", "%(number)s sheets", "count"),
    "row": ngettext_lazy("%(number)s row", "%(number)s rows", "count"),
    "line": ngettext_lazy("%(number)s line", "%(number)s lines", "count"),
    "part": ngettext_lazy("%(number)s part", "%(number)s parts", "count"),
    "document": ngettext_lazy("%(number)s document", "%(number)s documents", "count"),
    "passage": ngettext_lazy("%(number)s passage", "%(number)s passages", "count"),
    "character": ngettext_lazy("%(number)s character", "%(number)s characters", "count"),
    "question": ngettext_lazy("%(number)s question", "%(number)s questions", "count"),
}
STORED = re.compile(r"([\d,]+) ([a-z]+?)s?")


def counted(number: int | None, noun: str) -> str:
    """A number and one of the nouns above, as the reader's language has it: 1 page, 1,500 pages."""
    count = number or 0
    return COUNTED[noun] % {"count": count, "number": number_format(count, force_grouping=True)}


def _stored(number: int, noun: str) -> str:
    """The same for the database: in English, whoever reads it."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def extent(document: Document) -> str:
    """Its length once it is read, to be kept: "352 pages", "3 sheets", "1,204 rows"."""
    parts = document.parts.filter(revision=document.revision)
    last = parts.order_by("ordinal").last()
    if last is None:
        return ""
    match document.format:
        case "xlsx":
            labels = parts.order_by().values_list("label", flat=True)
            return _stored(len({label.partition(", row")[0] for label in labels}), "sheet")
        case "csv":
            return _stored(_last_line(last) - _first_row(parts) + 1, "row")
        case "text" | "code":
            return _stored(_last_line(last), "line")
    return _stored(parts.count(), UNITS.get(document.format, "part"))


def shown(document: Document) -> str:
    """The same for a reader; of one that was read before this was noted, its parts."""
    if found := STORED.fullmatch(document.extent):
        return counted(int(found[1].replace(",", "")), found[2])
    if document.extent or not document.part_count:
        return document.extent
    return counted(document.part_count, UNITS.get(document.format, "part"))


def _first_row(parts: QuerySet[Part]) -> int:
    """The line at which the rows below a header begin; the first one where there is no header."""
    found = parts.exclude(header="").order_by("ordinal").values_list("number", flat=True)
    return next(iter(found[:1]), 1)


def _last_line(part: Part) -> int:
    return part.number + part.text.rstrip().count("\n")
