"""Which passages are in another language than the question, as far as that can be told.

A word or two say too little of their language; where they stand says it instead.
"""

from collections.abc import Iterable, Sequence

from apps.library.analysis import Question
from apps.library.ranking import Ranked

MOSTLY = 0.8  # of what was found word for word, in one language


def spoken(found: Iterable[Ranked], language: str) -> str:
    """The question's language: `language` where known, else that in which its words stand.

    "" where none of them stands anywhere, or they do so in several languages.
    """
    if language:
        return language
    heard: dict[str, float] = {}
    for passage in found:
        if passage.language:
            heard[passage.language] = heard.get(passage.language, 0.0) + passage.coverage
    most = max(heard, key=lambda each: heard[each], default="")
    total = sum(heard.values())
    return most if total and heard[most] >= MOSTLY * total else ""


def passages(found: Iterable[Ranked], language: str) -> frozenset[int]:
    """The passages (ids of chunks) that are surely in another language than this one."""
    here = ("", language)
    return frozenset(one.chunk_id for one in found if language and one.language not in here)


def untried(found: Sequence[Ranked], asked: Question, languages: Iterable[str]) -> tuple[str, ...]:
    """The languages of a workspace in which a question might find more, asked in them.

    None where its own is not known, where it asks for nothing, or where what was found first, of
    passages best first, is in another one already.
    """
    here = asked.language
    if not here or asked.idle or (found and found[0].language not in ("", here)):
        return ()
    return tuple(each for each in languages if each != here)
