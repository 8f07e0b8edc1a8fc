"""Let so many answers talk to the model at once, and the others wait in a fair order.

The order is the same in every process because the rows decide: those with the
model first, then everybody's first question, then everybody's second. A place
is lost with the answer's end, or with its writer's pulse.
"""

from collections.abc import Iterator

from django.conf import settings
from django.db import connection, transaction
from django.db.models.functions import Now

from apps.chat.halting import Halt
from apps.chat.models import Answer
from apps.chat.steps import Queued
from apps.web.database import borrowed

LOOK = 0.3  # seconds between two looks at the queue
LOCK = 7_041_776  # an advisory lock: two processes never give the last place away twice

PLACES = """
WITH waiting AS (
    SELECT answer.id, answer.model_at,
           row_number() OVER (
               PARTITION BY conversation.owner_id ORDER BY answer.model_at, answer.id
           ) AS round
    FROM chat_answer AS answer
    JOIN chat_turn AS turn ON turn.id = answer.turn_id
    JOIN chat_conversation AS conversation ON conversation.id = turn.conversation_id
    WHERE answer.state = 'writing' AND answer.pulse > now() - make_interval(secs => %(patience)s)
),
ordered AS (
    SELECT id, row_number() OVER (ORDER BY model_at IS NULL, round, id) - 1 AS ahead
    FROM waiting
)
SELECT ahead FROM ordered WHERE id = %(answer)s
"""


def wait_for_model(answer_id: int, halt: Halt) -> Iterator[Queued]:
    """Return once the answer may talk to the model; tell how many are before it meanwhile.

    Raises Halted when the answer is stopped while it waits.
    """
    told = 0
    while ahead := _ahead(answer_id):
        if ahead != told:
            yield Queued(ahead)
            told = ahead
        halt.wait(LOOK)


def _ahead(answer_id: int) -> int:
    """0 when the answer has just got the model, else how many must end or start before it."""
    with borrowed(), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
        cursor.execute(PLACES, {"answer": answer_id, "patience": settings.PATIENCE})
        found = cursor.fetchone()
        ahead = int(found[0]) - settings.ANSWERS_AT_ONCE + 1 if found else 0
        if ahead > 0:
            return ahead
        Answer.objects.being_written().filter(pk=answer_id).update(model_at=Now())
        return 0
