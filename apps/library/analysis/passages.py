"""A passage as lexemes with positions, written as the literal of a tsvector."""

import re
from collections import defaultdict
from dataclasses import dataclass

from apps.library.analysis.folding import fold, normalise
from apps.library.analysis.languages import by_script, detect, shown, stem
from apps.library.analysis.tokens import Token, is_unspaced, pairs, tokens

LAST_POSITION = 16_383  # PostgreSQL's own limits
POSITIONS = 255
CHARACTERS = 50_000  # of one passage; far above any chunk, far below the megabyte of a tsvector
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.+)$")
# A section named at the start of a line (or last in a breadcrumb), and the paragraphs below it.
_SECTION = r"(?:^|›)[ \t#*]{0,9}§\s?(?P<section>\d{1,6}[a-z]?)\b(?![^›\n]*›)"
_BROKEN = re.compile(
    r"(?<=[^\W\d_])[-\u00ad\u2010](?:\n| +)(?=[^\W\d_])(?!und\b|oder\b|and\b|or\b)"
)
_STRUCTURE = re.compile(
    _SECTION + r"|^[ \t*]{0,9}\((?P<paragraph>\d{1,3}[a-z]?)\)(?=\s)", re.MULTILINE
)


@dataclass(slots=True)
class Passage:
    """What is stored of a passage for the words leg."""

    language: str  # ISO 639-1, "" where neither the passage nor its document says
    length: int  # words, the length of BM25
    lexemes: dict[str, list[tuple[int, bool]]]  # to (position from 1, whether in a heading)

    def literal(self) -> str:
        """The lexemes as PostgreSQL reads a tsvector."""
        return " ".join(
            f"{quoted(lexeme)}:{','.join(_place(*place) for place in places[:POSITIONS])}"
            for lexeme, places in self.lexemes.items()
        )


def analyse(title: str, text: str, default_language: str) -> Passage:
    """The lexemes of a passage, of its title (or heading) with more weight.

    The passage's own words decide its language; `default_language` where they say too little.
    """
    text, title = normalise(text[:CHARACTERS]), normalise(title[:CHARACTERS])
    sections = [(list(tokens(title)), True)]
    sections += [(list(tokens(piece)), heading) for piece, heading in _sections(text)]
    words = [fold(word) for found, _ in sections for token in found for word in token.words]
    language, lead = detect(words)
    # A host called "mon-01" makes no French of a table.
    needed = 2 if default_language and language != default_language else 1
    if lead < needed or not (default_language or shown(words, language)):
        language = by_script(text) or default_language
    lexemes: dict[str, list[tuple[int, bool]]] = defaultdict(list)
    position = 1
    for found, heading in sections:
        for token in found:
            position += _add(lexemes, token, language, position, heading)
        position += 1  # no phrase runs across a heading
    for whole in _paragraphs(f"{title}\n{text}"):
        lexemes.setdefault(whole, []).append((1, False))
    return Passage(language, len(words), dict(lexemes))


def spelled(text: str, lexeme: str, language: str) -> list[str]:
    """The words of a passage in `language` that are indexed as this lexeme, as they stand there.

    What a line's end has broken is one word again, and its halves are none.
    """
    whole = normalise(_BROKEN.sub("", text))
    words = (word for token in tokens(whole) for word in token.words)
    return list(dict.fromkeys(word for word in words if stem(word, language) == lexeme))


def quoted(lexeme: str) -> str:
    """The lexeme as it is written in a tsvector and in a tsquery."""
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"


def _place(position: int, heading: bool) -> str:
    return f"{min(position, LAST_POSITION)}{'A' if heading else ''}"


def _add(
    lexemes: dict[str, list[tuple[int, bool]]],
    token: Token,
    language: str,
    position: int,
    heading: bool,
) -> int:
    """Add the lexemes of a token; returns how many positions it takes."""
    used = 0
    for word in token.words:
        if is_unspaced(word):
            for pair in pairs(word):
                lexemes[pair].append((position + used, heading))
                used += 1
        else:
            lexemes[stem(word, language)].append((position + used, heading))
            used += 1
    for whole in token.wholes:
        lexeme = whole if whole[0] in "#~" else stem(whole[1:], language)
        lexemes[lexeme].append((position, heading))
    return max(used, 1)


def _paragraphs(text: str) -> list[str]:
    """Paragraphs as they are cited: "(2)" at the start of a line below "§ 3" is `#§3(2)`."""
    found: dict[str, None] = {}
    section = ""
    for match in _STRUCTURE.finditer(text):
        if match["section"]:
            section = match["section"]
        elif section:
            found[f"#§{section}({match['paragraph']})".casefold()] = None
    return list(found)


def _sections(text: str) -> list[tuple[str, bool]]:
    """The text in pieces, each with whether it is a Markdown heading."""
    if "#" not in text:
        return [(text, False)]
    sections: list[tuple[str, bool]] = []
    body: list[str] = []
    for line in text.split("\n"):
        if heading := _HEADING.match(line):
            sections += [("\n".join(body), False), (heading[1], True)]
            body = []
        else:
            body.append(line)
    return [*sections, ("\n".join(body), False)]
