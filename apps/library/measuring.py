"""How long a document is, in what its kind is counted in: pages, slides, sheets, rows, minutes."""

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


def counted(number: int | None, noun: str) -> str:
    """A number and its noun, with an s where it needs one: 1 page, 1,500 pages."""
    return f"{number or 0:,} {noun}{'' if number == 1 else 's'}"


def extent(document: Document) -> str:
    """Its length once it is read: "352 pages", "3 sheets", "1,204 rows", "42 minutes"."""
    parts = document.parts.filter(revision=document.revision)
    last = parts.order_by("ordinal").last()
    if last is None:
        return ""
    match document.format:
        case "xlsx":
            labels = parts.order_by().values_list("label", flat=True)
            return counted(len({label.partition(", row")[0] for label in labels}), "sheet")
        case "csv":
            return counted(_last_line(last), "row")
        case "text" | "code":
            return counted(_last_line(last), "line")
    return counted(parts.count(), UNITS.get(document.format, "part"))


def shown(document: Document) -> str:
    """The same for a list; of one that was read before this was noted, its parts."""
    if document.extent or not document.part_count:
        return document.extent
    return counted(document.part_count, UNITS.get(document.format, "part"))


def _last_line(part: Part) -> int:
    return part.number + part.text.count("\n")
