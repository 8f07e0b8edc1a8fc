"""The text layer of a PDF page: whether what a program wrote under it can be believed.

A scanner's software puts what it recognised under the picture, hidden. Old software recognised
badly, some layers set every letter apart, and fonts without a table of letters give signs of
nothing. Such a page is looked at once more.
"""

import re
from typing import Any

from apps.library.parsing.ocr import USUAL_WORDS
from apps.library.parsing.words import _

APART = 0.6  # share of words of one letter above which letters stand apart
FEWEST = 10  # words below which nothing is concluded
NO_LETTERS = re.compile(r"[\ufffd\ue000-\uf8ff\x00-\x08\x0e-\x1f]")
STRANGE = 0.05  # share of signs that are no letters
# UTF-8 read as Latin-1: "Ã¤" for "ä", "â€œ" for a quotation mark.
MOJIBAKE = re.compile(r"Ã[\u0080-\u00bf¤¶¼Ÿ„–œ©¨ª±³º]|â€[\u0080-\u00bfœž™“”˜¦]|Â[§°«»€]")
HIDDEN = 3  # the way of drawing text that leaves no mark
LARGE = 0.5  # share of a page that its picture covers, where it is a scan
USUAL = frozenset(word for line in USUAL_WORDS.values() for word in line.split())
POOR, CLEARLY = 0.12, 0.05  # share of usual words in any text of these languages


def is_apart(text: str) -> bool:
    """Whether nearly every word is a single letter."""
    words = text.split()
    single = sum(len(word) == 1 and word.isalpha() and word < "\u0600" for word in words)
    return len(words) >= FEWEST and single > APART * len(words)


def is_garbled(text: str) -> bool:
    """Whether signs stand where letters should."""
    letters = len("".join(text.split()))
    strange = len(NO_LETTERS.findall(text))
    mojibake = len(MOJIBAKE.findall(text))
    return letters > 0 and (strange > STRANGE * letters or mojibake * 50 > len(text.split()) > 0)


def usual(text: str) -> float:
    """The share of words that are small words of a language; 0 for a text without any."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    return sum(word in USUAL for word in words) / max(1, len(words))


def lies_under_a_scan(page: Any) -> bool:
    """Whether the page is a picture with hidden text."""
    area = max(1.0, page.rect.width * page.rect.height)
    boxes = (each["bbox"] for each in page.get_image_info())
    if max(((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in boxes), default=0.0) < LARGE * area:
        return False
    return any(span["type"] == HIDDEN for span in page.get_texttrace())


def doubt(page: Any, text: str) -> str:
    """What is wrong with a page's text, for the reader; "" where it is believed."""
    if is_apart(text):
        return _("its letters stand apart")
    if is_garbled(text):
        return _("its letters are garbled")
    few = len(text.split()) < 2 * FEWEST
    if not few and text.isascii() and usual(text) < POOR and lies_under_a_scan(page):
        return _("it is hardly made of words")
    return ""


def is_better(read: str, confidence: float, text: str) -> bool:
    """Whether what OCR read says more than the layer."""
    if confidence < 0.7 or len(read.split()) < 3:
        return False
    return is_apart(text) or is_garbled(text) or usual(read) > usual(text) + CLEARLY
