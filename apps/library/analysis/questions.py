"""A question as slots: the things asked for, each with the lexemes that would do."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby, pairwise

from apps.library.analysis import numbers
from apps.library.analysis.compounds import PART
from apps.library.analysis.folding import fold, normalise
from apps.library.analysis.greetings import is_greeting
from apps.library.analysis.languages import by_script, detect, function_words, stem
from apps.library.analysis.tokens import Token, is_unspaced, joined_up, pairs, part, tokens
from apps.library.analysis.translations import SIDES, told, translated

CHARACTERS = 5_000
SLOTS = 200  # words of an essay pasted in; each costs a look-up
_NUMBER = re.compile(r"\d+[a-z]?")
_LONG_NUMBER = re.compile(r"\d{5,}")
_YEAR = re.compile(r"(?:19|20)\d\d")
_POINTED = re.compile(r"\d+(?:\.\d+)+")
# "How much is the rent?" asks for the rent: that no passage says "much" means nothing.
_AMOUNTS = frozenset(map(fold, ("much", "many", "viel", "viele", "vielen", "wieviel", "wieviele")))
# What a figure is of; documents that say "€" or "m²" beside it do not say the word.
_UNITS = {
    unit: spellings
    for spellings in (
        ("eur", "euro", "euros"),
        ("usd", "dollar", "dollars"),
        ("qm", "quadratmeter", "#m2"),
    )
    for unit in spellings
}
JOINED = range(5, 35)  # characters of what a question writes apart: an account has the most
_FIGURE = re.compile(r"[+(]?\w[\w ()./,-]*")
# Surely an identifier; YouTube or AC-DC may be plain names.
_STRONG = re.compile(r"[\d_§()]|--|\w\.\w|^(?:par|sec|art)|[+#]$", re.IGNORECASE)


@dataclass(slots=True)
class Slot:
    """One thing asked for: any of the lexemes will do, the best one counts, once."""

    lexemes: list[str]
    identifier: bool = False
    position: int = 0
    german: str = ""  # its German stem, by which compounds are known; "" of anything else
    related: list[str] = field(default_factory=list)  # would do a little: compounds and parts
    amount: bool = False  # asks how much of another thing there is
    spelled: str = ""  # the plain word it is, as it was asked; "" of anything else
    # As it stands in passages of no language, or in a longer identifier; "" where that is the same.
    plain: str = ""
    within: bool = False  # a word of an identifier that is asked for as a whole, too
    begun: list[str] = field(default_factory=list)  # identifiers of which it is the beginning
    # What it is in other languages: the language of a passage, and the lexeme it has there.
    abroad: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class Question:
    """What is asked, in lexemes."""

    language: str  # ISO 639-1, "" where the question says too little
    foreign: bool  # likely in a language of which the workspace holds next to nothing
    slots: list[Slot]
    pairs: list[tuple[int, int, int]]  # (slot, slot, distance): words that stand side by side
    idle: bool = False  # nothing but function words, or a greeting
    supposed: bool = False  # its language is that of its everyday words, which prove little

    @property
    def lexemes(self) -> frozenset[str]:
        """All that would do, for marking it in a passage; "how many" is no more than a question."""
        asked = (slot for slot in self.slots if not slot.amount)
        forms = ((*slot.lexemes, *slot.related, *slot.begun, slot.plain) for slot in asked)
        return frozenset(lexeme for each in forms for lexeme in each if lexeme)

    def lexemes_in(self, language: str) -> frozenset[str]:
        """All that would do in a passage of this language."""
        there = (
            lexeme for slot in self.slots for other, lexeme in slot.abroad if other == language
        )
        return self.lexemes.union(there)


def question(text: str, languages: Sequence[str], spoken: Collection[str] = ()) -> Question:
    """The slots of a question asked of passages in `languages` (the likeliest first).

    Words are asked by their stems in the question's own language and in each of these: names
    and loan words cross the border. Function words are not asked, unless there is nothing else.
    Everyday words are also asked as they are called in the other languages `spoken` there.
    """
    text = normalise(text[:CHARACTERS])
    found = list(tokens(text))
    words = [fold(word) for token in found for word in token.words]
    language, lead = detect(words)
    idle = _says_nothing(words, language)
    if not language and (language := by_script(text)):
        lead = 2.0  # a script says more than any word
    foreign = bool(language) and language not in languages and lead >= 0.5 and not idle
    if language not in languages and lead <= 1:  # one foreign function word proves nothing
        language, lead = "", 0.0
    supposed = not (language or idle) and set(languages) <= set(SIDES) <= set(spoken)
    if supposed:
        language = told(words)
    asked = tuple(dict.fromkeys([*([language] if language else []), *languages])) or ("en",)
    slots: list[Slot] = []
    position = 0
    stops = _stops(language, languages)
    for token, near, joined in zip(found, _beside(found), _joined(found), strict=True):
        before, position = len(slots), _ask(slots, token, near, asked, stops, position)
        for slot in slots[before:]:
            slot.lexemes += [each for each in joined if each not in (*slot.lexemes, slot.plain)]
    if language not in ("", "de"):
        slots = [replace(slot, german="") for slot in slots]
    if not slots:
        idle = True
        slots = [Slot(_stems(word, asked), False, n) for n, word in enumerate(words, 1)]
    slots = [replace(slot, abroad=_abroad(slot, language, spoken)) for slot in slots[:SLOTS]]
    return Question(language, foreign, slots, _side_by_side(slots), idle, supposed)


def words_found(asked: Question, text: str, language: str) -> tuple[str, ...]:
    """The words of a passage that answer to the question, as they are spelled there."""
    lexemes = asked.lexemes_in(language)
    found: dict[str, None] = {}
    for token in tokens(normalise(text)):
        if any(whole in lexemes for whole in token.wholes):
            found[token.surface] = None
            continue
        for word in token.words:
            if is_unspaced(word):
                found.update(dict.fromkeys(pair for pair in pairs(word) if pair in lexemes))
            elif stem(word, language) in lexemes:
                found[word] = None
    return tuple(found)


def _says_nothing(words: Sequence[str], language: str) -> bool:
    """Whether folded words are function words of one language throughout, or a greeting."""
    stops = function_words().get(language, frozenset())
    return is_greeting(words) or (bool(words) and stops.issuperset(words))


def _stops(language: str, languages: Sequence[str]) -> frozenset[str]:
    return _function_words((language,) if language else tuple(languages))


@lru_cache(64)
def _function_words(languages: tuple[str, ...]) -> frozenset[str]:
    lists = function_words()
    return frozenset().union(*(lists.get(code, frozenset()) for code in languages))


def _stems(word: str, languages: Sequence[str]) -> list[str]:
    """The stems of a word in some languages, but for those that some stemmer leaves too little of.

    German ones make "for" of forest, and English ones "la" of Laing.
    """
    stems = list(dict.fromkeys(stem(word, language) for language in languages))
    stops, whole = _stops("", languages), fold(word)
    said = [each for each in stems if each == whole or (each not in stops and each[2:])]
    return said or stems


def _abroad(slot: Slot, language: str, spoken: Collection[str]) -> list[tuple[str, str]]:
    """The lexemes of a word in the other languages spoken; as it stands, too, for tables."""
    if not slot.spelled or not spoken:
        return []
    known = translated(slot.spelled, language)
    forms = [
        (other, form)
        for other in spoken
        for word in known.get(other, ())
        for form in (stem(word, other), fold(word))
    ]
    return [one for one in dict.fromkeys(forms) if one[1] not in slot.lexemes]


def _german(word: str) -> str:
    stemmed = stem(word, "de")
    return stemmed if len(stemmed) >= PART and stemmed.isalpha() else ""


def _ask(
    slots: list[Slot],
    token: Token,
    near: list[Token],
    languages: Sequence[str],
    stops: frozenset[str],
    position: int,
) -> int:
    """Add the slots of one token; returns the position of its last word."""
    identifiers = [whole for whole in token.wholes if whole[0] == "#"]
    strong = bool(identifiers and _STRONG.search(token.surface)) or _is_cited(token, near)
    longer = part(token.words) if len(identifiers) == 1 else ""
    slots += [Slot(_spellings(whole), strong, position, plain=longer) for whole in identifiers]
    for word in token.words:
        position += 1
        folded = fold(word)
        if is_unspaced(word):
            slots += [Slot([pair], False, position + n) for n, pair in enumerate(pairs(word))]
            position += len(word) - 1
        elif not identifiers and folded in stops:
            continue
        elif not identifiers and _NUMBER.fullmatch(folded) and any(map(_is_code, near)):
            # "BGB 443" and "443 BGB": the bare number may be a section.
            slots.append(Slot([f"#§{folded}", f"#art{folded}", folded], True, position))
        else:
            known = strong or bool(_LONG_NUMBER.fullmatch(folded))
            german = "" if known or "de" not in languages else _german(word)
            spelled = word if word.isalpha() and not strong else ""
            stems, amount = _stems(word, languages), folded in _AMOUNTS
            if _LONG_NUMBER.fullmatch(folded):  # it may be written with blanks or slashes
                stems.append("#" + folded)
            if folded in _UNITS and any(map(_is_figure, near)):
                stems, amount = _of_unit(folded, languages), True
            plain = "" if amount or folded in stems else folded
            if len(folded) >= numbers.LEAST and folded.isdigit():
                # The end of an account, or an amount without its cents, which a year is not.
                plain = "~" + folded
                stems += [] if known or _YEAR.fullmatch(folded) else [plain]
            within = bool(identifiers)
            slots.append(Slot(stems, known, position, german, [], amount, spelled, plain, within))
    for whole in token.wholes:
        if whole[0] == "-":
            slots.append(Slot(_stems(whole[1:], languages), False, position))
    return position


def _beside(found: Sequence[Token]) -> list[list[Token]]:
    """For each token those before and after it."""
    return [[*found[max(n - 1, 0) : n], *found[n + 1 : n + 2]] for n in range(len(found))]


def _joined(found: Sequence[Token]) -> list[list[str]]:
    """For each token what it is a part of where numbers stand side by side: DE02 1203, 0170 555.

    Documents may write them together, or divide them otherwise.
    """
    joined: list[list[str]] = []
    for are_figures, run in groupby(found, _is_figure):
        row = list(run)
        whole = joined_up("".join(token.surface for token in row)) if are_figures else ""
        apart = len(row) > 1 or (whole.isdigit() and len(row[0].words) > 1)
        spellings = [whole] if apart else []
        spellings.append(numbers.national("+" * row[0].surface.startswith("+") + whole))
        known = [each for each in spellings if len(each) in JOINED]
        pointed = [
            ["~" + token.surface] if _POINTED.fullmatch(token.surface) else [] for token in row
        ]
        marked = [mark + each for each in known for mark in ("#", "~", "")]
        joined += [marked + own for own in pointed]
    return joined


def _is_figure(token: Token) -> bool:
    surface = token.surface
    return any(map(str.isdigit, surface)) and bool(_FIGURE.fullmatch(surface))


def _of_unit(folded: str, languages: Sequence[str]) -> list[str]:
    """The stems of all that means the same: EUR, Euro."""
    return list(dict.fromkeys(s for unit in _UNITS[folded] for s in _stems(unit, languages)))


def _spellings(whole: str) -> list[str]:
    """An identifier, or what will do as well.

    A number may be written without what divides it. Of a paragraph that is what it is part of: the
    text around "(2)" need not say "§ 3" again.
    """
    spellings = [whole, whole[1:]] if whole[1:].isdigit() else [whole]
    while whole.endswith(")") and "(" in whole[2:]:
        whole = whole[: whole.rindex("(")]
        spellings.append(whole)
    return spellings


def _is_code(token: Token) -> bool:
    """Two capitals in one word: BGB, ProdHaftG, StVO. Not Hamlet."""
    surface = token.surface
    if surface.casefold() in _UNITS:
        return False
    return surface[:1].isalpha() and sum(map(str.isupper, surface)) >= 2


def _is_cited(token: Token, near: list[Token]) -> bool:
    """Whether an abbreviation stands beside a section or a bare number: BGB § 573, ProdHaftG 10."""
    return _is_code(token) and any(
        any(whole.startswith(("#§", "#art")) for whole in other.wholes)
        or _NUMBER.fullmatch(other.surface)
        for other in near
    )


def _side_by_side(slots: list[Slot]) -> list[tuple[int, int, int]]:
    plain = [n for n, slot in enumerate(slots) if slot.lexemes[0][0] not in "#~"]
    distances = [(a, b, slots[b].position - slots[a].position) for a, b in pairwise(plain)]
    return [pair for pair in distances if 0 < pair[2] <= 3]
