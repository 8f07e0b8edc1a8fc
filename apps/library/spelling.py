"""Misspelled words of a question: where no passage has one, the nearest word of the workspace.

Words are compared as they are indexed, by their stems. Only questions are widened, as by compounds,
so a near word counts less than one that was asked for as it stands.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import connection

from apps.library.analysis import Question, Slot
from apps.library.analysis.folding import fold
from apps.library.analysis.languages import stem, stems_anywhere
from apps.library.compounds import WIDEST
from apps.library.models import Workspace

SHORT = 5  # letters of a stem; shorter ones are near to too many
LONG = 8  # letters from which on two slips are forgiven
ENDING = 3  # last letters by which long words are looked for too: the first may be the wrong one
LOOKED_AT = 20_000  # words compared with each, the most frequent ones
UMLAUTS = (("ae", "a"), ("oe", "o"), ("ue", "u"))  # as they are folded
# Letters that are taken for one another at the beginning of a word.
SOUNDS = {"c": "ksz", "f": "vp", "i": "yj", "j": "yi", "k": "cq", "p": "bf", "b": "p", "d": "t"}
SOUNDS |= {"q": "k", "s": "zc", "t": "d", "v": "fw", "w": "v", "y": "ij", "z": "cst"}
KNOWN = """
SELECT word FROM library_termstatistic
WHERE workspace_id = %(workspace)s AND word = ANY(%(words)s)
"""
# For each word of a question that no passage has: words of about its length that begin or end like
# it, the most frequent first. In the order of bytes "{" comes after all letters of ASCII.
NEAR = """
WITH lacking AS MATERIALIZED (
    SELECT asked.* FROM unnest(
        %(places)s::int[], %(stems)s::text[], %(firsts)s::text[], %(least)s::int[], %(most)s::int[]
    ) AS asked (place, stem, firsts, least, most)
    WHERE NOT EXISTS (
        SELECT FROM unnest(%(lexemes)s::text[], %(lexeme_places)s::int[]) AS would_do (word, place)
        JOIN library_termstatistic AS known
          ON known.workspace_id = %(workspace)s AND known.word = would_do.word
        WHERE would_do.place = asked.place)
)
SELECT lacking.place, near.word, near.passages
FROM lacking CROSS JOIN LATERAL (
    SELECT word, passages FROM (
        SELECT known.word, known.passages
        FROM unnest(string_to_array(lacking.firsts, NULL)) AS first
        JOIN library_termstatistic AS known
          ON known.workspace_id = %(workspace)s
         AND known.word >= first AND known.word < chr(ascii(first) + 1)
        UNION
        SELECT word, passages FROM library_termstatistic
        WHERE workspace_id = %(workspace)s AND length(word) >= 9
          AND reverse(word) > left(reverse(lacking.stem), %(ending)s)
          AND reverse(word) < left(reverse(lacking.stem), %(ending)s) || '{'
    ) AS alike
    WHERE length(word) BETWEEN lacking.least AND lacking.most
    ORDER BY passages DESC, word LIMIT %(looked_at)s
) AS near
ORDER BY near.passages DESC, near.word
"""


@dataclass(frozen=True, slots=True)
class Slip:
    """A word of a question that no passage has, and what was looked for instead."""

    asked: str
    instead: str  # as it stands in what was found; its stem where none of that has it


def mended(
    workspace: Workspace, asked: Question, phrases: Iterable[str] = ()
) -> tuple[Question, dict[str, str]]:
    """The question, its unknown words widened by the nearest of the workspace, and which those are.

    A word that the workspace has in a language not asked in is asked for as it stands there. Slips
    come as stems by what was asked. What stands in one of the quoted `phrases` is meant as it
    is written.
    """
    quoted = {fold(word) for phrase in phrases for word in phrase.split()}
    slots = {place: slot for place, slot in enumerate(asked.slots) if _may_be_wrong(slot)}
    if not slots or len(asked.slots) > WIDEST:
        return asked, {}
    known, unknown = _known(workspace, slots), {}
    widened, slips = list(asked.slots), {}
    for place, slot in slots.items():
        if not known.isdisjoint(slot.lexemes):
            continue
        if there := [form for form in stems_anywhere(slot.spelled) if form in known]:
            widened[place] = replace(slot, lexemes=there)
        elif _stems(slot) and fold(slot.spelled) not in quoted:
            unknown[place] = slot
    for place, words in (_alike(workspace, unknown) if unknown else {}).items():
        if near := _nearest(_stems(slots[place]), words):
            widened[place] = replace(slots[place], related=[near])
            slips[slots[place].spelled] = near
    return replace(asked, slots=widened), slips


def told(slips: Mapping[str, str], found: Iterable[tuple[Sequence[str], str]]) -> tuple[Slip, ...]:
    """What `mended` did, in the words of the passages found, which come with their language."""
    spellings: dict[str, Counter[str]] = {near: Counter() for near in slips.values()}
    for words, language in found if slips else ():
        for word in words:
            if (stemmed := stem(word, language)) in spellings:
                spellings[stemmed][word] += 1
    return tuple(
        Slip(word, spellings[near].most_common(1)[0][0] if spellings[near] else near)
        for word, near in slips.items()
    )


def shared(slips: Sequence[Sequence[Slip]]) -> tuple[Slip, ...]:
    """What to tell where several places were searched: words that none of these has."""
    lacked = [{slip.asked for slip in each} for each in slips]
    first = slips[0] if slips else ()
    return tuple(slip for slip in first if all(slip.asked in each for each in lacked))


def nearest(word: str, others: Iterable[str]) -> str:
    """The word that `word` is a misspelling of, the first of those equally near; "" if none."""
    forgiven = _forgiven(word)
    best, least = "", forgiven + 1
    asked = [(spelling, frozenset(spelling)) for spelling in _spellings(word)]
    for other in others:
        for spelling, letters in asked:
            # A slip changes two of the letters in use at most, and that is told at once.
            if other.isalpha() and len(letters ^ frozenset(other)) <= 2 * forgiven:
                far = distance(spelling, other)
                # Two slips that reach to the end of a stem make another word.
                if far < least and (far < 2 or spelling[-1] == other[-1]):
                    best, least = other, far
    return best


def distance(one: str, other: str) -> int:
    """How many letters are wrong, missing, too many, or changed places with the next."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        above, before, row = before, row, [i]
        for j, b in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and b == one[i - 2]:
                cost = min(cost, above[j - 2] + 1)
            row.append(cost)
    return row[-1]


