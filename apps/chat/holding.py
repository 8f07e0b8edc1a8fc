"""The one sentence of a passage that has every word of a question, and so is worth showing.

"And what about dogs?" may find a passage that is about much else, and a small model may say that
it does not know: "Dogs require the landlord's written consent" stands there all the same.
"""

import re
from collections.abc import Iterator

from apps.chat import asked_for, prompt, sentences
from apps.library import citing

LENGTH = (25, 420)  # characters of a sentence worth quoting
ENTRY = re.compile(r".{3,}: .{3,}")  # a line of a form, which may be shorter
ADDED = 2  # words, or one figure, that a sentence must add to the question's
# Words by which a text is asked what it says; they need not stand in it.
ASKING = re.compile(
    r"\b(?:say(?:s|ing)?|said|tells?|told|states?|stated|mention(?:s|ed)?|describe[sd]?|according"
    r"|provisions?|clauses?|sections?|paragraphs?|passages?|chapters?|documents?|files?|texts?"
    r"|sag(?:t|en)|steht|stehen|geschrieben|heißt|nenn(?:t|en)|erwähnt|laut|gemäß|geregelt|regelt"
    r"|how (?:long|much|many|often|old|high|far|large|big|wide|deep|heavy)"
    r"|wie ?(?:viele?|lange?|oft|hoch|alt|weit|groß|breit|tief|schwer)"
    r"|\w*klausel|abschnitt|paragra(?:f|ph)(?:en)?|absatz|kapitel|textstelle|dokument|datei"
    r"|textes|text)\b",
    re.I,
)


def bare(question: str) -> str:
    """The question without the words by which it asks a text what it says."""
    return ASKING.sub(" ", question)


def says_much(question: str) -> bool:
    """Whether it asks for more than one thing: a single word stands in many a sentence."""
    return len(citing.content_words(bare(question))) > 1


def quotable(passage: str) -> Iterator[str]:
    """The sentences that may be quoted, each on one line."""
    for _, sentence in sentences.of(passage):
        plain = prompt.NUMBER.sub(r"(\1)", " ".join(sentence.split())).lstrip("-–•* ")
        if (len(plain) >= LENGTH[0] or ENTRY.fullmatch(plain)) and len(plain) <= LENGTH[1]:
            yield plain


def adds(question: str, sentence: str) -> bool:
    """Whether a sentence says more than the question: a heading or a name answers nothing."""
    added = citing.content_words(sentence) - citing.content_words(question)
    return len(added) >= ADDED or any(word[0].isdigit() for word in added)


def found(question: str, passage: str, name: str = "") -> list[str]:
    """The sentences that have every word of the question, and a figure where one is asked for.

    Words in the `name` of the document and of the place need not be said again.
    """
    wanted = bare(question)
    if named := citing.content_words(name):
        words = citing.WORD.findall(wanted)
        wanted = " ".join(word for word in words if not citing.content_words(word) & named)
        wanted = wanted if citing.content_words(wanted) else bare(question)
    return [
        each
        for each in quotable(passage)
        if citing.overlap(wanted, each) == 1
        and adds(question, each)
        and (not asked_for.kind(question) or asked_for.given(question, each))
    ]
