"""Text as HTML that does nothing: Markdown through the sanitiser of answers, tables as tables.

The passage that is looked at is marked to the letter, and in it the sentence that is cited. They
are found again after rendering by signs put into the text, which no font draws and nobody writes.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from apps.library.pointing import NOWHERE, Span
from apps.web import markdown

# Punctuation, so that emphasis that begins or ends beside a sign is still emphasis.
START, END = "\U00016fe2", "\U0001bc9f"  # of the passage
FIRST, LAST = "\U0001da87", "\U0001da8b"  # of the sentence
SIGNS = re.compile(f"([{START}{END}{FIRST}{LAST}])")
TAG = re.compile(r"""(<(?:[^>"']|"[^"]*"|'[^']*')*>)""")
HEADINGS = re.compile(r"(</?h)([1-6])(?=>)")
FRONT = re.compile(r"---[ \t]*\n(?:.*\n)*?---[ \t]*(?:\n|\Z)")
# What makes a line a heading, an item, a quotation or a row, and must stay at its beginning.
LEAD = re.compile(
    r"[ \t]*(?:#{1,6}[ \t]+|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?|\d{1,9}[.)][ \t]+|>[ \t]?|\|[ \t]*)*"
)
# Lines that are no text: fences, rules, underlines of headings, rules of tables.
RULE = re.compile(r"[ \t]*(?:`{3,}.*|~{3,}.*|[-=*_|: \t]+)")
CELL = " | "
SENTENCE = ' class="sentence"'


def rendered(text: str, start: int = 0, end: int = 0, sentence: Span = NOWHERE) -> SafeString:
    """Markdown as HTML, what stands from `start` to `end` in `<mark>`, the first with an id.

    The marks of the sentence within have a class of their own.
    """
    text = SIGNS.sub(" ", text)
    front = FRONT.match(text)
    cut = front.end() if front else 0
    head = ""
    if front:
        head = f"<pre>{_pieces(text, 0, cut, (start, end), sentence)}</pre>"
    body = text[cut:]
    passage = _settled(body, max(start - cut, 0), max(end - cut, 0))
    said = _settled(body, max(sentence[0] - cut, 0), max(sentence[1] - cut, 0))
    signs: list[tuple[int, str]] = []
    for (first, last), (begin, stop) in ((passage, (START, END)), (said, (FIRST, LAST))):
        signs += [(first, begin), (last, stop)] if last > first else []
    for place, sign in sorted(signs, reverse=True):
        body = f"{body[:place]}{sign}{body[place:]}"
    html = markdown.render(body, {})
    if any(html.count(sign) != 1 for _, sign in signs):  # a sign went into an address, say
        return _plain(text, (start, end), sentence)
    return mark_safe(_once(head + _marked(HEADINGS.sub(_lower, html))))  # cleaned by render


def typed(text: str, start: int = 0, end: int = 0, sentence: Span = NOWHERE) -> SafeString:
    """Plain text as HTML: its paragraphs, and lines of cells as tables; marked the same way."""
    out: list[str] = []
    rows: list[str] = []
    passage = start, end
    for begin, line in _lines(text):
        if CELL in line:
            cells, place = [], begin
            for cell in line.split(CELL):
                words = _pieces(text, place, place + len(cell), passage, sentence)
                cells.append(f"<td>{words}</td>")
                place += len(cell) + len(CELL)
            rows.append(f"<tr>{''.join(cells)}</tr>")
            continue
        out += _table(rows)
        if line.strip():
            out.append(f"<p>{_pieces(text, begin, begin + len(line), passage, sentence)}</p>")
    out += _table(rows)
    return mark_safe(_once("".join(out)))  # every piece is escaped


def _lines(text: str) -> Iterator[tuple[int, str]]:
    begin = 0
    for line in text.split("\n"):
        yield begin, line
        begin += len(line) + 1


def _table(rows: list[str]) -> list[str]:
    found = [f"<table><tbody>{''.join(rows)}</tbody></table>"] if rows else []
    rows.clear()
    return found


def _plain(text: str, passage: Span, sentence: Span) -> SafeString:
    pieces = _pieces(text, 0, len(text), passage, sentence)
    return mark_safe(_once(f'<p class="plain-text">{pieces}</p>'))  # escaped


def _pieces(text: str, begin: int, stop: int, passage: Span, sentence: Span) -> str:
    """The text from `begin` to `stop`, escaped, with what is marked of it in `<mark>`."""
    cuts = {min(max(place, begin), stop) for place in (*passage, *sentence)} | {begin, stop}
    return "".join(
        _piece(escape(text[a:b]), passage[0] <= a < passage[1], sentence[0] <= a < sentence[1])
        for a, b in pairwise(sorted(cuts))
    )


def _piece(escaped: str, cited: bool, said: bool) -> str:
    if not (cited or said) or not escaped.strip():
        return escaped
    return f"<mark{SENTENCE if said else ''}>{escaped}</mark>"


def _settled(text: str, start: int, end: int) -> tuple[int, int]:
    """The same passage, its ends moved off what must stay at the beginning or end of a line."""
    while start < end and (text[start].isspace() or _is_rule(text, start)):
        start = start + 1 if text[start].isspace() else _after(text, start)
    line = text.rfind("\n", 0, start) + 1
    lead = LEAD.match(text, line)
    if lead and start < lead.end() <= end:
        start = lead.end()
    while start < end and (text[end - 1] in " \t\n|" or _is_rule(text, end - 1)):
        end = end - 1 if text[end - 1] in " \t\n|" else text.rfind("\n", 0, end) + 1
    return start, end


def _is_rule(text: str, place: int) -> bool:
    return RULE.fullmatch(text, text.rfind("\n", 0, place) + 1, _after(text, place)) is not None


def _after(text: str, place: int) -> int:
    """The end of the line that a place is on."""
    end = text.find("\n", place)
    return len(text) if end < 0 else end


def _lower(heading: re.Match[str]) -> str:
    """The page has its own first heading: those of the text come below it."""
    return f"{heading[1]}{min(int(heading[2]) + 1, 6)}"


def _marked(html: str) -> str:
    """The signs taken out, and all text between them marked."""
    out: list[str] = []
    cited = said = False
    for token in TAG.split(html):
        if token.startswith("<"):
            out.append(token)
            continue
        for piece in SIGNS.split(token):
            if piece in (START, END):
                cited = piece == START
            elif piece in (FIRST, LAST):
                said = piece == FIRST
            else:
                out.append(_piece(piece, cited, said))
    return "".join(out)


def _once(html: str) -> str:
    """The first mark has the id that the page scrolls to where no sentence is marked."""
    return html.replace("<mark", '<mark id="passage"', 1)
