"""Reads a line of the search field: what is asked, and the operators that narrow it. Pure.

    "exact words"          stand there side by side
    -word  -"two words"    does not stand there
    in:NAME                a category or document; category:NAME, type:pdf, after:2024-05-01

A value with spaces is put in quotes: in:"Lease 2021.pdf". What is no operator is asked as it is, so
an unpaired quote, a dash between words and "note: this" are just text.
"""

import re
from dataclasses import dataclass
from datetime import date

NAMES = ("in", "category", "type", "after")
_QUOTED = r'"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|»[^«]*«'
_PIECE = re.compile(
    rf"(?<!\S)(?P<name>{'|'.join(NAMES)}):(?P<value>{_QUOTED}|[^\s\"]+)"
    rf"|(?<!\S)[-−](?P<without>{_QUOTED}|[^\W\d_][^\s\"]*)"
    rf"|(?P<phrase>{_QUOTED})",
    re.IGNORECASE,
)
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?")
_QUOTES = '"“”„«»'
NO_DATE = "after:{} is no date. Write it as after:2024, after:2024-05 or after:2024-05-31."


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

    @property
    def narrows(self) -> bool:
        """Whether documents are named, by whatever property."""
        return bool(self.names or self.categories or self.types or self.after)


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
        return Asked(" ".join(found["without"]))
    return Asked(
        text,
        tuple(found["phrase"]),
        tuple(found["without"]),
        tuple(found["in"]),
        tuple(found["category"]),
        tuple(value.casefold().lstrip(".") for value in found["type"]),
        _day(found["after"][-1]) if found["after"] else None,
    )


def _day(value: str) -> date:
    match = _DATE.fullmatch(value)
    try:
        if match:
            return date(int(match[1]), int(match[2] or 1), int(match[3] or 1))
    except ValueError:
        pass
    raise LookupError(NO_DATE.format(value))
