"""What kind of figure a question asks for, and whether a text gives one of that kind.

A year is no time limit, and the number of a section is no answer to "how many". Told by words
alone, in English and German: also where question and passage are in different languages.
"""

import re
from dataclasses import dataclass

from apps.chat import figures
from apps.chat.figures import Figure

TIME = frozenset({"day", "workday", "week", "month", "year", "hour", "minute"})
MONEY = frozenset({"euro", "dollar", "per cent"})
SPAN = (
    r"(?:days?|weeks?|months?|years?|hours?|minutes?"
    r"|tagen?|wochen?|monaten?|jahren?|stunden?|minuten?)"
)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of figure: how it is asked for, and the units it has."""

    asked: re.Pattern[str]
    units: frozenset[str] | None  # None: whatever is counted
    year: bool = False  # a bare year is one


KINDS = (
    Kind(
        re.compile(
            rf"\b(?:how many {SPAN}|(?:within|after|for) (?:how|what|which)\b|(?:time|age) limits?"
            r"|deadlines?|(?:notice|limitation|warranty|retention) periods?|how long (?:do|does|did"
            rf"|has|have|may|must|can|after|before|until)|wie ?viele[nr]? {SPAN}|wie lange"
            r"|\w*frist(?:en)?|(?:innerhalb|binnen) (?:welche|wie)\w*)\b",
            re.I,
        ),
        TIME,
    ),
    Kind(
        re.compile(
            r"\b(?:costs?|prices?|fees?|how expensive"
            r"|wie teuer|kostet|kosten|preise?|gebühr(?:en)?)\b",
            re.I,
        ),
        MONEY,
    ),
    Kind(
        re.compile(r"\b(?:what|which) year|in welchem jahr|welches jahr\b", re.I), TIME, year=True
    ),
    Kind(re.compile(r"\b(?:when|wann)\b", re.I), TIME, year=True),
    Kind(
        re.compile(
            r"\b(?:how (?:many|much|long|often|old|high|far|large|big|wide|deep|heavy)"
            r"|what (?:date|time|percentage|share|amount|age)"
            r"|wie ?(?:viele?|oft|hoch|alt|weit|groß|breit|tief|schwer|lang)|in welchem alter)\b",
            re.I,
        ),
        None,
    ),
)
YEAR = re.compile(r"(?:1[0-9]|20)\d\d$")
MONTH = (
    r"(?:jan(?:uary|uar)?|feb(?:ruary|ruar)?|march|märz|april?|may|mai|june?|juni|july?|juli"
    r"|aug(?:ust)?|sep(?:t(?:ember)?)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?)"
)
DATE = re.compile(
    rf"\b{MONTH}\b\.?,? \d+(?:st|nd|rd|th)?|\d+(?:st|nd|rd|th|\.)? {MONTH}\b|\d{{4}}-\d\d-\d\d",
    re.I,
)
# What stands before a number that names a place in a text, or a thing in a row of such things.
REFERENCE = re.compile(
    r"(?:§+|#|\b(?:sections?|sec\.?|articles?|art\.?|paragraphs?|para\.?|chapters?|pages?|pp?\."
    r"|numbers?|no\.|nr\.?|nummer|artikels?|absatz|abs\.?|satz|seiten?|kapitel|abschnitte?s?|ziffer"
    r"|items?|steps?|schritt|figures?|fig\.?|tables?|tabelle|abb\.?|abbildung|version|rule|regel"
    r"|passages?|textstellen?))\s*$",
    re.I,
)
LISTED = re.compile(r"^\W*\(?\d+[a-z]?[.)]\s", re.I)  # the number of a paragraph, at its beginning


def kind(question: str) -> Kind | None:
    """What kind of figure a question asks for; None where it asks for none."""
    return next((each for each in KINDS if each.asked.search(question)), None)


def values(text: str) -> list[Figure]:
    """The figures of a text that say how much, how many or when, and not where it stands."""
    body = LISTED.sub("", text)
    return [each for each in figures.read(body) if not REFERENCE.search(body[: each.at])]


def given(question: str, text: str) -> bool:
    """Whether a text has a figure of the kind that the question asks for."""
    wanted = kind(question)
    if wanted is None:
        return False
    body = text if wanted.year or wanted.units is None else DATE.sub(" ", text)
    return any(_fits(each, wanted) for each in values(body))


def missed(question: str, text: str) -> bool:
    """Whether a text answers with figures of another kind than the question asks for, and only so.

    A text without a figure may still answer; so may a date, or from one year to another.
    """
    wanted = kind(question)
    if not wanted or wanted.units is None:
        return False
    said = values(text)
    if not said or any(_fits(each, wanted) for each in said):
        return False
    dated = wanted.units == TIME and DATE.search(text)
    years = {each.value for each in said if YEAR.match(each.value)}
    return not dated and len(years) < 2


def _fits(figure: Figure, wanted: Kind) -> bool:
    if wanted.units is None:
        return True
    if figure.unit:
        return figure.unit in wanted.units
    return wanted.year or not YEAR.match(figure.value)
