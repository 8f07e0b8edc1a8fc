"""PPTX: one part a slide, with its tables, diagrams and charts, then the speaker's notes."""

from collections.abc import Iterator
from typing import Any

from apps.library.parsing import Opened, ReadPart, Refusal, Skipped, Source, pictures
from apps.library.parsing.docx import core
from apps.library.parsing.packages import Package, local
from apps.library.parsing.tidying import row, squeeze
from apps.library.parsing.words import _

PRESENTATION = "ppt/presentation.xml"
DRAWN_FROM = {"diagramData", "chart"}  # what a slide shows that is kept in members of its own
CHART_VALUES = {"v", "t"}


def read(source: Source) -> Iterator[Opened | ReadPart | Skipped]:
    package = Package(source.path)
    if PRESENTATION not in package:
        raise Refusal(_("The PPTX is damaged: it has no presentation inside. Export it again."))
    slides = _slides(package)
    title, changed = core(package)
    yield Opened("pptx", title, len(slides), "", changed)
    reader = pictures.Reader(package, source.languages)
    for number, name in enumerate(slides, 1):
        text = squeeze("\n\n".join(_slide(package, name)))
        if number <= source.skip:
            yield ReadPart("slide", number, f"slide {number}", text)
            continue
        drawn = [reader.text(member) for member in _shown(package, name)]
        said = [each for each, _ in drawn if each]
        sure = min((sure for each, sure in drawn if each), default=None)
        whole = "\n\n".join(filter(None, [text, *said]))
        yield ReadPart("slide", number, f"slide {number}", whole, ocr=bool(said), confidence=sure)
        if not whole:
            yield Skipped(f"slide {number}", _("The slide has no text, nor have its pictures."))


def _shown(package: Package, name: str) -> list[str]:
    return list(dict.fromkeys(pictures.shown(package.xml(name), package.relations(name))))


def _slides(package: Package) -> list[str]:
    """The slides' members, in the order they are shown."""
    relations = package.relations(PRESENTATION)
    listed = [
        attribute_of_relation(e) for e in package.xml(PRESENTATION).iter() if local(e) == "sldId"
    ]
    names = [relations[key][1] for key in listed if key in relations]
    return [name for name in names if name in package]


def attribute_of_relation(element: Any) -> str:
    """The relation's id, which shares its local name with the element's own."""
    return next(
        (str(v) for k, v in element.attrib.items() if k.startswith("{") and k.endswith("}id")), ""
    )


def _slide(package: Package, name: str) -> Iterator[str]:
    yield from texts(package.xml(name))
    relations = package.relations(name).values()
    for kind, target in relations:
        if kind in DRAWN_FROM and target in package:
            yield from _drawn(package.xml(target), kind)
    for kind, target in relations:
        if kind == "notesSlide" and target in package:
            # A notes page repeats the slide's number in a placeholder of its own.
            notes = [text for text in texts(package.xml(target)) if not text.strip().isdigit()]
            if notes:
                yield "Notes:\n" + "\n".join(notes)


def texts(root: Any) -> Iterator[str]:
    """Each shape's text, and each table, as a paragraph; in the file's order."""
    stack = [root]
    while stack:
        element = stack.pop()
        match local(element):
            case "txBody":
                if text := "\n".join(_paragraphs(element)):
                    yield text
            case "tbl":
                rows = (
                    row([" ".join(_paragraphs(cell)) for cell in line if local(cell) == "tc"])
                    for line in element
                    if local(line) == "tr"
                )
                yield "\n".join(filter(None, rows))
            case "Fallback":
                continue
            case _:
                stack.extend(reversed(element))


def _paragraphs(body: Any) -> Iterator[str]:
    for paragraph in body.iter():
        if local(paragraph) != "p":
            continue
        letters = (
            "\n" if local(e) == "br" else e.text or ""
            for e in paragraph.iter()
            if local(e) in {"t", "br"}
        )
        if text := squeeze("".join(letters)):
            yield text


def _drawn(root: Any, kind: str) -> Iterator[str]:
    """The words of a diagram's nodes; the names and values of a chart."""
    if kind == "diagramData":
        yield "\n".join(_paragraphs(root))
        return
    series = [e for e in root.iter() if local(e) == "ser"]
    beside = (
        e
        for e in root.iter()
        if local(e) in CHART_VALUES
        and not any(local(above) == "ser" for above in e.iterancestors())
    )
    titles = dict.fromkeys(filter(None, (squeeze(e.text or "") for e in beside)))
    yield "\n".join([*titles, *_chart_rows(series)])


def _chart_rows(series: list[Any]) -> list[str]:
    """A chart as the table it was drawn from: a row for each category, a column for each series."""
    names = ["".join(_points(one, {"tx"}).values()) for one in series]
    categories: dict[str, str] = {}
    for one in series:
        categories = _points(one, {"cat", "xVal"}) | categories
    values = [_points(one, {"val", "yVal"}) for one in series]
    places = list(dict.fromkeys([*categories, *(place for each in values for place in each)]))
    rows = [row([categories.get(at, ""), *(each.get(at, "") for each in values)]) for at in places]
    return [line for line in [row(["", *names]), *rows] if line]


def _points(series: Any, kinds: set[str]) -> dict[str, str]:
    """The values of one side of a series, by their place."""
    side = next((e for e in series if local(e) in kinds), None)
    found: dict[str, str] = {}
    for value in side.iter() if side is not None else ():
        if local(value) in CHART_VALUES and value.text:
            found.setdefault(value.getparent().get("idx") or "0", squeeze(value.text))
    return found
