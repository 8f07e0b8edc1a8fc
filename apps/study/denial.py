"""Does one text deny what the other affirms? Told by the words that deny, in English and German.

A statement is compared with those clauses of its proof that it speaks of: in "the keeper is liable
unless the swarm had left" the exception counts for whoever speaks of the swarm that had left, and
for nobody else. In doubt two texts are opposed: another item costs less than a wrong one. Pure.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from apps.study import quality
from apps.study.sentences import sentences, tidy

DENIAL = re.compile(
    r"\b(?:not(?! only)|cannot|no(?!\.? ?\d)|none|nobody|nothing|nowhere|never|neither|without"
    r"|unless|except\w*|exempt\w*|exclud\w+|exclusion|forbidden|prohibit\w*|lacks?"
    r"|nicht(?! nur)|nichts|kein\w*|nie|niemals|niemand\w*|nirgends|weder|ohne(?! weiteres)|außer"
    r"|ausgenommen|ausnahme\w*|ausgeschlossen|ausschließ(?:t|en)|ausschluss\w*|es sei denn"
    r"|entfällt|entfallen|verboten|untersagt|befreit)\b|n[’']t\b",
    re.I,
)
# A new clause begins behind a mark, and before a word that opens a condition or an exception.
CLAUSE = re.compile(
    r"[,;:()–—]\s*|\s+(?=(?:unless|except|without|if|when|because|but|and not|es sei denn|außer"
    r"|ohne|sondern|aber|wenn|sofern|soweit)\b)",
    re.I,
)
CLEAR = 0.7  # share of a statement's words from which one sentence is enough to judge it by
COVERED = 0.5  # share of a clause's words from which a statement speaks of it
PREFIXES = ("un", "in", "im", "ir", "non", "dis", "nicht")


def count(text: str) -> int:
    """How many words of the text deny something."""
    return len(DENIAL.findall(text))


def opposed(statement: str, proof: str) -> bool:
    """Whether the statement may say the contrary of the sentence that is to prove it."""
    if _turned(statement, proof):
        return True
    said = quality.gist(statement)
    there = sum(
        denials
        for words, denials in _clauses(proof)
        if not words or len(words & said) >= COVERED * len(words)
    )
    return count(statement) != there


def true_by(wrong: str, right: str, proof: str) -> bool:
    """Whether what is called wrong is said by the sentence that proves what is called right.

    For answers as for statements: all its words and numbers stand there, and it denies as often.
    """
    if quality.in_passage(wrong, proof):
        return True
    there = quality.in_some_form(wrong, proof) == 1 and quality.measures(wrong, proof)
    return there and count(wrong) == count(right)


def contradicts(statement: str, passage: str) -> bool:
    """Whether the sentence of a passage that says most of a statement is opposed to it.

    A statement put together from two sentences is compared with both at once.
    """
    found = [tidy(one) for one in sentences(passage)]
    pairs = [f"{one} {other}" for one, other in pairwise(found)]
    for stretches in (found, pairs or found):
        best = max(stretches, key=lambda one: quality.in_some_form(statement, one), default="")
        if quality.in_some_form(statement, best) >= CLEAR:
            break
    return opposed(statement, best)


def _clauses(text: str) -> Iterator[tuple[frozenset[str], int]]:
    """The words of each clause, and how often it denies; one without words joins its neighbour."""
    denials = 0
    for clause in CLAUSE.split(text):
        denials += count(clause)
        if words := quality.gist(DENIAL.sub(" ", clause)):
            yield words, denials
            denials = 0
    if denials:
        yield frozenset(), denials


def _turned(one: str, other: str) -> bool:
    """Whether a word of one stands in the other with its contrary's prefix: "valid", "invalid"."""
    here, there = set(quality.plain(one).split()), set(quality.plain(other).split())
    return any(
        _contrary(word, mine, theirs)
        for mine, theirs in ((here, there), (there, here))
        for word in mine - theirs
        if len(word) >= quality.SHORT
    )


def _contrary(word: str, mine: set[str], theirs: set[str]) -> bool:
    stem = word[: max(quality.STEM, len(word) - 2)]
    return any(
        other.startswith(prefix + stem) and abs(len(other) - len(prefix) - len(word)) <= 2
        for other in theirs - mine
        for prefix in PREFIXES
    )
