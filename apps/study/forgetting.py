"""Forget what was quoted of a document that is deleted; what was made from it stays playable."""

from django.db import transaction

from apps.library.models import Document
from apps.study import mindmap_tree
from apps.study.models import Card, LessonSource, Mindmap, Question


def forget(document: Document) -> None:
    """Empty the quotes of questions, cards, lessons and maps that come from the document."""
    for model in (Question, Card, LessonSource):
        model.objects.filter(document=document).update(quote="")
    with transaction.atomic():
        for mindmap in Mindmap.objects.filter(workspace=document.workspace_id).select_for_update():
            if mindmap_tree.forget(mindmap.tree, document.pk):
                mindmap.save(update_fields=["tree"])
