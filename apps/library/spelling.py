"""Misspelled words of a question: where no passage has one, the nearest word of the workspace.

Words are looked for by their stems, as they are indexed, and compared as they are written: words
that have nothing to do with each other may have much the same stem (refund, redundant). The
question is then asked with the word that was meant.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import connection

from apps.library.analysis import Question, Slot, spelled
from apps.library.analysis.folding import fold
from apps.library.analysis.languages import SNOWBALL, stem, stems_anywhere
from apps.library.analysis.passages import quoted
from apps.library.analysis.slips import (
    LONG,
    SHORT,
    SOUNDS,
    forgiven,
    is_another,
    nearest,
    slips,
    spellings,
)
from apps.library.compounds import WIDEST
from apps.library.models import Workspace
from apps.llm import vocabulary

ENDING = 3  # last letters by which long words are looked for too: the first may be the wrong one
LOOKED_AT = 20_000  # words compared with each, the most frequent ones
CANDIDATES = 5  # of these, whose spelling is looked up
SUFFIX = 4  # letters of an ending that a slip in it hides
INFLECTED = 3  # letters of an ending without which a sound word is one still
PART = 3  # letters of the least that is left of a word
KIN = 4  # letters of a stem that tells of a word's kin in another language: hymn of Hymnen
COMPOUND = 10  # letters of a word that may be misspelled although its parts are known
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
# How a lexeme is spelled, by a few of the passages that have it.
SPELLED = """
SELECT found.language, concat_ws(E'\n', document.name, chunk.heading, chunk.text) FROM (
    SELECT chunk_id, document_id, language FROM library_chunkwords
    WHERE workspace_id = %(workspace)s AND owner_id = %(owner)s AND lexemes @@ %(query)s::tsquery
      AND (%(language)s = '' OR language IN ('', %(language)s))
    ORDER BY chunk_id LIMIT 20) AS found
JOIN library_chunk AS chunk ON chunk.id = found.chunk_id
JOIN library_document AS document ON document.id = found.document_id
ORDER BY chunk.id
"""
# Whether a passage in one of these languages has a lexeme.
SPOKEN = """
SELECT EXISTS (
    SELECT FROM library_chunkwords
    WHERE workspace_id = %(workspace)s AND owner_id = %(owner)s AND lexemes @@ %(query)s::tsquery
      AND language = ANY(%(languages)s))
