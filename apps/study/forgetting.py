"""Forget what was quoted of a document that is deleted; what was made from it stays playable."""

from apps.library.models import Document
from apps.study.models import Card, LessonSource, Question


def forget(document: Document) -> None:
    """Empty the quotes of questions, cards and lessons that come from the document."""
    for model in (Question, Card, LessonSource):
        model.objects.filter(document=document).update(quote="")
