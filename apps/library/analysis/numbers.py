"""Numbers as people write them: amounts, accounts, telephones, versions, and parts of these. Pure.

What is told of a number here is without `#` and `~`: how it is spelled, with and without what
divides it, and what of it may be asked for alone.
"""

import re
from collections.abc import Sequence

GROUPS = 5  # of numbers with points between them; more is no version and no address
LEAST = 4  # digits of an amount that is known without its cents
ABROAD = 8  # digits of a telephone number without the code of its country, at least
_THOUSANDS = re.compile(r"(?<=\d)[.,' ](?=\d{3}(?!\d))")
_POINTED = re.compile(r"(?<![\d.])\d{1,5}(?:\.\d{1,5})+(?![\d.])")
_ACCOUNT = re.compile(r"[a-z]{2}\d{2}[a-z0-9]{11,30}")
# Codes of countries with two digits; those of one are 1 and 7, and all others have three.
_TWO = re.compile(r"2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]")


def amount(surface: str) -> str:
    """A number without its thousands' marks and empty cents: 4.260,00 and 4,260.00 are 4260."""
    return _THOUSANDS.sub("", surface).replace(",", ".").removesuffix(".00")


def without_cents(value: str) -> str:
    """Of an `amount` with cents what stands before them, where that says enough; else ""."""
    whole, _point, cents = value.partition(".")
    return whole if cents and len(whole) >= LEAST else ""


def national(surface: str) -> str:
    """A telephone number as it is dialled within its country, without the leading 0; else "".

    +49 170 5550142, 0049 170 5550142 and 0170 5550142 are 1705550142.
    """
    digits = "".join(c for c in surface if c.isdigit())
    if surface[:1] == "+" or digits[:2] == "00":
        digits = _without_country(digits.removeprefix("00"))
    elif digits[:1] == "0":
        digits = digits[1:]
    else:
        return ""
    return digits if len(digits) >= ABROAD and digits[0] != "0" else ""


def _without_country(digits: str) -> str:
    code = 1 if digits[:1] in ("1", "7") else 2 if _TWO.match(digits) else 3
    return "" if digits[:1] == "0" else digits[code:].removeprefix("0")


def account_parts(joined: str) -> list[str]:
    """What an account number begins and ends with, in groups of four, as it is printed."""
    if not _ACCOUNT.fullmatch(joined):
        return []
    begins = [joined[:at] for at in range(8, len(joined), 4)]
    return begins + [joined[at:] for at in range(4, len(joined) - 4, 4)]


def pointed_parts(surface: str) -> list[str]:
    """Numbers with points between them, as parts of a longer one: 6.8 of 6.8.12, 1.22 of app-1.22.

    They keep their points: 6.8 is no 68.
    """
    found: dict[str, None] = {}
    for match in _POINTED.finditer(surface):
        groups = match[0].split(".")
        if len(groups) <= GROUPS:
            found |= dict.fromkeys(_runs(groups))
    found.pop(surface, None)
    return list(found)


def _runs(groups: Sequence[str]) -> list[str]:
    last = len(groups)
    ends = [(first, end) for first in range(last) for end in range(first + 2, last + 1)]
    return [".".join(groups[first:end]) for first, end in ends]