def _may_be_wrong(slot: Slot) -> bool:
    """Whether it is a plain word that nothing is known of by its parts."""
    return bool(slot.spelled) and not slot.identifier and not slot.related


def _stems(slot: Slot) -> list[str]:
    """The stems a word is compared by, in all languages of the workspace, the likeliest first.

    One letter wrong may be another ending in one language, and none in the next.
    """
    return [each for each in dict.fromkeys(slot.lexemes) if len(each) >= SHORT]


def _nearest(stems: Sequence[str], words: Sequence[str]) -> str:
    """The word that is nearest to any of the stems; "" if none is near enough."""
    found = [(distance(each, near), near) for each in stems if (near := nearest(each, words))]
    return min(found, key=lambda one: one[0])[1] if found else ""


def _known(workspace: Workspace, slots: Mapping[int, Slot]) -> set[str]:
    """What the workspace has of the words, as they may be indexed in any language."""
    every = {form for slot in slots.values() for form in stems_anywhere(slot.spelled)}
    every.update(lexeme for slot in slots.values() for lexeme in slot.lexemes)
    with connection.cursor() as cursor:
        cursor.execute(KNOWN, {"workspace": workspace.pk, "words": list(every)})
        return {word for (word,) in cursor.fetchall()}


def _forgiven(stemmed: str) -> int:
    return 2 if len(stemmed) >= LONG else 1


def _spellings(word: str) -> list[str]:
    """The word, and the same with its umlauts as they are folded where they were written out."""
    folded = word
    for written, letter in UMLAUTS:
        folded = folded.replace(written, letter)
    return [word] if folded == word else [word, folded]


def _alike(workspace: Workspace, slots: Mapping[int, Slot]) -> dict[int, list[str]]:
    """For each place whose word no passage has, words like it, the most frequent first."""
    found: dict[int, list[str]] = {}
    with connection.cursor() as cursor:
        cursor.execute(NEAR, values(workspace, slots))
        for place, word, _passages in cursor.fetchall():
            found.setdefault(place, []).append(word)
    return found


def values(workspace: Workspace, slots: Mapping[int, Slot]) -> dict[str, Any]:
    """The parameters of NEAR."""
    forms = [(place, each) for place, slot in slots.items() for each in _stems(slot)]
    stems = [each for _, each in forms]
    lexemes = [(lexeme, place) for place, slot in slots.items() for lexeme in slot.lexemes]
    return {
        "workspace": workspace.pk,
        "places": [place for place, _ in forms],
        "stems": stems,
        "firsts": ["".join({*each[:2], *SOUNDS.get(each[0], "")}) for each in stems],
        "least": [min(map(len, _spellings(each))) - _forgiven(each) for each in stems],
        "most": [len(each) + _forgiven(each) for each in stems],
        "lexemes": [lexeme for lexeme, _ in lexemes],
        "lexeme_places": [place for _, place in lexemes],
        "ending": ENDING,
        "looked_at": LOOKED_AT,
    }
