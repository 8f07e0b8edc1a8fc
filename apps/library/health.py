"""Can scans be read, and in which languages?"""

from apps.library.parsing import Refusal, ocr
from apps.web.health import Part


def check() -> Part:
    """The state of OCR."""
    try:
        path, _, languages = ocr.engine()
    except Refusal:
        return Part(
            "ocr",
            "absent",
            detail="Scanned pages cannot be read.",
            fix="Install Tesseract: run ./start.sh again, or apt install tesseract-ocr.",
        )
    named = ", ".join(sorted(languages - {"osd"}))
    return Part("ocr", "ok", detail=f"Tesseract at {path} reads {named}")
