"""German compounds by the workspace's own words: asked for one, those related to it count a little.

"Haftungsausschluss" also finds "Ausschluss der Haftung", and "Vertrag" a "Mietvertrag", where the
parts are themselves words of the workspace; a long word finds all that end in it. Only questions
are widened, so what is stored does not depend on what was stored before it. Over two labelled sets
with German in them, words alone gain .006 and .005 of nDCG@10, and together with meaning nothing is
lost. Endings of verbs ("kündigt" for "Kündigung") were tried in the same way: as many questions
lost by it as won.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.db import connection

from apps.library import analysis
from apps.library.analysis import Question, Slot, compounds
from apps.library.models import Workspace

MOST = 20  # compounds of one word, the most frequent ones
LOOKED_AT = 200  # words that begin, or end, as a word asked for
WIDEST = 12  # words of a question; an essay says enough by itself
# Compounds that begin or end as a word asked for, where the rest is a word of the workspace too or
# the end is long, the most frequent first; and the first pair of words that one asked for is itself
# made of. In the order of bytes "{" comes after all letters.
RELATED = """
WITH alike AS (
    SELECT asked.stem, known.word, known.passages FROM unnest(%(stems)s::text[]) AS asked (stem)
    CROSS JOIN LATERAL (
        (SELECT word, passages FROM library_termstatistic
         WHERE workspace_id = %(workspace)s AND word > asked.stem AND word < asked.stem || '{'
         ORDER BY word LIMIT %(most)s)
        UNION
        (SELECT word, passages FROM library_termstatistic
         WHERE workspace_id = %(workspace)s AND length(word) >= 9
           AND reverse(word) > reverse(asked.stem) AND reverse(word) < reverse(asked.stem) || '{'
         ORDER BY reverse(word) LIMIT %(most)s)
    ) AS known
), rest AS (
    SELECT stem, word, passages,
           substr(word, length(stem) + length(link) + 1) AS other, FALSE AS ends
    FROM alike CROSS JOIN unnest(%(links)s::text[]) AS link
    WHERE starts_with(word, stem || link)
    UNION
    SELECT stem, word, passages,
           left(word, greatest(length(word) - length(stem) - length(link), 0)), TRUE
    FROM alike CROSS JOIN unnest(%(links)s::text[]) AS link
    WHERE length(stem) >= %(tail)s AND right(word, length(stem) + length(link)) = link || stem
)
(SELECT DISTINCT rest.stem, rest.word, NULL AS second, rest.passages AS rank
 FROM rest LEFT JOIN library_termstatistic AS known
   ON known.workspace_id = %(workspace)s AND known.word = rest.other
 WHERE length(rest.other) >= %(part)s
   AND (known.word IS NOT NULL OR (rest.ends AND length(rest.stem) >= %(sure)s)))
UNION ALL
(SELECT DISTINCT ON (pair.stem) pair.stem, pair.first, pair.second, NULL::integer
 FROM unnest(%(whole)s::text[], %(firsts)s::text[], %(seconds)s::text[])
   WITH ORDINALITY AS pair (stem, first, second, place)
 JOIN library_termstatistic AS one
   ON one.workspace_id = %(workspace)s AND one.word = pair.first
 JOIN library_termstatistic AS two
   ON two.workspace_id = %(workspace)s AND two.word = pair.second
 ORDER BY pair.stem, pair.place)
ORDER BY rank DESC NULLS FIRST, word
"""


def question(
    workspace: Workspace, text: str, languages: Sequence[str], spoken: Sequence[str] = ()
) -> Question:
    """The question, its German words widened by what is related to them in the workspace.

    So are those it would have in German. `languages` are those of the workspace, and `spoken` also
    those of a few passages: see `analysis.question`.
    """
    asked = analysis.question(text, languages, spoken)
    known = [_german(slot) for slot in asked.slots]
    stems = list(dict.fromkeys(stem for each in known for stem in each))
    if not stems or len(asked.slots) > WIDEST:
        return asked
    related = _related(workspace, stems)
    slots = [
        replace(slot, related=_new(slot, [word for stem in each for word in related[stem]]))
        for slot, each in zip(asked.slots, known, strict=True)
    ]
    return replace(asked, slots=slots)


def _german(slot: Slot) -> list[str]:
    """The German stems of a word, or of what it is called in German."""
    if slot.german:
        return [slot.german]
    return [
        word for language, word in slot.abroad if language == "de" and len(word) >= compounds.PART
    ]


def _new(slot: Slot, words: Sequence[str]) -> list[str]:
    known = {*slot.lexemes, *(word for _, word in slot.abroad)}
    return [word for word in dict.fromkeys(words) if word not in known]


def _related(workspace: Workspace, stems: Sequence[str]) -> dict[str, list[str]]:
    """For each stem its two parts, if it is made of any, then at most MOST compounds of it."""
    related: dict[str, list[str]] = {stem: [] for stem in stems}
    made = dict.fromkeys(stems, 0)
    with connection.cursor() as cursor:
        cursor.execute(RELATED, values(workspace, stems))
        for stem, word, second, _rank in cursor.fetchall():
            if second:
                related[stem] += [word, second]
            elif word.isalpha() and made[stem] < MOST:
                related[stem].append(word)
                made[stem] += 1
    return related


def values(workspace: Workspace, stems: Sequence[str]) -> dict[str, Any]:
    """The parameters of RELATED."""
    pairs = [(stem, *pair) for stem in stems for pair in compounds.splits(stem)]
    return {
        "workspace": workspace.pk,
        "stems": stems,
        "most": LOOKED_AT,
        "links": list(compounds.LINKS),
        "part": compounds.PART,
        "tail": compounds.TAIL,
        "sure": compounds.SURE,
        "whole": [stem for stem, _first, _second in pairs],
        "firsts": [first for _stem, first, _second in pairs],
        "seconds": [second for _stem, _first, second in pairs],
    }
