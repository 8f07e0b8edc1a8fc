"""Shows the stretch of a passage that answers as what it is: prose, a list, a table, code.

The text of a document is never HTML: whatever of it is put on a page is escaped here.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from apps.library import marking, shapes
from apps.library.marking import BETWEEN
from apps.library.pointing import Span
from apps.library.search import Hit
from apps.library.shapes import CODE, CODE_END, Line

LINES = 7  # rows, items or lines of code, at most
CELL = 160  # characters of a cell, about
BRIEF = 24  # characters of a cell that is not broken
WIDE = 400  # characters of a line of code, about
SLIVER = 40  # characters; so little of a paragraph says nothing
PHONE, GAP = 46, 2  # characters of a table that fit on a phone, and those between two columns
MARK, MARK_END = "\x04", "\x05"
TAGS = {CODE: "<code>", CODE_END: "</code>", MARK: "<mark>", MARK_END: "</mark>"}
SIGNS = re.compile("[\x02-\x05]")
MORE = "…"
REST = f'<p class="more">{MORE}</p>'  # above or below rows, items and code


@dataclass(frozen=True, slots=True)
class _Placed:
    """A line, and from where to where it stands in the text of all."""

    line: Line
    begin: int
    end: int

    def touches(self, span: Span) -> bool:
        return self.begin < span[1] and span[0] < self.end


def of(hit: Hit) -> SafeString:
    """The best stretch of what was found, its words marked."""
    lines = shapes.of(hit.joined or (hit.chunk,), hit.text)
    named = [step for step in hit.chunk.label.split(" › ") if not marking.spans(step, hit.words)]
    while len(lines) > 1 and lines[0].cells[0] in named:
        del lines[0]  # the page names it above the passage
    return shown(lines, hit.words)


def shown(lines: Sequence[Line], words: Sequence[str]) -> SafeString:
    """The lines among which most of `words` stand, each in <mark>; a table keeps its header."""
    text = "\n".join(BETWEEN.join(line.cells) for line in lines)
    view = _View(text, marking.spans(text, words), words)
    chosen = view.chosen(list(_placed(lines)))
    if not chosen:
        return SafeString("")
    first, last = chosen[0], chosen[-1]
    out = [view.block(block) for block in _blocks(chosen)]
    if first.begin and first.line.kind != "prose" and not first.line.head:
        out.insert(0, REST)
    if last.end < len(text) and last.line.kind != "prose":
        out.append(REST)
    return mark_safe("".join(out))  # escaped by the view


def _placed(lines: Sequence[Line]) -> Iterator[_Placed]:
    begin = 0
    for line in lines:
        end = begin + len(BETWEEN.join(line.cells))
        yield _Placed(line, begin, end)
        begin = end + 1


def _blocks(chosen: Sequence[_Placed]) -> Iterator[list[_Placed]]:
    """Lines that belong together: of a paragraph, a list, a table, a piece of code."""
    block: list[_Placed] = []
    for each in chosen:
        above = block[-1].line if block else each.line
        if block and (
            each.line.opens or (above.kind, above.head) != (each.line.kind, each.line.head)
        ):
            yield block
            block = []
        block.append(each)
    yield block


class _View:
    """The text of all lines, where the words stand in it, and what is shown of it."""

    def __init__(self, text: str, found: list[Span], words: Sequence[str]) -> None:
        self.text, self.found, self.words = text, found, words
        self.stretch = marking.window(text, found)

    def chosen(self, lines: list[_Placed]) -> list[_Placed]:
        """The lines of the best stretch, but no sliver of a paragraph and not too many rows."""
        near = [each for each in lines if each.touches(self.stretch) and not self._is_sliver(each)]
        if len(near) > LINES:
            near = self._best(near)
        full = [n for n, each in enumerate(near) if each.begin < each.end]
        return near[full[0] : full[-1] + 1] if full else []

    def _best(self, near: list[_Placed]) -> list[_Placed]:
        said = [self._said(each) for each in near]
        starts = [max(0, min(n - 1, len(near) - LINES)) for n, some in enumerate(said) if some]
        best = max(starts or [0], key=lambda n: len(set().union(*said[n : n + LINES])))
        return near[best : best + LINES]

    def _said(self, each: _Placed) -> set[str]:
        return {self.text[a:b].casefold() for a, b in self.found if each.touches((a, b))}

    def _is_sliver(self, each: _Placed) -> bool:
        begin, end = self._cut(each)
        is_cut = (begin, end) != (each.begin, each.end)
        return is_cut and end - begin < SLIVER and not self._said(each)

    def _cut(self, each: _Placed) -> Span:
        """Where the shown part of a line begins and ends: only prose is cut at the stretch."""
        if each.line.kind != "prose":
            return each.begin, each.end
        return max(each.begin, self.stretch[0]), min(each.end, self.stretch[1])

    def block(self, block: list[_Placed]) -> str:
        """A block of lines of one kind as HTML."""
        match block[0].line.kind:
            case "row":
                return self._table(block)
            case "code":
                return self._code(block)
            case "item":
                return f'<ul class="items">{"".join(map(self._item, block))}</ul>'
            case "heading":
                return "".join(
                    f"<p><b>{self._html(each.begin, each.end)}</b></p>" for each in block
                )
        return f"<p>{'<br>'.join(map(self._prose, block))}</p>"

    def _item(self, each: _Placed) -> str:
        words = self._html(each.begin, each.end)
        return f"<li><span>{escape(each.line.sign)}</span><span>{words}</span></li>"

    def _prose(self, each: _Placed) -> str:
        begin, end = self._cut(each)
        before = f"{MORE} " if begin > each.begin or begin == self.stretch[0] > 0 else ""
        after = f" {MORE}" if end < each.end or end == self.stretch[1] < len(self.text) else ""
        return f"{before}{self._html(begin, end)}{after}"

    def _table(self, block: list[_Placed]) -> str:
        names = block[0].line.head
        head = "".join(map(self._named, names))
        columns = zip_longest(*(each.line.cells for each in block), names, fillvalue="")
        width = sum(min(max(map(len, column)), BRIEF) + GAP for column in columns)
        wide = ' class="wide"' if width > PHONE else ""
        rows = "".join(f"<tr>{''.join(self._cells(each, bool(wide)))}</tr>" for each in block)
        top = f"<thead><tr>{head}</tr></thead>" if head else ""
        return f'<div class="table-scroll"><table{wide}>{top}<tbody>{rows}</tbody></table></div>'

    def _named(self, cell: str) -> str:
        """The head of a column; what has no name is no header."""
        if not cell:
            return "<td></td>"
        view = _View(cell, marking.spans(cell, self.words), self.words)
        return f'<th scope="col">{view._within(0, len(cell), CELL)}</th>'

    def _cells(self, each: _Placed, labelled: bool) -> Iterator[str]:
        begin = each.begin
        for cell, name in zip_longest(each.line.cells, each.line.head):
            if cell is None:
                yield "<td></td>"
                continue
            brief = ' class="brief"' if len(cell) <= BRIEF else ""
            label = f' data-label="{escape(SIGNS.sub("", name))}"' if name and labelled else ""
            yield f"<td{brief}{label}>{self._within(begin, begin + len(cell), CELL)}</td>"
            begin += len(cell) + len(BETWEEN)

    def _code(self, block: list[_Placed]) -> str:
        lines = [self.text[each.begin : each.end] for each in block]
        margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
        spans = [(min(each.begin + margin, each.end), each.end) for each in block]
        rows = "\n".join(f"<code>{self._within(*span, WIDE)}</code>" for span in spans)
        return f"<pre>{rows}</pre>"

    def _within(self, begin: int, end: int, most: int) -> str:
        """What stands from `begin` to `end`, the best stretch of it if that is too long."""
        if end - begin <= most:
            return self._html(begin, end)
        here = [(a - begin, b - begin) for a, b in self.found if begin <= a and b <= end]
        first, last = marking.window(self.text[begin:end], here, most)
        before, after = f"{MORE} " if first else "", f" {MORE}" if begin + last < end else ""
        return f"{before}{self._html(begin + first, begin + last)}{after}"

    def _html(self, begin: int, end: int) -> str:
        """That text, escaped, with its words marked and its code set as such."""
        out, place = "", begin
        for left, right in self.found:
            left, right = max(left, begin), min(right, end)
            if left < right:
                out += f"{self.text[place:left]}{MARK}{self.text[left:right]}{MARK_END}"
                place = right
        out += self.text[place:end]
        signs = [sign for sign in out if sign in (CODE, CODE_END)]
        if signs and signs[0] == CODE_END:
            out = CODE + out
        if signs and signs[-1] == CODE:
            out += CODE_END
        return SIGNS.sub(lambda found: TAGS[found[0]], escape(out))
