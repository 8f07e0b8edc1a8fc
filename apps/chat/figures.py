"""Figures in a text as numbers: in digits or words, cardinal or ordinal, with their unit."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

TENS = range(20, 100, 10)
CARDINALS = {
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    " seventeen eighteen nineteen": range(2, 20),
    "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn"
    " siebzehn achtzehn neunzehn": range(2, 20),
    "twenty thirty forty fifty sixty seventy eighty ninety": TENS,
    "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig": TENS,
    "hundred thousand": (100, 1000),
    "hundert tausend": (100, 1000),
}
# Not "second", which is a unit as well, and not "first", which is mostly no number at all.
ORDINALS = {
    "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth": range(3, 13),
    "zweite dritte vierte fünfte sechste siebte achte neunte zehnte elfte zwölfte": range(2, 13),
}
UNITS = {
    "day": r"days?|tage?n?s?|kalendertage?n?",
    "workday": r"(?:working|business|work) ?days?|werktage?n?s?|arbeitstage?n?s?",
    "week": r"weeks?|wochen?",
    "month": r"months?|monate?n?s?",
    "year": r"years?|jahre?n?s?",
    "hour": r"hours?|stunden?",
    "minute": r"minutes?|minuten?",
    "euro": r"euros?|eur|€",
    "dollar": r"dollars?|usd|\$",
    "per cent": r"per ?cent|prozent|%",
    "metre": r"met(?:er|re)s?n?|m\b",
    "kilometre": r"kilomet(?:er|re)s?n?|km",
    "kilogram": r"kilograms?|kilogramm|kilos?|kg",
    "bar": r"bar",
    "degree": r"degrees?|grad|°c?",
}
SMALL = 4  # a word for less, without a unit, mostly counts what the writer has in mind
TOKEN = re.compile(
    r"(?P<digits>\d+(?:[.,:]\d+)*)(?P<end>(?:st|nd|rd|th)\b|\.(?=\s+\w))?|(?P<word>[^\W\d_]+)"
)
UNIT = re.compile(
    r"[\s-]*(?:"
    + "|".join(f"(?P<u{n}>{words})" for n, words in enumerate(UNITS.values()))
    + r")(?!\w)",
    re.I,
)
GROUPED = re.compile(r"\d{1,3}(?:[.,]\d{3})+$")


def _spelled(table: dict[str, range | tuple[int, ...]]) -> dict[str, int]:
    return {
        word: value
        for words, values in table.items()
        for word, value in zip(words.split(), values, strict=True)
    }


_CARDINALS = _spelled({key: tuple(values) for key, values in CARDINALS.items()})
_ORDINALS = _spelled({key: tuple(values) for key, values in ORDINALS.items()})
GERMAN_ENDING = re.compile(r"(?<=e)[nrms]$")


@dataclass(frozen=True, slots=True)
class Figure:
    """A number in a text; `ordinal` is None where "3." may be either."""

    text: str
    value: str
    ordinal: bool | None
    unit: str = ""
    at: int = 0  # where it stands in the text

    def same(self, other: "Figure", *, unit: bool = False) -> bool:
        """Whether it is the same number; with `unit` also of the same, where both have one."""
        orders = self.ordinal is None or other.ordinal is None or self.ordinal == other.ordinal
        units = not unit or not other.unit or self.unit == other.unit
        return self.value == other.value and orders and units


def read(text: str) -> list[Figure]:
    """The figures of a text, in order."""
    return list(_figures(text))


def _figures(text: str) -> Iterator[Figure]:
    for found in TOKEN.finditer(text):
        after = UNIT.match(text, found.end())
        unit = _unit(after)
        shown = text[found.start() : after.end()].strip() if after else found[0]
        if found["digits"]:
            ordinal = {None: False, ".": None}.get(found["end"], True)
            yield Figure(shown, _value(found["digits"]), ordinal, unit, found.start())
            continue
        word = found["word"].casefold()
        bare = GERMAN_ENDING.sub("", word)
        if bare in _ORDINALS:
            yield Figure(found[0], str(_ORDINALS[bare]), True, unit, found.start())
        elif word in _CARDINALS and (unit or _CARDINALS[word] >= SMALL):
            yield Figure(shown, str(_CARDINALS[word]), False, unit, found.start())


def _unit(found: re.Match[str] | None) -> str:
    if not found:
        return ""
    return next(name for n, name in enumerate(UNITS) if found[f"u{n}"])


def _value(digits: str) -> str:
    """The number in one spelling: 1,234.50 and 1.234,5 are the same."""
    if GROUPED.match(digits):
        return re.sub(r"[.,]", "", digits).lstrip("0") or "0"
    marks = re.findall(r"[.,]", digits)
    if ":" in digits or len(marks) > 2 or (len(marks) == 2 and marks[0] == marks[1]):
        return digits  # a time, a date, a version
    if len(marks) == 2:  # a group and decimals
        digits = digits.replace(marks[0], "")
    whole, _, part = digits.replace(",", ".").partition(".")
    part = part.rstrip("0")
    return f"{whole.lstrip('0') or '0'}.{part}" if part else whole.lstrip("0") or "0"
