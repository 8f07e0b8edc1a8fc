"""PDF: one part a page, from its text, its forms and notes, or by OCR where it is a picture."""

import re
from collections.abc import Iterator
from typing import Any

import pymupdf

from apps.library.parsing import Opened, ReadPart, Refusal, Skipped, Source, layers, tidying
from apps.library.parsing.tidying import squeeze
from apps.library.parsing.words import _

FEW = 50  # characters: a page with fewer is looked at as a picture
PAGES = 20_000  # of a document, at most
PICTURE = 25_000_000  # pixels of a rendered page, at most
TEXT_FLAGS = (
    pymupdf.TEXT_PRESERVE_WHITESPACE
    | pymupdf.TEXT_PRESERVE_LIGATURES  # MuPDF would take Arabic ones apart in the wrong order
    | pymupdf.TEXT_DEHYPHENATE
    | pymupdf.TEXT_MEDIABOX_CLIP
)
# Scripts without spaces break lines within words; vertical writing is one letter a line.
WITHIN_CJK = re.compile(r"(?<=[\u3040-\u30ff\u3400-\u9fff])\n(?=[\u3040-\u30ff\u3400-\u9fff])")
DATE = re.compile(
    r"(?:D:)?(?P<year>\d{4})(?P<month>\d\d)?(?P<day>\d\d)?(?P<hour>\d\d)?(?P<minute>\d\d)?"
    r"(?P<second>\d\d)?(?:(?P<zone>[Z+-])(?:(?P<hours>\d\d)'?(?P<minutes>\d\d)?)?)?"
)
FREED_EVERY = 50  # pages after which MuPDF's cache is emptied

pymupdf.TOOLS.mupdf_display_errors(False)
pymupdf.TOOLS.mupdf_display_warnings(False)


def read(source: Source) -> Iterator[Opened | ReadPart | Skipped]:
    """Every page is a part, an empty one too: parts and pages have the same numbers."""
    document = open_document(source)
    pages = min(document.page_count, PAGES)
    yield Opened("pdf", _title(document), pages, _language(document), _changed(document))
    if not source.skip:
        yield from _notices(document, pages)
    seen = ""
    for index in range(source.skip, pages):
        label = f"page {index + 1}"
        try:
            part, notice = _page(document, index, seen, source.languages)
        except Refusal as refusal:
            part, notice = ReadPart("page", index + 1, label, ""), str(refusal)
        except (RuntimeError, ValueError) as broken:
            part, notice = (
                ReadPart("page", index + 1, label, ""),
                _("The page is damaged (%(reason)s).") % {"reason": broken},
            )
        seen = (seen + part.text)[-5000:]
        yield part
        if notice:
            yield Skipped(label, notice)
        if index % FREED_EVERY == FREED_EVERY - 1:
            pymupdf.TOOLS.store_shrink(100)


def open_document(source: Source) -> Any:
    """The document, unlocked where no password is needed; raises Refusal."""
    try:
        document = pymupdf.open(str(source.path), filetype="pdf")
        locked = document.needs_pass and not document.authenticate("")
    except (RuntimeError, ValueError):
        raise Refusal(
            _(
                "The PDF is damaged beyond repair: no page can be found in it."
                " Download or export it again."
            )
        ) from None
    if locked:
        raise Refusal(
            _(
                "The PDF is encrypted: it needs its password."
                " Open it with the password, save it without one, and add that file."
            )
        )
    if not document.page_count:
        raise Refusal(
            _("The PDF is damaged or empty: it has no pages. Download or export it again.")
        )
    return document


def _title(document: Any) -> str:
    return tidying.title((document.metadata or {}).get("title") or "")


def _changed(document: Any) -> str:
    """When it was last changed, else made, as ISO 8601; "" where it does not say."""
    metadata = document.metadata or {}
    for key in ("modDate", "creationDate"):
        if found := DATE.match(metadata.get(key) or ""):
            day = "-".join(found[name] or "01" for name in ("year", "month", "day"))
            clock = ":".join(found[name] or "00" for name in ("hour", "minute", "second"))
            zone = "+00:00" if found["zone"] == "Z" else ""
            if found["hours"]:
                zone = f"{found['zone']}{found['hours']}:{found['minutes'] or '00'}"
            return f"{day}T{clock}{zone}"
    return ""


