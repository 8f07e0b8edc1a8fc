"""From bytes to text: which encoding a text file is in."""

import codecs
import re
from unicodedata import category

from apps.library.parsing import Refusal
from apps.library.parsing.words import _

BYTE_ORDER_MARKS = [
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
]
CANDIDATES = [
    "cp1252", "cp932", "euc_jp", "gb18030", "big5", "euc_kr", "cp1250", "cp1251", "koi8_r", "cp866",
    "cp1253", "cp1254", "cp1255", "cp1256",
]  # fmt: skip
DECLARED = re.compile(rb"""charset\s*=\s*["']?\s*([A-Za-z0-9_\-]{3,20})""", re.IGNORECASE)
LETTERS = "äöüÄÖÜßéèêëàâçîïôûùœæåøÅØÆñáíóúÉÈÀÇÊÎÔìòãõ"  # of Western Europe
SIGNS = "§°€£–—’‘“”„«»…·©®™²³µ±×½¿¡ºª"
SAMPLE = 64 * 1024  # bytes that are looked at to tell one encoding from another
ODD_BYTES = bytes({*range(0x20), 0x7F} - {*b"\t\n\r\f\x1b\x08"})


def decode(data: bytes, *, markup: bool = False) -> tuple[str, str]:
    """The text and its encoding's name. With `markup` a declared charset counts.

    Raises Refusal where the bytes are no text in any encoding that is known.
    """
    encoding = _marked(data) or _wide(data) or (b"\x1b$" in data and "iso2022_jp") or None
    if encoding is None:
        if len(data.translate(None, ODD_BYTES)) < len(data) * 0.98 or data.count(0) > 8:
            raise Refusal(
                _(
                    "This is not text: its bytes are in no encoding that is known."
                    " Save it again as UTF-8 text, PDF or DOCX."
                )
            )
        encoding = _utf8(data) or (markup and _declared(data)) or _guessed(data)
    return data.decode(encoding, errors="replace"), encoding


def _marked(data: bytes) -> str | None:
    return next((name for mark, name in BYTE_ORDER_MARKS if data.startswith(mark)), None)


def _wide(data: bytes) -> str | None:
    """UTF-16 without a mark: of its two orders the one that gives letters, and blanks between."""
    head = data[: min(SAMPLE, len(data) // 2 * 2)]
    if len(head) < 4 or not head.count(0):
        return None
    blanks: dict[str, int] = {}
    for encoding in ("utf-16-be", "utf-16-le"):
        text = head.decode(encoding, "replace")
        likely = sum(letter.isalnum() or category(letter)[0] in "PSZ" for letter in text)
        likely += text.count("\n") + text.count("\r") + text.count("\t")
        if likely >= 0.95 * len(text):
            blanks[encoding] = sum(text.count(blank) for blank in " \n,。、")
    best = max(blanks, key=lambda name: blanks[name], default=None)
    return best if best and blanks[best] else None


def _utf8(data: bytes) -> str | None:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as broken:
        # One bad byte in a long UTF-8 file is damage, not another encoding.
        good = data[: broken.start].decode("utf-8", "ignore")
        rest = data[broken.start :].decode("utf-8", "replace").count("\ufffd")
        beyond = sum(1 for letter in good if letter > "\x7f")
        return "utf-8" if beyond > 20 * rest else None
    return "utf-8"


def _declared(data: bytes) -> str | None:
    found = DECLARED.search(data[:4096])
    if not found:
        return None
    try:
        name = codecs.lookup(found[1].decode("ascii")).name
        data.decode(name)
    except (LookupError, UnicodeDecodeError):
        return None
    return "cp1252" if name in {"iso8859-1", "ascii"} else name


def _guessed(data: bytes) -> str:
    """Of a legacy encoding: Western European is assumed unless another is clearly better."""
    beyond = sum(data[:SAMPLE].count(byte) for byte in range(0x80, 0x100))
    lines = [line for line in data.splitlines() if not line.isascii()]
    sample = b"\n".join(lines)[:SAMPLE]
    if beyond <= len(data[:SAMPLE]) * 0.2:
        western = max(("cp1252", "cp850"), key=lambda name: _likeness(sample, name))
        if _likeness(sample, western) >= 0.7:
            return western
    from charset_normalizer import from_bytes

    best = from_bytes(sample, cp_isolation=CANDIDATES, threshold=0.5).best()
    return best.encoding if best else "cp1252"


def _likeness(sample: bytes, encoding: str) -> float:
    """How much, from 0 to 1, what is beyond ASCII looks as Western Europe writes it."""
    try:
        text = sample.decode(encoding)
    except UnicodeDecodeError:
        return 0.0
    beyond = [letter for letter in text if letter > "\x7f"]
    usual = sum((letter in LETTERS) + (letter in SIGNS) * 0.75 for letter in beyond)
    return usual / max(1, len(beyond))
