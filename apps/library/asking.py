"""Reads a line of the search field: what is asked, and the operators that narrow it. Pure.

    "exact words"          stand there side by side
    -word  -"two words"    does not stand there
    in:NAME                a category or document; category:NAME, type:pdf, lang:de
    after:2024-05-01       last changed on that day or later; before:2024-05 earlier
    workspace:NAME         there instead of in the open workspace; workspace:all in all of them

Of a document of which nobody knows when it was changed the day counts on which it came in. Each
has its German name, too, whatever language the page is in: kategorie:, typ:, sprache:, nach:,
vor:, arbeitsbereich:. A value with spaces is put in quotes: in:"Lease 2021.pdf". What is no
operator is asked as it is, so an unpaired quote, a dash between words, "note: this" and
"nach:Hause" are just text; but an operator without its value, or with half of it, is told.
"""

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date

from django.utils.translation import gettext_lazy

NAMES = ("in", "category", "type", "lang", "after", "before", "workspace")
CALLED = dict(zip(NAMES, NAMES, strict=True)) | {
    "kategorie": "category",
    "typ": "type",
    "sprache": "lang",
    "nach": "after",
    "vor": "before",
    "arbeitsbereich": "workspace",
}
ALL = ("all", "alle", "*")  # as the name of a workspace
_QUOTES = '"“”„«»'
_QUOTED = r'"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|»[^«]*«'
WORDS = ("nach", "vor")  # of German, too: without a date, or a quote, behind them they are text
_NAME = rf"(?<!\S)(?P<name>{'|'.join(CALLED)}):"
_OPERATOR = rf"(?!(?:{'|'.join(WORDS)}):[^\d{_QUOTES}]){_NAME}"
_PIECE = re.compile(
    rf"{_OPERATOR}(?P<value>{_QUOTED}|[^\s\"“”„«»][^\s\"]*)"
    rf"|(?<!\S)[-−](?P<without>{_QUOTED}|[^\W\d_][^\s\"]*)"
    rf"|(?P<phrase>{_QUOTED})",
    re.IGNORECASE,
)
_HALF = re.compile(rf"{_NAME}(?:\s*$|(?P<open>[\"“”„«»]).*)", re.IGNORECASE | re.DOTALL)
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?")
LONGEST_WORD = 80  # letters
NO_DATE = gettext_lazy(
    "%(name)s:%(value)s is no date. Write it as %(name)s:2024, %(name)s:2024-05 or "
    "%(name)s:2024-05-31."
)
NO_VALUE = gettext_lazy(
    "%(name)s: is followed by nothing. Write its value right behind it, as in %(name)s:%(example)s."
)
NOT_CLOSED = gettext_lazy("The quote in %(piece)s is not closed. Put another %(mark)s at its end.")
ONLY_WHERE = gettext_lazy(
    "This says where to look, but not what for. Write a word or a question beside it."
)
NOTHING_ASKED = gettext_lazy(
    "There is nothing to look for in this: no word, no number. Write what you want to know."
)
EXAMPLES = {
    "in": '"Lease 2021.pdf"',
    "category": "Taxes",
    "type": "pdf",
    "lang": "de",
    "after": "2024-05",
    "before": "2024-05",
    "workspace": "all",
}
SHOWN = 40  # characters of a piece that is told


class Unfinished(LookupError):
    """An operator has no value yet, or an open quote; the message says how it goes on."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A line of the search field, taken apart."""

    text: str  # what is looked for, the quoted words included
    phrases: tuple[str, ...] = ()  # must stand there
    without: tuple[str, ...] = ()  # must not
    names: tuple[str, ...] = ()  # of categories or documents
    categories: tuple[str, ...] = ()  # of categories alone
    types: tuple[str, ...] = ()  # of files, in lower case
    after: date | None = None  # when the document was last changed, this day included
    languages: tuple[str, ...] = ()  # of documents, as codes or names, in lower case
    before: date | None = None  # the same, this day left out
    workspaces: tuple[str, ...] = ()  # instead of the open one
    turned: bool = False  # only to leave something out was asked, so that is looked for

    @property
    def narrows(self) -> bool:
        """Whether documents are named, by whatever property."""
        named = self.names or self.categories or self.types or self.languages
        return bool(named or self.after or self.before)

    @property
    def wants(self) -> str:
        """What is missing where there is nothing to look for, in words; "" where there is."""
        if any(map(says_something, storable(self.text))):
            return ""
        nowhere = not self.text and (self.narrows or self.workspaces)
        return str(ONLY_WHERE if nowhere else NOTHING_ASKED)