def _language(document: Any) -> str:
    try:
        kind, value = document.xref_get_key(document.pdf_catalog(), "Lang")
    except (RuntimeError, ValueError):
        return ""
    code = value[:2].lower() if kind == "string" else ""
    return code if code.isascii() and code.isalpha() else ""


def _notices(document: Any, pages: int) -> Iterator[Skipped]:
    if document.is_repaired:
        yield Skipped(
            "whole file", _("The PDF was damaged and is repaired; something may be missing.")
        )
    if document.page_count > pages:
        yield Skipped(
            f"pages from {pages + 1}",
            _("Only the first %(number)s pages are read.") % {"number": pages},
        )
    if document.embfile_count():
        names = ", ".join(document.embfile_names()[:5])
        yield Skipped(
            "attachments", _("Files attached inside are not read: %(names)s.") % {"names": names}
        )
    if _is_xfa(document):
        yield Skipped(
            "form",
            _("This is an XFA form: its pages are a placeholder, only the data filled in is read."),
        )


def _is_xfa(document: Any) -> bool:
    try:
        return document.xref_get_key(document.pdf_catalog(), "AcroForm/XFA")[0] != "null"
    except (RuntimeError, ValueError):
        return False


def _page(document: Any, index: int, seen: str, languages: str) -> tuple[ReadPart, str]:
    """The part and a notice, "" where there is nothing to say."""
    page = document.load_page(index)
    text = _text(page)
    extra = _filled_in(page)
    if not index and _is_xfa(document):
        extra += "\n" + xfa_data(document)
    confidence, read_by_ocr, notice = None, False, ""
    if wrong := layers.doubt(page, text):
        text, confidence, notice = _looked_at(page, text, seen, languages, wrong)
        read_by_ocr = confidence is not None
    elif len("".join(text.split())) < FEW and _may_show_text(page):
        from apps.library.parsing import image, ocr

        reading, chosen = ocr.read_in_its_language(rendered(page), seen, languages)
        sure = (reading.confidence or 0) >= image.UNSURE and len(reading.text) > len(text)
        if sure or not text:
            text, confidence = squeeze(reading.text), reading.confidence
            read_by_ocr = bool(text)
        notice = "" if text and not read_by_ocr else image.doubt(reading, chosen)
    elif not text and not extra.strip():
        notice = _("The page is empty.")
    whole = squeeze(f"{text}\n\n{extra}")
    part = ReadPart(
        "page", index + 1, f"page {index + 1}", whole, ocr=read_by_ocr, confidence=confidence
    )
    return part, notice


def _looked_at(
    page: Any, text: str, seen: str, languages: str, wrong: str
) -> tuple[str, float | None, str]:
    """Of a page whose text layer is in doubt: the better text, OCR's confidence, a notice."""
    from apps.library.parsing import ocr

    reading, _chosen = ocr.read_in_its_language(rendered(page), seen, languages)
    found, confidence = squeeze(reading.text), reading.confidence or 0.0
    if layers.is_better(found, confidence, text):
        notice = _("The text in the PDF is poor (%(why)s): read by OCR instead.")
        return found, confidence, notice % {"why": wrong}
    notice = _("The text in the PDF is poor (%(why)s), and OCR read no better.")
    return text, None, notice % {"why": wrong}


def _text(page: Any) -> str:
    """Blocks as paragraphs, in the file's order: it follows columns, a sort would not."""
    text = _blocks(page, TEXT_FLAGS)
    if layers.is_apart(text):
        tight = _blocks(page, TEXT_FLAGS | pymupdf.TEXT_INHIBIT_SPACES)
        return text if layers.is_apart(tight) else tight  # what are gaps only, are no spaces
    return text


def _blocks(page: Any, flags: int) -> str:
    blocks = page.get_text("blocks", flags=flags)
    text = "\n\n".join(block[4].strip("\n") for block in blocks if block[6] == 0)
    return squeeze(WITHIN_CJK.sub("", text))


