"""The everyday words of documents in another language: who asks for "rent" also means a "Miete".

A question shares no word with a passage in another language, and an embedder alone prefers what is
in its own. So the everyday words of documents are known in English and German, the languages of the
pages. Of paragraphs half of which are in either language, questions in German answered in English
only gain .015 of nDCG@10 by it and those the other way round .018; German questions to English
paragraphs gain .008. Those in one language lose nothing.
"""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from apps.library.analysis.folding import fold
from apps.library.analysis.languages import stem

WORDS = Path(__file__).with_name("translations.txt")
SIDES = ("en", "de")


def translated(word: str, language: str) -> dict[str, tuple[str, ...]]:
    """What a word of a question is in other languages, by their codes; {} if it is not known.

    Of a question in no known `language` it may be a word of either.
    """
    return {_other(side): words for side, words in _known(word).items() if language in ("", side)}


def told(words: Iterable[str]) -> str:
    """The one language in which some of these words are known; "" where that may be either."""
    sides = {side for word in words for side in _known(word)}
    return sides.pop() if len(sides) == 1 else ""


def _other(side: str) -> str:
    return SIDES[1 - SIDES.index(side)]


def _known(word: str) -> dict[str, tuple[str, ...]]:
    """By the language in which a word is known, what it is in the other one.

    As it stands, where it does so in any, or else by its stem: that of "Rente" is "rent", which is
    no word of German, and that of "Rate" is "Rat".
    """
    exactly, roughly = _index()
    found = {side: exactly[side, fold(word)] for side in SIDES if (side, fold(word)) in exactly}
    return found or {
        side: words for side in SIDES if (words := roughly.get((side, stem(word, side))))
    }


Index = dict[tuple[str, str], tuple[str, ...]]


@cache
def _index() -> tuple[Index, Index]:
    """By language and folded word, and by language and stem: the words of the other one."""
    exactly: Index = {}
    roughly: Index = {}
    for line in WORDS.read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        both = [half.replace(",", " ").split() for half in line.split("=")]
        for side, here, there in zip(SIDES, both, both[::-1], strict=True):
            for word in here:
                for index, form in ((exactly, fold(word)), (roughly, stem(word, side))):
                    known = index.get((side, form), ())
                    index[side, form] = tuple(dict.fromkeys((*known, *there)))
    return exactly, roughly