"""


@dataclass(frozen=True, slots=True)
class Slip:
    """A word of a question that no passage has, and what was looked for instead."""

    asked: str
    instead: str  # as it stands in a passage


def mended(
    workspace: Workspace, asked: Question, phrases: Iterable[str] = ()
) -> tuple[Question, tuple[Slip, ...]]:
    """The question, and which words of the workspace are meant by those it does not know.

    A word that the workspace has in a language not asked in is asked for as it stands there, and
    one that it has by another name is none of the misspelled. What stands in one of the quoted
    `phrases` is meant as it is written.
    """
    meant = {fold(word) for phrase in phrases for word in phrase.split()}
    slots = {place: slot for place, slot in enumerate(asked.slots) if _may_be_wrong(slot)}
    if not slots or len(asked.slots) > WIDEST or asked.idle:
        return asked, ()
    known, unknown = _known(workspace, slots), {}
    widened, found = list(asked.slots), []
    for place, slot in slots.items():
        if known.intersection(_plainly(slot)):
            continue
        if there := _there(workspace, slot.spelled, known):
            widened[place] = replace(slot, lexemes=there)
            continue
        if known.intersection(lexeme for _, lexeme in slot.abroad):
            continue
        left = [each for each in slot.lexemes if each not in known] or [fold(slot.spelled)]
        kin = [each for each in slot.lexemes if each in known and len(each) >= KIN]
        widened[place] = replace(slot, lexemes=left, related=[*slot.related, *kin])
        if _stems(slot) and fold(slot.spelled) not in meant:
            unknown[place] = slot
    for place, words in (_alike(workspace, unknown) if unknown else {}).items():
        if near := _nearest(workspace, slots[place], words, asked.language):
            found.append(Slip(slots[place].spelled, near))
    return replace(asked, slots=widened), tuple(found)


def corrected(text: str, found: Iterable[Slip]) -> str:
    """A question with the words that were meant in the place of those that were written."""
    meant = {slip.asked: slip.instead for slip in found}
    if not meant:
        return text
    written = "|".join(map(re.escape, sorted(meant, key=len, reverse=True)))
    return re.sub(rf"(?<!\w)(?:{written})(?!\w)", lambda word: meant[word[0]], text)


def shared(found: Sequence[Sequence[Slip]]) -> tuple[Slip, ...]:
    """What to tell where several places were searched: words that none of these has."""
    lacked = [{slip.asked for slip in each} for each in found]
    first = found[0] if found else ()
    return tuple(slip for slip in first if all(slip.asked in each for each in lacked))


def _may_be_wrong(slot: Slot) -> bool:
    """Whether it is a plain word that nothing is known of by its parts, or a long one."""
    if not slot.spelled or slot.identifier:
        return False
    return not slot.related or len(slot.spelled) >= COMPOUND


def _plainly(slot: Slot) -> list[str]:
    """The stems that leave nearly all of a word; where others are there, it may be another word."""
    letters = len(fold(slot.spelled))
    return [
        each
        for each in slot.lexemes
        if letters - len(each) < (2 if len(each) < SHORT else INFLECTED)
    ]


def _stems(slot: Slot) -> list[str]:
    """The stems a word is compared by, in all languages of the workspace, the likeliest first.

    One letter wrong may be another ending in one language, and none in the next.
    """
    return [each for each in dict.fromkeys(slot.lexemes) if len(each) >= SHORT]


def _nearest(workspace: Workspace, slot: Slot, words: Sequence[str], language: str) -> str:
    """The word that is spelled most nearly as this one; "" if none is near.

    A word of another language than the question's is none of its misspelled ones.
    """
    asked, stems = fold(slot.spelled), _stems(slot)
    near = [found for each in stems for found in nearest(each, words, CANDIDATES, len(asked))]
    near += [found for each in stems for found in _begun(each, words)]
    most = 1 if slot.related else forgiven(asked)
    best: list[tuple[int, str]] = []
    for lexeme in list(dict.fromkeys(near))[:CANDIDATES]:
        found = _spelled(workspace, lexeme, language)
        best += [(far, each) for each in found if (far := _far(slot, asked, fold(each))) <= most]
        if not best:
            best += [(most, each) for each in found if _is_inflected(slot, fold(each))]
    return min(best, key=lambda one: one[0], default=(0, ""))[1]


def _is_inflected(slot: Slot, other: str) -> bool:
    """Whether a long word is one slip away from another but for its ending: of a plural, say."""
    long = [each for each in _stems(slot) if len(each) >= LONG]
    begins = [other[: len(other) - n] for n in range(INFLECTED + 1)]
    return any(
        each[-1:] == begin[-1:] and _far(slot, each, begin) == 1
        for each in long
        for begin in begins
    )


def _far(slot: Slot, asked: str, other: str) -> int:
    """How many slips make what is asked of the other; many where both are words by themselves."""
    far = slips(asked, other)
    return far if far is not None and not (is_another(asked, other) and _is_sound(slot)) else LONG


def _is_sound(slot: Slot) -> bool:
    """Whether it is a word of some language, whatever the workspace has."""
    least = len(slot.spelled) - INFLECTED
    stems = (each for each in slot.lexemes if len(each) >= max(least, SHORT))
    return any(map(vocabulary.is_word, (slot.spelled, *stems)))


def _begun(stem: str, words: Sequence[str]) -> list[str]:
    """Stems that a word begins with whose ending is wrong, so that it was not cut off."""
    begun = (stem[:n] for n in range(len(stem) - 1, max(SHORT, len(stem) - SUFFIX) - 1, -1))
    there = set(words)
    return [each for each in begun if each in there]


def _spelled(workspace: Workspace, lexeme: str, language: str) -> list[str]:
    """How a lexeme is spelled in passages of a language or of none, in some of any without one."""
    asked = {**_with(workspace, lexeme), "language": language}
    found: dict[str, None] = {}
    with connection.cursor() as cursor:
        cursor.execute(SPELLED, asked)
        for spoken, text in cursor.fetchall():
            found |= dict.fromkeys(spelled(text, lexeme, spoken))
    return list(found)


def _there(workspace: Workspace, word: str, known: set[str]) -> list[str]:
    """The forms of a word by which passages have it: each in a language that gives it this form.

    Another stemmer may leave next to nothing of it, and that may be a word there.
    """
    return [
        form for form in stems_anywhere(word) if form in known and _is_there(workspace, word, form)
    ]


def _is_there(workspace: Workspace, word: str, form: str) -> bool:
    if len(form) < min(PART, len(word)):
        return False
    spoken = [code for code in ("", *SNOWBALL) if stem(word, code) == form]
    with connection.cursor() as cursor:
        cursor.execute(SPOKEN, {**_with(workspace, form), "languages": spoken})
        (found,) = cursor.fetchone() or (False,)
        return bool(found)


def _with(workspace: Workspace, lexeme: str) -> dict[str, Any]:
    return {"workspace": workspace.pk, "owner": workspace.owner_id, "query": quoted(lexeme)}


def _known(workspace: Workspace, slots: Mapping[int, Slot]) -> set[str]:
    """What the workspace has of the words, as they may be indexed in any language."""
    every = {form for slot in slots.values() for form in stems_anywhere(slot.spelled)}
    every.update(lexeme for slot in slots.values() for lexeme in slot.lexemes)
    every.update(lexeme for slot in slots.values() for _, lexeme in slot.abroad)
    with connection.cursor() as cursor:
        cursor.execute(KNOWN, {"workspace": workspace.pk, "words": list(every)})
        return {word for (word,) in cursor.fetchall()}


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
        "least": [max(SHORT, min(map(len, spellings(each))) - SUFFIX) for each in stems],
        "most": [len(each) + forgiven(each) for each in stems],
        "lexemes": [lexeme for lexeme, _ in lexemes],
        "lexeme_places": [place for _, place in lexemes],
        "ending": ENDING,
        "looked_at": LOOKED_AT,
    }
