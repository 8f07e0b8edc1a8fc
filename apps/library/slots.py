"""The slots of a question, as the statement that finds passages is given them. Pure."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from apps.library.analysis import Question
from apps.library.analysis.passages import quoted

# Weights, measured with the rest of the statement's constants.
RELATED = 0.25  # a compound of a word asked for, or a part of it, counts so much of that word
ABROAD = 0.9  # a word that it may be called in another language
PLAIN = 0.9  # a word as it stands, in passages of no language; how rare it is says nothing
BEGUN = 0.92  # an identifier that begins so: it can be the one meant, and nobody can be sure
LONGER = 0.98  # an identifier that is part of another is as good as there,
LONGER_WEIGHT = 0.5  # but comes behind itself


class _Word(NamedTuple):
    """A lexeme that would do for a slot."""

    lexeme: str
    slot: int
    share: float  # of the slot that is there with it
    weight: float  # in the order
    language: str = ""  # of passages in which it would, all of them if ""


def _would_do(asked: Question) -> Iterator[_Word]:
    for n, slot in enumerate(asked.slots):
        yield from (_Word(lexeme, n, 1.0, 1.0) for lexeme in slot.lexemes)
        yield from (_Word(lexeme, n, RELATED, RELATED) for lexeme in slot.related)
        yield from (_Word(lexeme, n, ABROAD, ABROAD, tongue) for tongue, lexeme in slot.abroad)
        yield from (_Word(lexeme, n, BEGUN, LONGER_WEIGHT) for lexeme in slot.begun)
        if slot.plain[:1] == "~":
            yield _Word(slot.plain, n, LONGER, LONGER_WEIGHT)
        elif slot.plain:
            yield _Word(slot.plain, n, PLAIN, PLAIN)


def given(asked: Question) -> dict[str, Any]:
    """What the statement is given: what would do for each slot, and pairs that stand together."""
    words = list(_would_do(asked))
    every: list[dict[str, None]] = [{} for _ in asked.slots]
    for word in words:
        every[word.slot][word.lexeme] = None
    plain = [
        " | ".join(quoted(lexeme) for lexeme in slot.lexemes if lexeme[0] not in "#~")
        for slot in asked.slots
    ]
    pairs = [pair for pair in asked.pairs if plain[pair[0]] and plain[pair[1]]]
    return {
        "words": [word.lexeme for word in words],
        "word_slots": [word.slot for word in words],
        "shares": [word.share for word in words],
        "weights": [word.weight for word in words],
        "tongues": [word.language for word in words],
        "slots": list(range(len(asked.slots))),
        "identifiers": [slot.identifier for slot in asked.slots],
        "wholes": [slot.identifier and not slot.within for slot in asked.slots],
        "amounts": [slot.amount for slot in asked.slots],
        "queries": [" | ".join(map(quoted, each)) for each in every],
        "pair_a": [a for a, _, _ in pairs],
        "pair_b": [b for _, b, _ in pairs],
        "pair_queries": [f"({plain[a]}) <{far}> ({plain[b]})" for a, b, far in pairs],
    }
