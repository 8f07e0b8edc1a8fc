"""Can scans be read, and in which languages?"""

from django.utils.translation import gettext as _

from apps.library.parsing import Refusal, ocr
from apps.web.health import Part


def check() -> Part:
    """The state of OCR."""
    try:
        path, _folder, languages = ocr.engine()
    except Refusal:
        return Part(
            "ocr",
            "absent",
            detail=_("Scanned pages cannot be read."),
            fix=_("Install Tesseract: run ./start.sh again, or apt install tesseract-ocr."),
        )
    named = ", ".join(sorted(languages - {"osd"}))
    return Part(
        "ocr",
        "ok",
        detail=_("Tesseract at %(path)s reads %(languages)s") % {"path": path, "languages": named},
    )
