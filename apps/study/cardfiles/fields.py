"""A stranger's fields as plain text: no markup, no scripts, LaTeX as it was typed. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser

LONGEST = 100_000  # characters of a field that are looked at
FRONT, BACK = 2000, 4000  # characters that are kept
GAP = "____"
MOST_TAGS, LONGEST_TAG = 50, 100
OURS = "vaultsite"
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
BLOCKS = {"br", "div", "p", "li", "tr", "h1", "h2", "h3", "h4", "hr", "ul", "ol", "table"}
SILENT = {"script", "style", "head", "title", "template", "iframe", "object", "svg"}
MEDIA = re.compile(r"\[(?:sound|anki):[^\]]*\]")
NAMED = re.compile(r"{{([^#/^!{}][^{}]*)}}")
CLOZE = re.compile(r"{{c(\d{1,3})::(.*?)(?:::(.*?))?}}", re.S)


@dataclass(slots=True)
class FoundCard:
    """A card as a file holds it. Reviews are [milliseconds since 1970, grade, milliseconds]."""

    guid: str
    front: str
    back: str
    deck: str = ""
    reviews: list[tuple[int, int, int]] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)


def tags(told: str) -> list[str]:
    """Tags as Anki writes them, with blanks between; those that every card of ours has left out."""
    words = (CONTROL.sub("", word)[:LONGEST_TAG] for word in told[:LONGEST].split())
    return [word for word in dict.fromkeys(words) if word and word != OURS][:MOST_TAGS]


class _Text(HTMLParser):
    """Collects the text that a reader would see."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.silent = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in SILENT and not self.silent:
            self.silent = tag
        if tag in BLOCKS:
            self.pieces.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == self.silent:
            self.silent = ""
        if tag in BLOCKS:
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.pieces.append(data)


def text(html: str) -> str:
    """The words of a field."""
    parser = _Text()
    parser.feed(html[:LONGEST])
    parser.close()
    bare = MEDIA.sub("", "".join(parser.pieces)).replace("\x00", "").replace("\xa0", " ")
    lines = [" ".join(line.split()) for line in bare.splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def used(template: str) -> list[str]:
    """The names of the fields a template shows, in order; what is typed in is not shown."""
    found = []
    for inside in NAMED.findall(template[:LONGEST]):
        *filters, name = (part.strip() for part in inside.split(":"))
        if "type" not in filters:
            found.append(name)
    return found


def sides(values: dict[str, str], question: str, answer: str) -> tuple[str, str]:
    """Front and back of a card whose templates are these; the first field and the rest else."""
    asked = [name for name in used(question) if name in values]
    told = [name for name in used(answer) if name in values and name not in asked]
    if not asked or not told:
        names = list(values)
        asked, told = names[:1], names[1:]
    return _joined(values, asked)[:FRONT], _joined(values, told)[:BACK]


def cloze_sides(values: dict[str, str], number: int) -> tuple[str, str]:
    """Front and back of the gap with that number, from 1."""
    whole = next((value for value in values.values() if CLOZE.search(value)), "")
    whole = whole[:LONGEST]

    def hidden(match: re.Match[str]) -> str:
        if int(match[1]) != number:
            return match[2]
        return f"[{match[3]}]" if match[3] else GAP

    answers = [match[2] for match in CLOZE.finditer(whole) if int(match[1]) == number]
    if not answers:
        return "", ""
    shown = CLOZE.sub(lambda match: match[2], whole)
    return CLOZE.sub(hidden, whole)[:FRONT], f"{', '.join(answers)}\n\n{shown}"[:BACK]


def _joined(values: dict[str, str], names: Sequence[str]) -> str:
    return "\n\n".join(filter(None, (values[name] for name in dict.fromkeys(names))))
