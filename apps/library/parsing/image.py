"""Pictures of text: PNG, JPEG, TIFF and WebP, read by OCR; each picture in a TIFF is a page."""

import io
import warnings
from collections.abc import Iterator

from PIL import Image, ImageOps, ImageSequence

from apps.library.parsing import Opened, ReadPart, Refusal, Skipped, Source, ocr
from apps.library.parsing.tidying import squeeze
from apps.library.parsing.words import _

PIXELS = 150_000_000  # of a picture that is opened; Pillow decodes it whole
FORMATS = ("PNG", "JPEG", "TIFF", "WEBP", "MPO")
UNSURE = 0.6  # mean confidence below which the reader is told


def read(source: Source) -> Iterator[Opened | ReadPart | Skipped]:
    picture = open_picture(source)
    pages = getattr(picture, "n_frames", 1)
    yield Opened("image", "", pages, "")
    seen = ""
    for number, frame in enumerate(ImageSequence.Iterator(picture), 1):
        if number <= source.skip:
            continue
        label = f"page {number}" if pages > 1 else "image"
        _check_size(frame)
        try:
            upright = ImageOps.exif_transpose(frame)
            reading, languages = ocr.read_in_its_language(
                upright, seen, source.languages, _dpi(frame)
            )
        except (OSError, ValueError, SyntaxError) as broken:
            raise Refusal(
                _("The image is damaged or cut off (%(reason)s). Save or scan it again.")
                % {"reason": broken}
            ) from None
        text = squeeze(reading.text)
        seen = (seen + text)[-5000:]
        yield ReadPart("page", number, label, text, ocr=True, confidence=reading.confidence)
        if reason := doubt(reading, languages):
            yield Skipped(label, reason)


def doubt(reading: ocr.Reading, languages: str) -> str:
    """What the reader should know about a reading; "" when it is good."""
    if not reading.text.strip():
        return _("No text was found in the picture (looked for %(languages)s).") % {
            "languages": languages
        }
    if (reading.confidence or 0) < UNSURE:
        return _(
            "Read by OCR with little confidence (%(share)s %%, looked for %(languages)s)."
            " Another language of Tesseract or a sharper scan may help."
        ) % {"share": round((reading.confidence or 0) * 100), "languages": languages}
    return ""


def open_picture(source: Source) -> Image.Image:
    """The picture, not decoded yet; raises Refusal for what is damaged or too large."""
    warnings.simplefilter("ignore")
    Image.MAX_IMAGE_PIXELS = None  # the limit is ours, with our words
    try:
        picture = Image.open(source.path, formats=FORMATS)
    except (OSError, ValueError, SyntaxError):
        raise Refusal(
            _("The image is damaged: its head cannot be read. Save or scan it again.")
        ) from None
    _check_size(picture)
    return picture


def _check_size(picture: Image.Image) -> None:
    if picture.width * picture.height > PIXELS:
        raise Refusal(
            _(
                "The image has %(width)s × %(height)s pixels, more than the %(most)s million that"
                " can be opened. Save it smaller."
            )
            % {"width": picture.width, "height": picture.height, "most": PIXELS // 1_000_000}
        )


def _dpi(picture: Image.Image) -> int:
    said = picture.info.get("dpi", (0, 0))[0]
    return int(said) if 70 <= said <= 1200 else ocr.DPI


def page_image(source: Source, number: int, width: int) -> bytes:
    picture = open_picture(source)
    picture.seek(max(0, min(number, getattr(picture, "n_frames", 1)) - 1))
    upright = ImageOps.exif_transpose(picture).convert("RGB")
    upright.thumbnail((width, width * 4))
    out = io.BytesIO()
    upright.save(out, "PNG")
    return out.getvalue()
