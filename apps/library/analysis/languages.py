"""Which language a text is in, told by its function words and scripts, and the stems of words."""

import re
import threading
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from pathlib import Path

import Stemmer

from apps.library.analysis.folding import WORD_LIMIT, fold, normalise

FUNCTION_WORDS = Path(__file__).with_name("function_words.txt")
SNOWBALL = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "eo": "esperanto",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}
# Scripts that give the language away where there are no function words to count.
SCRIPTS = {
    "ja": re.compile(r"[\u3040-\u30ff]"),
    "ko": re.compile(r"[\uac00-\ud7af]"),
    "zh": re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]"),
    "ar": re.compile(r"[\u0600-\u06ff]"),
    "he": re.compile(r"[\u0590-\u05ff]"),
    "el": re.compile(r"[\u0370-\u03ff]"),
    "ru": re.compile(r"[\u0400-\u04ff]"),
    "hi": re.compile(r"[\u0900-\u097f]"),
    "ta": re.compile(r"[\u0b80-\u0bff]"),
    "th": re.compile(r"[\u0e00-\u0e7f]"),
    "hy": re.compile(r"[\u0530-\u058f]"),
}
DISTINCT = 3  # function words of two letters or more that show a language
PLENTY = 0.25  # their share of its words, where it is too short or too monotonous for so many
_LETTERS = re.compile(r"[^\W\d_]+")
# Latin letters say something as words, those of other scripts one by one.
_SPOKEN = re.compile(r"[^\W\d_\u0370-\U0010ffff]{3,}|[^\W\d_\u0000-\u036f]")
SPOKEN = 0.15  # of what can be seen; a table of figures with its labels has more
# Ornament: four in a row of what is neither letter nor digit, nor drawn around a table.
_MARK = r"[^\w\s=+|\u2500-\u257f-]"
_DRAWN = re.compile(rf"{_MARK}(?:[ \t]?{_MARK}){{3,}}")
_BAR = r"[^\w\s=+|()\[\]{};,:<>/\\\"'`$%&\u2500-\u257f-]"  # what code is made of is none
_BARS = re.compile(rf"{_BAR}(?:[ \t]?{_BAR}){{11,}}")
DRAWN = 2  # so many times as much of it as of words, and the page is its ornament
RICH = 8  # words; with so many, something is said between the bars
_SENTENCE = re.compile(r"\b[^\W\d_]+(?:[,;:'’]?[ \n][^\W\d_]+){4,}")
_stemmers = threading.local()  # a Stemmer object must not be used by two threads at once


def stems_anywhere(word: str) -> list[str]:
    """The word as it may be indexed in a passage of whatever language, and of none."""
    return list(dict.fromkeys([fold(word), *(stem(word, language) for language in SNOWBALL)]))


@cache
def function_words() -> dict[str, frozenset[str]]:
    """The folded function words of each language that has a list."""
    lists: dict[str, list[str]] = {}
    words: list[str] = []
    for line in FUNCTION_WORDS.read_text("utf8").splitlines():
        if line.startswith("#"):
            continue
        if line[2:3] == ":":
            words = lists.setdefault(line[:2], [])
            line = line[3:]
        words += map(fold, line.split())
    return {code: frozenset(found) for code, found in lists.items()}


@cache
def _votes() -> dict[str, tuple[str, ...]]:
    index: dict[str, tuple[str, ...]] = {}
    for code, words in function_words().items():
        for word in words:
            index[word] = (*index.get(word, ()), code)
    return index


def detect(words: Iterable[str]) -> tuple[str, float]:
    """The language of folded words and its lead over the second, in votes; ("", 0) if none.

    Each function word votes for its languages, for less the more languages have it.
    """
    votes: dict[str, float] = defaultdict(float)
    index = _votes()
    for word in words:
        if codes := index.get(word):
            for code in codes:
                votes[code] += 1 / len(codes)
    if not votes:
        return "", 0.0
    best = max(votes, key=lambda code: votes[code])
    return best, votes[best] - max((n for code, n in votes.items() if code != best), default=0.0)


def by_script(text: str) -> str:
    """The language whose script most letters of the text are in, "" for Latin and mixtures."""
    if text.isascii():
        return ""
    sample = text[:2000]
    counts = {code: len(script.findall(sample)) for code, script in SCRIPTS.items()}
    letters = sum(map(len, _LETTERS.findall(sample)))
    if counts["ja"] * 10 > letters:  # kana are Japanese, however many characters are shared
        return "ja"
    code = max(counts, key=lambda known: counts[known])
    return code if counts[code] * 2 > letters else ""


def detect_language(text: str) -> str:
    """The ISO 639-1 code of the language most of the text is in, "" where it says too little."""
    text = normalise(text[:50_000])
    words = [fold(word) for word in _LETTERS.findall(text)]
    code, lead = detect(words)
    return code if lead >= 1 else by_script(text)


def speaks(text: str, *, headed: bool = False) -> bool:
    """Whether a text is of some language, and not of ornaments, bars or bare numbers.

    A heading says what bare numbers are. Of bars it says nothing, no more than a title that runs
    along does.
    """
    spoken = _SPOKEN.findall(text)
    if len(frozenset(map(fold, spoken))) >= RICH or _SENTENCE.search(text):
        return True
    said, seen = sum(map(len, spoken)), sum(map(len, text.split()))
    drawn = sum(len("".join(row.split())) for row in _DRAWN.findall(text))
    return DRAWN * said >= drawn and (headed or said > SPOKEN * seen)


def unadorned(text: str) -> str:
    """A text without its rows of bars and dots: an embedder finds these near to any word."""
    return _BARS.sub("", text)


def shows(text: str, language: str) -> bool:
    """Whether a text as a whole lets a reader see that it is in this language.

    What passages are guessed to be serves the search; of a table, two odd cells may have decided.
    """
    text = normalise(text[:50_000])
    if by_script(text) == language:
        return True
    return shown([fold(word) for word in _LETTERS.findall(text)], language)


def shown(words: Sequence[str], language: str) -> bool:
    """Whether folded words have so many function words of a language that they are in it."""
    telling = {word for word in function_words().get(language, ()) if word[1:]}
    found = telling.intersection(words)
    if len(found) >= DISTINCT or len(found) > PLENTY * len(set(words)):
        return True
    return len(found) > 1 and sum(word in telling for word in words) > PLENTY * len(words)


@lru_cache(1 << 16)
def stem(word: str, language: str) -> str:
    """The folded stem; digits and languages without a stemmer keep the folded word."""
    word = word[:WORD_LIMIT]
    if language not in SNOWBALL or not word[0].isalpha():
        return fold(word)
    stemmers = _stemmers.__dict__
    if language not in stemmers:
        stemmers[language] = Stemmer.Stemmer(SNOWBALL[language])
    return fold(stemmers[language].stemWord(word.casefold())) or fold(word)
