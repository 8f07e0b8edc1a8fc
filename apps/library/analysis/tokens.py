"""Cuts text into tokens that keep identifiers whole: sections, paths, versions, names in code."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from apps.library.analysis import numbers
from apps.library.analysis.folding import WORD_LIMIT

PIECES = 8  # of an identifier whose parts are known; a path or a hash has more
PART = 4  # letters and digits of such a part
# Scripts written without spaces, found by pairs of characters: CJK, Hangul, Thai, Lao, Khmer.
UNSPACED = (
    r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
)
# Vowel signs of Indian and South-East Asian scripts, which Python's \w does not count as letters.
MARKS = "".join(c for c in map(chr, range(0x0900, 0x1800)) if unicodedata.category(c)[0] == "M")

_SUBS = r"(?:\s?\([a-z0-9]{1,4}\)){0,6}"
_SECTION = r"\d{1,6}[a-z]?(?![a-z\d])"
_WITHIN = r"""(?:\s{0,3}(?:Abs(?:\.|atz)|Nr\.?|Nummer|S(?:\.|atz)|lit\.?|para\.?|UAbs\.?)
    \s{0,3}\d{1,6}[a-z]?|\s{0,3}lit\.\s{0,3}[a-z]\b){0,6}"""
_CITED = f"{_SECTION}{_SUBS}{_WITHIN}"
_PATTERN = rf"""
    (?P<sec>(?:§{{1,3}}|¶{{1,3}}
        |\b(?:Paragraph(?:en)?|Paragraf(?:en)?|Par\.|Sections?|Sec\.)(?=\s{{0,3}}\d)
        |\b(?P<art>Art\.|Artikels?|Articles?)(?=\s{{0,3}}\d))
        \s{{0,3}}(?P<nums>{_CITED}(?:\s{{0,3}}(?:,|;|und|and|bis|to|oder|or|u\.|-)\s{{0,3}}(?!\d+\.\d){_CITED}){{0,20}}))
  | (?P<url>\b(?:https?://|www\.)[^\s<>()\[\]"']+|\b[\w.+-]{{1,64}}@[\w-]+(?:\.[\w-]+)+)
  | (?P<account>\b[A-Z]{{2}}\d{{2}}\s(?:[A-Z0-9]{{4}}\s){{0,2}}(?:\d{{4}}\s){{2,6}}
        [A-Z0-9]{{1,4}}(?!\w))
  | (?P<phone>(?<![\w.,:/-])(?=\+?(?:[ ()/-]{{0,3}}\d){{8,15}}(?![ ()/-]{{0,3}}\d))
        (?:\+\d{{1,3}}|0\d{{2,4}})(?:\)?[ ]?[/-]?[ ]?\(?\d{{1,8}}\)?){{1,5}}(?!\w))
  | (?P<num>(?<![\w.])\d{{1,3}}(?P<mark>[.,' ])\d{{3}}(?:(?P=mark)\d{{3}})*
        (?![\w]|[.,]\d{{3}}|(?P=mark)\d)(?:[.,]\d+)?
        |(?<![\w.-])\d+[.,]\d+(?![\w]|[.,]\d))
  | (?P<rule>\b\d{{1,6}}[a-z]?(?:\([a-z0-9]{{1,4}}\)){{1,6}})
  | (?P<opt>(?<![\w-])--[A-Za-z][\w-]+)
  | (?P<word>LETTER+(?:(?:_+|[-./:+](?=LETTER)|'(?=LETTER))LETTER+)*(?:\(\)|\+\+|\#(?!\w))?)
"""
_TOKEN = re.compile(_PATTERN.replace("LETTER", r"[^\W_]"), re.VERBOSE | re.IGNORECASE)
_TOKEN_MARKED = re.compile(
    _PATTERN.replace("LETTER", rf"(?:[^\W_]|[{MARKS}])"), re.VERBOSE | re.IGNORECASE
)
_HAS_MARKS = re.compile(f"[{MARKS}]")
_PIECE = re.compile(
    rf"[{UNSPACED}]+|\d+(?:\.\d+)*|(?:[^\W\d_{UNSPACED}]|(?![{UNSPACED}])[{MARKS}])+|[^\W_]"
)
_IS_UNSPACED = re.compile(f"[{UNSPACED}]")
_CITED_PLACES = re.compile(rf"({_SECTION})({_SUBS}{_WITHIN})", re.VERBOSE | re.IGNORECASE)
_INNER_PLACES = re.compile(
    r"\(\s*([a-z0-9]{1,4})\s*\)|(?:\.|\s|[a-z])\s*(\d+[a-z]?)|lit\.\s*([a-z])\b", re.IGNORECASE
)
_SEPARATORS = re.compile(r"[-_./:+'()]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z][a-z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
_CONTRACTION = re.compile(r"(?:n't|'(?:s|t|re|ve|ll|d|m))$", re.IGNORECASE)
_HYPHENATED = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+$")
_ALTERNATIVES = re.compile(r"[^\W\d_]+(?:/[^\W\d_]+)+$")
_ABBREVIATION = re.compile(r"(?:[^\W\d_]\.){2,}[^\W\d_]?$|(?:[^\W\d_]\.)+[^\W\d_]$")
_NUMBER = re.compile(r"\d+[a-z]?", re.IGNORECASE)


@dataclass(slots=True, frozen=True)
class Token:
    """A place in the text: the words it stands for, and the whole spellings found there.

    A whole spelling starts with `#` if it is an identifier, with `~` if it is part of a longer one
    (TXN-98765 of TXN-98765-2024), with `-` if it is a word that is also written without its hyphens
    (re-entry, reentry).
    """

    words: tuple[str, ...]
    wholes: tuple[str, ...]
    surface: str


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a normalised text, in reading order."""
    pattern = _TOKEN if text.isascii() or not _HAS_MARKS.search(text) else _TOKEN_MARKED
    for match in pattern.finditer(text):
        kind, surface = match.lastgroup, match[0]
        if kind == "word" or kind == "url":
            token = _word(surface) if len(surface) <= WORD_LIMIT else _split(surface)
            if token.words:
                yield token
        elif match["sec"]:
            cited = _cited("art" if match["art"] else "§", match["nums"])
            yield Token(tuple(_NUMBER.findall(match["nums"])[:12]), cited, surface)
        elif kind == "num":
            value = numbers.amount(surface)
            yield Token((value,), _marked("~", [numbers.without_cents(value)]), surface)
        elif kind in ("account", "phone"):
            yield _in_groups(surface)
        elif kind == "rule":
            yield _rule(surface)
        else:
            token = _split(surface[2:])
            yield Token(token.words, ("#" + joined_up(surface),), surface)


def is_unspaced(word: str) -> bool:
    """Whether the word is of a script that puts no spaces between words."""
    return not word.isascii() and bool(_IS_UNSPACED.match(word))


def pairs(word: str) -> list[str]:
    """The overlapping pairs of characters by which an unspaced word is found."""
    return [word[i : i + 2] for i in range(len(word) - 1)] or [word]


def part(words: Sequence[str]) -> str:
    """How an identifier is spelled as part of a longer one; "" of what is too short for that."""
    whole = "".join(words).casefold()
    return "~" + whole if len(words) > 1 and len(whole) >= PART else ""


def _parts(words: Sequence[str]) -> list[str]:
    """All that a longer identifier is made of, but not itself.

    Within it a part has a digit and a word of two letters, unlike the time in that of a log; at its
    beginning and its end anything will do, if it has such a word at all or begins with a letter.
    """
    if not 2 < len(words) <= PIECES:
        return []
    last, named = len(words), _has_word(words) or words[0].isalpha()
    runs = [
        part(words[first:end])
        for first in range(last)
        for end in range(first + 2, last + 1)
        if end - first < last
        and (_is_named(words[first:end]) or (named and (first == 0 or end == last)))
    ]
    return [run for run in dict.fromkeys(runs) if run]


def _has_word(words: Sequence[str]) -> bool:
    return any(len(word) > 1 and word.isalpha() for word in words)


def _is_named(words: Sequence[str]) -> bool:
    return _has_word(words) and any(any(map(str.isdigit, word)) for word in words)


def joined_up(surface: str) -> str:
    """The letters and digits of an identifier, without what stands between them."""
    return "".join(c for c in surface if c.isalnum() or c in MARKS).casefold()[:WORD_LIMIT]


def _marked(mark: str, found: Sequence[str]) -> tuple[str, ...]:
    return tuple(mark + each for each in found if each)


def _in_groups(surface: str) -> Token:
    """An account, or a telephone number, which is also known as it is dialled in its country."""
    joined = joined_up(surface)
    within = [*numbers.account_parts(joined), numbers.national(surface)]
    wholes = ("#" + joined, *_marked("~", within))
    return Token(tuple(_PIECE.findall(surface)), wholes, surface)


def _cited(kind: str, numbers: str) -> tuple[str, ...]:
    """'573, 574a Abs. 2' gives #§573, #§574a and #§574a(2)."""
    found = []
    for place in _CITED_PLACES.finditer(numbers):
        whole = f"#{kind}{place[1].casefold()}"
        found.append(whole)
        for inner in _INNER_PLACES.finditer(place[2]):
            whole += f"({(inner[1] or inner[2] or inner[3]).casefold()})"
            found.append(whole)
    return tuple(found)


def _rule(surface: str) -> Token:
    """'586(e)(1)' gives #586(e) and #586(e)(1)."""
    base, *inner = surface.rstrip(")").replace(")(", "(").split("(")
    whole, found = f"#{base.casefold()}", []
    for part in inner:
        whole += f"({part.casefold()})"
        found.append(whole)
    return Token((base,), tuple(found), surface)


def _split(surface: str) -> Token:
    core = surface.strip("'")
    if _ABBREVIATION.match(core):  # U.S.C. is usc
        return Token((core.replace(".", ""),), (), surface)
    core = _CONTRACTION.sub("", core)
    if core.endswith(("++", "#")):
        return Token((core.rstrip("+#"),), ("#" + core.casefold(),), surface)
    words: list[str] = []
    for chunk in _SEPARATORS.split(core):
        for piece in [chunk] if chunk.isupper() else _CAMEL.split(chunk):
            words += _PIECE.findall(piece)
    if len(words) <= 1 or _ALTERNATIVES.match(core):  # and/or
        return Token(tuple(words), (), surface)
    mark = "-" if _HYPHENATED.match(core) and not core.isupper() else "#"
    within = [] if mark == "-" else _within(core, words)
    return Token(tuple(words), (mark + joined_up(core), *within), surface)


def _within(core: str, words: Sequence[str]) -> tuple[str, ...]:
    """What an identifier is made of that may be asked for by itself."""
    known = [*numbers.pointed_parts(core), *numbers.account_parts(joined_up(core))]
    return (*_parts(words), *_marked("~", known))


_word = lru_cache(1 << 15)(_split)
