"""Reads a line of the search field: what is asked, and the operators that narrow it. Pure.

    "exact words"          stand there side by side
    -word  -"two words"    does not stand there
    in:NAME                a category or document; category:NAME, type:pdf, lang:de
    after:2024-05-01       came in on that day or later; before:2024-05 came in earlier
    workspace:NAME         there instead of in the open workspace; workspace:all in all of them

A value with spaces is put in quotes: in:"Lease 2021.pdf". What is no operator is asked as it is, so
an unpaired quote, a dash between words and "note: this" are just text.
"""

import re
import unicodedata
from dataclasses import dataclass
from datetime import date

from django.utils.translation import gettext_lazy

NAMES = ("in", "category", "type", "lang", "after", "before", "workspace")
_QUOTED = r'"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|»[^«]*«'
_PIECE = re.compile(
    rf"(?<!\S)(?P<name>{'|'.join(NAMES)}):(?P<value>{_QUOTED}|[^\s\"]+)"
    rf"|(?<!\S)[-−](?P<without>{_QUOTED}|[^\W\d_][^\s\"]*)"
    rf"|(?P<phrase>{_QUOTED})",
    re.IGNORECASE,
)
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?")
LONGEST_WORD = 80  # letters
_QUOTES = '"“”„«»'
NO_DATE = gettext_lazy(
    "%(name)s:%(value)s is no date. Write it as %(name)s:2024, %(name)s:2024-05 or "
    "%(name)s:2024-05-31."
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A line of the search field, taken apart."""

    text: str  # what is looked for, the quoted words included
    phrases: tuple[str, ...] = ()  # must stand there
    without: tuple[str, ...] = ()  # must not
    names: tuple[str, ...] = ()  # of categories or documents
    categories: tuple[str, ...] = ()  # of categories alone
    types: tuple[str, ...] = ()  # of files, in lower case
    after: date | None = None  # when the document came in, this day included
    languages: tuple[str, ...] = ()  # of documents, as codes or names, in lower case
    before: date | None = None  # when the document came in, this day left out
    workspaces: tuple[str, ...] = ()  # instead of the open one
    turned: bool = False  # only to leave something out was asked, so that is looked for

    @property
    def narrows(self) -> bool:
        """Whether documents are named, by whatever property."""
        named = self.names or self.categories or self.types or self.languages
        return bool(named or self.after or self.before)


def read(line: str) -> Asked:
    """The line taken apart; LookupError says what an operator's value should look like."""
    found: dict[str, list[str]] = {name: [] for name in (*NAMES, "phrase", "without")}

    def take(match: re.Match[str]) -> str:
        kind = (match["name"] or match.lastgroup or "").casefold()
        value = (match["value"] or match["without"] or match["phrase"]).strip(_QUOTES).strip()
        if not value:
            return " "
        found[kind].append(value)
        return f" {value} " if kind == "phrase" else " "

    text = " ".join(_PIECE.sub(take, line).split())
    if not text and found["without"]:  # there is nothing to leave out of
        return Asked(" ".join(found["without"]), turned=True)
    return Asked(
        text,
        tuple(found["phrase"]),
        tuple(found["without"]),
        tuple(found["in"]),
        tuple(found["category"]),
        tuple(value.casefold().lstrip(".") for value in found["type"]),
        _day("after", found["after"]),
        tuple(value.casefold() for value in found["lang"]),
        _day("before", found["before"]),
        tuple(found["workspace"]),
    )


def storable(text: str) -> str:
    """The text without what PostgreSQL cannot hold."""
    return text.encode("utf-8", "ignore").decode().replace("\0", " ").strip()


def says_something(character: str) -> bool:
    """Whether it is a letter, a digit, or a picture such as an emoji."""
    return character.isalnum() or unicodedata.category(character) == "So"


def has_words(text: str) -> bool:
    """Whether any of it may be a word: what is longer than the longest of them is none."""
    return any(len(piece) <= LONGEST_WORD or not piece.isascii() for piece in text.split())


def side_by_side(text: str) -> re.Pattern[str] | None:
    """What finds its words as they are written, side by side, in a text; None without any."""
    words = re.findall(r"\w+(?:[^\w\s-]+\w+)*", text)  # what no blank divides stays whole: 4.260,00
    if not words:
        return None
    wanted = r"[\s-]+".join(map(re.escape, words))
    return re.compile(rf"(?<!\w){wanted}(?!\w)", re.IGNORECASE)


def _day(name: str, values: list[str]) -> date | None:
    """The first day of what the last of these values names."""
    if not values:
        return None
    match = _DATE.fullmatch(values[-1])
    try:
        if match:
            return date(int(match[1]), int(match[2] or 1), int(match[3] or 1))
    except ValueError:
        pass
    raise LookupError(NO_DATE % {"name": name, "value": values[-1]})