def _filled_in(page: Any) -> str:
    """What stands in form fields and notes on the page."""
    lines = []
    for field in page.widgets() or ():
        value = str(field.field_value or "").strip()
        name = (field.field_label or field.field_name or "").strip()
        caption = (
            str(field.button_caption or "").strip() if hasattr(field, "button_caption") else ""
        )
        if value not in {"", "Off"} or caption:
            lines.append(f"{name}: {value or caption}" if name else value or caption)
    for note in page.annots() or ():
        content = (note.info.get("content") or "").strip()
        if content:
            lines.append(content)
    return "\n".join(lines)


def _may_show_text(page: Any) -> bool:
    """Whether there is anything on the page that could be a picture of text."""
    return bool(page.get_images() or page.get_image_info() or page.get_cdrawings())


def rendered(page: Any, dpi: int = 200) -> Any:
    """The page as a grey picture of bounded size."""
    from PIL import Image

    area = max(1.0, page.rect.width * page.rect.height)
    zoom = min(dpi / 72, (PICTURE / area) ** 0.5)
    pixels = page.get_pixmap(
        matrix=pymupdf.Matrix(zoom, zoom), colorspace=pymupdf.csGRAY, alpha=False
    )
    return Image.frombytes("L", (pixels.width, pixels.height), pixels.samples)


def xfa_data(document: Any) -> str:
    """What was filled into an XFA form, from the XML of its data sets."""
    from lxml import etree

    listed = document.xref_get_key(document.pdf_catalog(), "AcroForm/XFA")[1]
    numbers = [int(word) for word in listed.replace("[", " ").split() if word.isdigit()]
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    lines = []
    for number in numbers:
        if not 0 < number < document.xref_length() or not document.xref_is_stream(number):
            continue
        data = document.xref_stream(number) or b""
        if b"datasets" not in data[:300] or len(data) > 5_000_000 or b"<!DOCTYPE" in data:
            continue
        root = etree.fromstring(data, parser)
        for element in root.iter() if root is not None else ():
            if not len(element) and (element.text or "").strip():
                lines.append(f"{etree.QName(element).localname}: {element.text.strip()}")
    return "\n".join(lines)


def page_image(source: Source, number: int, width: int) -> bytes:
    document = open_document(source)
    page = _numbered(document, number)
    zoom = min(
        width / max(1.0, page.rect.width),
        (PICTURE / max(1.0, page.rect.width * page.rect.height)) ** 0.5,
    )
    return bytes(page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), alpha=False).tobytes("png"))


def _numbered(document: Any, number: int) -> Any:
    if not 1 <= number <= document.page_count:
        raise Refusal(
            _("There is no page %(number)s: the document has %(pages)s.")
            % {"number": number, "pages": document.page_count}
        )
    return document.load_page(number - 1)


def passage_boxes(
    source: Source, number: int, text: str
) -> list[tuple[float, float, float, float]]:
    """Boxes of the passage's lines as fractions of the page as it is shown."""
    from apps.library.parsing import places

    page = _numbered(open_document(source), number)
    width, height = max(1.0, page.rect.width), max(1.0, page.rect.height)
    shown = _text(page)
    if (len("".join(shown.split())) < FEW or layers.doubt(page, shown)) and _may_show_text(page):
        return _boxes_by_ocr(page, text, source.languages)
    words = [
        (tuple(pymupdf.Rect(word[:4]) * page.rotation_matrix), word[4], (word[5], word[6]))
        for word in page.get_text("words", flags=TEXT_FLAGS & ~pymupdf.TEXT_DEHYPHENATE)
    ]
    return [
        (x0 / width, y0 / height, x1 / width, y1 / height)
        for x0, y0, x1, y1 in places.boxes(text, words)
    ]


def _boxes_by_ocr(page: Any, text: str, languages: str) -> list[tuple[float, float, float, float]]:
    """As above for a scan; empty where it had to be turned to be read."""
    from apps.library.parsing import ocr, places

    picture = rendered(page)
    reading = ocr.read(picture, ocr.languages_for(text, languages))
    if reading.turned:
        return []
    words = [(word.box, word.text, word.line) for word in reading.words]
    return [
        (x0 / picture.width, y0 / picture.height, x1 / picture.width, y1 / picture.height)
        for x0, y0, x1, y1 in places.boxes(text, words)
    ]
