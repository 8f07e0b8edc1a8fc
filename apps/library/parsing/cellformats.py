"""How a spreadsheet shows a number: dates, times, percent, currency and units; no digit is lost.

Thousands are not grouped: a number is found as it is written in most places. What its format would
round stays whole.
"""

import datetime
import re
from decimal import Decimal

BUILT_IN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 20: "h:mm", 21: "h:mm:ss",
    46: "[h]:mm:ss", 45: "mm:ss", 47: "mm:ss",
}  # fmt: skip
DATES = {*range(14, 20), 22, *range(27, 37), *range(50, 59)}  # built in
LOCALE = re.compile(r"\[\$([^\]\-]*)[^\]]*\]")  # [$€-407] shows what stands before the dash
ELAPSED = re.compile(r"\[(h+|m+|s+)\]", re.IGNORECASE)
ASIDE = re.compile(r"\[[^\]]*\]|_.|\*.")  # colours and conditions, room for a sign, filling
LITERAL = re.compile(r'"([^"]*)"|\\(.)')
DIGITS = re.compile(r"[0#?][0#?,.\s]*(?:E[+\-]0+)?|General", re.IGNORECASE)
EPOCHS = {False: datetime.datetime(1899, 12, 30), True: datetime.datetime(1904, 1, 1)}
LAST_DAY = 2_958_466


def shown(value: str, code: str, *, from_1904: bool = False) -> str:
    """A number as its format shows it; as it is where the format says nothing that is known."""
    try:
        number = float(value)
    except ValueError:
        return value
    section = _section(code, number)
    bare = ASIDE.sub("", LITERAL.sub("", section)).lower()
    if ELAPSED.search(section):
        return _elapsed(number)
    if re.search(r"[ymdhs]", bare) and "general" not in bare and 0 <= number < LAST_DAY:
        return _moment(number, EPOCHS[from_1904])
    plain = f"{number:.15g}" if abs(number) < 1e15 else value
    return _decorated(plain, section, number) if section else plain


def _section(code: str, number: float) -> str:
    """Of a format's parts for positive, negative and zero the one that holds."""
    parts = code.split(";")
    if number < 0 and len(parts) > 1 and DIGITS.search(ASIDE.sub("", parts[1])):
        return parts[0]  # how a minus is drawn is not what is said
    return parts[0]


def _elapsed(days: float) -> str:
    minutes, seconds = divmod(round(abs(days) * 86400), 60)
    hours, minutes = divmod(minutes, 60)
    sign = "-" if days < 0 else ""
    return f"{sign}{hours}:{minutes:02}" + (f":{seconds:02}" if seconds else "")


def _moment(days: float, epoch: datetime.datetime) -> str:
    moment = epoch + datetime.timedelta(seconds=round(days * 86400))
    if days < 1:
        return f"{moment:%H:%M:%S}" if moment.second else f"{moment:%H:%M}"
    return f"{moment:%Y-%m-%d}" if days == int(days) else f"{moment:%Y-%m-%d %H:%M:%S}"


def _decorated(plain: str, section: str, number: float) -> str:
    """The number with what its format puts before and after it."""
    marked = ASIDE.sub("", LOCALE.sub(lambda found: f'"{found[1]}"', section))
    place = DIGITS.search(LITERAL.sub(lambda found: "\x00" * len(found[0]), marked))
    if place is None or "e" in place[0].lower().replace("general", ""):
        return plain
    before, after = _said(marked[: place.start()]), _said(marked[place.end() :])
    digits = plain.removeprefix("-")
    if after.startswith("%"):
        digits = f"{Decimal(repr(abs(number))) * 100:f}"
        digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
    elif "/" in after:  # a fraction
        return plain
    if "e" not in digits:
        digits = _filled(digits, place[0])
    sign = "-" if number < 0 else ""
    gap = " " if place[0].endswith(" ") and after and not after.startswith((" ", "%")) else ""
    return " ".join(f"{sign}{before}{digits}{gap}{after}".split())


def _said(text: str) -> str:
    """Letters of a format that stand for themselves."""
    return (
        LITERAL.sub(lambda found: found[1] or found[2] or "", text)
        .replace("(", "")
        .replace(")", "")
    )


def _filled(digits: str, mask: str) -> str:
    """With the zeros the format asks for: 1234.50, 01234."""
    whole, _, rest = digits.partition(".")
    left, _, right = mask.partition(".")
    if "," not in left:
        whole = whole.zfill(left.count("0"))
    rest = rest.ljust(right.count("0"), "0")
    return f"{whole}.{rest}" if rest else whole
