"""Source code: a part for each definition, with its name and what it stands in; never executed.

No language is understood: a line that looks like the beginning of a function, class or the like is
one, and what is indented below it belongs to it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from apps.library.parsing import Opened, ReadPart, Source, text
from apps.library.parsing.encodings import decode

BEFORE = (
    r"(?:(?:export|default|public|private|protected|internal|static|async|abstract|final|unsafe|"
    r"extern|override|virtual|inline|sealed|data|open|suspend|declare|pub(?:\([^)]*\))?)\s+)*"
)
FOLLOWS = (
    r"(?=\s*(?:[({:<=;\[]|$|extends\b|implements\b|for\b|where\b|struct\b))"  # else it is prose
)
NOT_A_TYPE = (
    r"(?!(?:if|for|while|switch|return|else|do|case|catch|new|throw|using|elif|yield|await|raise|"
    r"assert|with|from|import|print|not|and|or|in|is|lambda|del|goto|defer|end|puts|echo)\b)"
)
C_FUNCTION = NOT_A_TYPE + r"[A-Za-z_][\w:<>,\[\]*&?\s]*[\s*&:]~?([A-Za-z_]\w*)\s*\([^;{}=]*\)"
DEFINITIONS = [
    re.compile(rest if rest.startswith(r"(?!\s)") else rf"(\s*){BEFORE}{rest}", flags)
    for rest, flags in (
        (r"(?:def|class|function\*?|fn|struct|enum|interface|trait|impl(?:<[^>]*>)?|module|namespace"
         r"|object|protocol|extension|record|sub|fun|type|macro_rules!)\s+([A-Za-z_$][\w$.:]*)"
         + FOLLOWS, 0),
        (r"func\s+(?:\([^)]*\)\s*)?(\w+)", 0),
        (r"(?:const|let|var)\s+([\w$]+)\s*=\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*=>|[\w$]+\s*=>)",
         0),
        (r"create\s+(?:or\s+replace\s+)?(?:unique\s+|temp(?:orary)?\s+|materialized\s+)?(?:table|view|"
         r"function|procedure|trigger|index|type)\s+(?:if\s+not\s+exists\s+)?([\w.\"]+)",
         re.IGNORECASE),
        (r"([\w-]+)\s*\(\)\s*\{", 0),  # of a shell
        (C_FUNCTION + r"[\w\s:]*\{\s*$", 0),
        (r"(?!\s)()" + C_FUNCTION + r"\s*$", 0),  # its brace stands on the next line
    )
]  # fmt: skip
ABOVE = re.compile(r"\s*(?:#|//|/\*|\*|--|;|@|\"\"\"|<!--|\[\w)")  # comments and decorators
WORDY = re.compile(r"\s*[A-Za-z_@]")
LONGEST = 300  # characters of a line that may begin a definition
SMALL, WITHIN = 200, 600  # characters a part has before the next definition begins another
NAMES = 200  # characters of a name with what it stands in


@dataclass
class _Piece:
    first: int  # line, from 0
    name: str = ""
    lines: list[str] = field(default_factory=list)
    size: int = 0


def read(source: Source) -> Iterator[Opened | ReadPart]:
    content, _encoding = decode(source.path.read_bytes())
    lines = text.lines_of(content)
    yield Opened("code", "", None, "")
    for piece in pieces(lines):
        for part in text.parts(piece.lines, piece.first + 1):
            name = f", {piece.name}" if piece.name else ""
            yield ReadPart(
                "lines", part.number, f"{part.label}{name}", part.text, first_line=part.first_line
            )


def pieces(lines: list[str]) -> Iterator[_Piece]:
    """Stretches of lines that belong together: all lines, in order, each once."""
    piece, path = _Piece(0), list[tuple[int, str]]()
    for place, line in enumerate(lines):
        if found := _definition(line):
            depth, name = found
            path = [(other, above) for other, above in path if other < depth]
            if piece.size > (WITHIN if path else SMALL):
                head = _above(piece.lines)
                taken, piece.lines = piece.lines[head:], piece.lines[:head]
                yield piece
                piece = _Piece(place - len(taken), "", taken, sum(map(len, taken)))
            path.append((depth, name))
            if not piece.name:
                piece.name = " › ".join(each for _, each in path)[:NAMES]
        piece.lines.append(line)
        piece.size += len(line) + 1
    yield piece


def _definition(line: str) -> tuple[int, str] | None:
    """How far a definition is indented, and its name; None for another line."""
    if len(line) > LONGEST or not WORDY.match(line):
        return None
    for pattern in DEFINITIONS if "(" in line else DEFINITIONS[:-2]:
        if found := pattern.match(line):
            return len(found[1].expandtabs(4)), found[2].rstrip(".:")
    return None


def _above(lines: list[str]) -> int:
    """Where the comments and decorators begin that belong to the line below; never the first."""
    start = len(lines)
    while start > 1 and ABOVE.match(lines[start - 1]):
        start -= 1
    return start
