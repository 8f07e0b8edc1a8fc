"""Text as it is stored: one spelling for what looks the same, nothing a database refuses."""

import re
import unicodedata

# Soft hyphens, zero-width spaces and joiners of words, byte order marks, direction marks.
INVISIBLE = dict.fromkeys(
    [0x00AD, 0x200B, 0x2060, 0xFEFF, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
)
CONTROL = {code: " " for code in [*range(0x20), *range(0x7F, 0xA0)] if chr(code) not in "\t\n"}
SURROGATE = re.compile(r"[\ud800-\udfff]")
# Latin ligatures and the Hebrew and Arabic presentation forms: shapes of letters, not letters.
SHAPES = re.compile(r"[\ufb00-\ufdff\ufe70-\ufefc]+")
BLANK_LINES = re.compile(r"[ \t]*\n(?:[ \t]*\n){2,}")
# What programs write where nobody gave a title.
NO_TITLE = re.compile(
    r"about:\w+|[a-z]+://\S*|untitled\W*\d*|unbenannt\W*\d*|ohne titel|no title|title|titel"
    r"|(?:document|dokument|book|mappe|presentation|präsentation|sheet|tabelle)\W?\d*"
    r"|power ?point[- ]?(?:presentation|präsentation)",
    re.IGNORECASE,
)
PRINTED_FROM = re.compile(r"^Microsoft (?:Word|Excel|PowerPoint) - ")
_DROPPED: dict[int, str | None] = (
    INVISIBLE | CONTROL | {0x85: "\n", 0x2028: "\n", 0x2029: "\n\n", 0x0C: "\n\n"}
)

_DROPPED_LETTER = re.compile("[" + "".join(map(re.escape, map(chr, _DROPPED))) + "]")


def tidy(text: str) -> str:
    """The text in NFC, without invisible and control characters; line ends are `\\n`.

    The number of lines stays, so that line numbers hold.
    """
    if not text.isascii():
        text = SURROGATE.sub("\ufffd", text)
        text = SHAPES.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)
        text = unicodedata.normalize("NFC", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.translate(_DROPPED) if _DROPPED_LETTER.search(text) else text


def squeeze(text: str) -> str:
    """The tidied text with at most one blank line in a row and no space around it."""
    return BLANK_LINES.sub("\n\n", tidy(text)).strip()


def title(text: str) -> str:
    """What a file calls itself, at most 255 characters; "" where only a program speaks."""
    said = PRINTED_FROM.sub("", " ".join(tidy(text).split()))
    return "" if NO_TITLE.fullmatch(said) else said[:255]


def cell(value: str) -> str:
    """A table's cell on one line."""
    return " ".join(tidy(value).split())


def row(values: list[str]) -> str:
    """A table's row as one line; "" when all its cells are empty."""
    cells = [cell(value) for value in values]
    return " | ".join(cells).rstrip(" |") if any(cells) else ""
