"""The beginning of an identifier finds those that begin so, where none is called that itself.

Of an error only "E-40" may be remembered, and of an invoice "INV-2024".
"""

import re
from dataclasses import replace

from django.db import connection

from apps.library.analysis import Question
from apps.library.models import Workspace

MOST = 20  # identifiers with one beginning
# Letters and digits, three or more: of a section another number is another section.
_BEGINNING = re.compile(r"#(?!§|art\d)(?=.*[^\W\d_])(?=.*\d)\w{3,}")
# In the order of bytes "{" comes after all letters of ASCII.
BEGUN = """
SELECT asked.word, begun.word FROM unnest(%(words)s::text[]) AS asked (word)
CROSS JOIN LATERAL (
    SELECT known.word FROM library_termstatistic AS known
    WHERE known.workspace_id = %(workspace)s
      AND known.word > asked.word AND known.word < asked.word || '{'
    ORDER BY known.word LIMIT %(most)s) AS begun
WHERE NOT EXISTS (
    SELECT FROM library_termstatistic AS known
    WHERE known.workspace_id = %(workspace)s
      AND known.word IN (asked.word, '~' || substr(asked.word, 2)))
ORDER BY asked.word, begun.word
"""


def widened(workspace: Workspace, asked: Question) -> Question:
    """The question, its identifiers that are not there widened by those that begin so."""
    wanted = {
        slot.lexemes[0]: n
        for n, slot in enumerate(asked.slots)
        if slot.identifier and not slot.within and _BEGINNING.fullmatch(slot.lexemes[0])
    }
    if not wanted:
        return asked
    slots = list(asked.slots)
    with connection.cursor() as cursor:
        cursor.execute(BEGUN, {"workspace": workspace.pk, "words": list(wanted), "most": MOST})
        for beginning, word in cursor.fetchall():
            place = wanted[beginning]
            slots[place] = replace(slots[place], begun=[*slots[place].begun, word])
    return replace(asked, slots=slots)
