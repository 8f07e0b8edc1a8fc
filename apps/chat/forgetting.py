"""Forget what was quoted of a document that is deleted; the answers themselves stay."""

from django.db import connection

from apps.chat.models import Citation
from apps.library.models import Document

BLANK_STEPS = """
UPDATE chat_step SET body = jsonb_set(body, '{quote}', '""')
WHERE kind = 'found' AND body->'document' = to_jsonb(%(document)s::bigint)
"""


def forget(document: Document) -> None:
    """Empty the quotes of all answers that cite the document."""
    Citation.objects.filter(document=document).update(quote="")
    with connection.cursor() as cursor:
        cursor.execute(BLANK_STEPS, {"document": document.pk})