def read(line: str) -> Asked:
    """The line taken apart; LookupError says what an operator's value should look like.

    It is Unfinished where the value is missing, as it is while somebody still types.
    """
    found: dict[str, list[str]] = {name: [] for name in (*NAMES, "phrase", "without")}
    written = {name: name for name in NAMES}  # as it was last typed

    def take(match: re.Match[str]) -> str:
        kind = CALLED[match["name"].casefold()] if match["name"] else match.lastgroup or ""
        written[kind] = match["name"] or kind
        value = (match["value"] or match["without"] or match["phrase"]).strip(_QUOTES).strip()
        if not value:
            return " "
        found[kind].append(value)
        return f" {value} " if kind == "phrase" else " "

    text = " ".join(_PIECE.sub(take, line).split())
    _refuse_halves(_PIECE.sub(" ", line))
    if not text and found["without"]:  # there is nothing to leave out of
        return Asked(" ".join(found["without"]), turned=True)
    return Asked(
        text,
        tuple(found["phrase"]),
        tuple(found["without"]),
        tuple(found["in"]),
        tuple(found["category"]),
        tuple(value.casefold().lstrip(".") for value in found["type"]),
        _day(written["after"], found["after"]),
        tuple(value.casefold() for value in found["lang"]),
        _day(written["before"], found["before"]),
        tuple(found["workspace"]),
    )


def said_where(line: str) -> list[str]:
    """The operators of a line that say where to look, as they are written."""
    return [match[0] for match in _PIECE.finditer(line) if _says_where(match)]


def loosened(line: str, kinds: Collection[str]) -> str:
    """The line without its operators ("where"), what it leaves out ("without"), its "quotes"."""

    def left(match: re.Match[str]) -> str:
        if _says_where(match):
            return " " if "where" in kinds else match[0]
        if match["without"]:
            return " " if "without" in kinds else match[0]
        return match["phrase"].strip(_QUOTES) if match["phrase"] and "quotes" in kinds else match[0]

    return " ".join(_PIECE.sub(left, line).split())


def quotable(line: str) -> str:
    """What is asked, as it can stand between quotes: no operators, its own quotes single ones.

    What is only left out is asked itself, as `read` has it. None are around the whole of it.
    """
    asked = " ".join(_PIECE.sub(lambda match: match["phrase"] or " ", line).split())
    if not asked:
        without = (match["without"] or "" for match in _PIECE.finditer(line))
        asked = " ".join(" ".join(each.strip(_QUOTES) for each in without).split())
    whole = _PIECE.fullmatch(asked)
    if whole and whole["phrase"]:
        return whole["phrase"].strip(_QUOTES).strip()
    return re.sub(f"[{_QUOTES}]", "'", asked)


def _says_where(match: re.Match[str]) -> bool:
    """Whether a piece narrows the search; to look in all workspaces does not."""
    name, value = match["name"], match["value"]
    if not name:
        return False
    return CALLED[name.casefold()] != "workspace" or value.strip(_QUOTES).casefold() not in ALL


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


def _refuse_halves(rest: str) -> None:
    """Raise Unfinished where in what is left an operator has no value, or an open quote."""
    if (half := _HALF.search(rest)) is None:
        return
    name, piece = half["name"], half[0].strip()
    if half["open"]:
        told = " ".join(piece[:SHOWN].split()) + ("…" if len(piece) > SHOWN else "")
        closing = {"„": "“", "«": "»", "»": "«", "“": "”"}
        mark = closing.get(half["open"], half["open"])
        raise Unfinished(NOT_CLOSED % {"piece": told, "mark": mark})
    example = EXAMPLES[CALLED[name.casefold()]]
    raise Unfinished(NO_VALUE % {"name": name, "example": example})


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
