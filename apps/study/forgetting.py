"""Forget a document that is deleted: what was made from it stays, without its sentences.

Quotes are emptied; a question or card that repeats a sentence of the document goes, for it is that
sentence; lessons lose such sentences and keep the rest.
"""

from collections.abc import Iterator

from django.db import transaction
from django.db.models import Q

from apps.library.models import Document
from apps.study import mindmap_tree, quality, wording
from apps.study.cloze import GAP
from apps.study.models import Card, Lesson, LessonSource, Mindmap, Question, Rejection, Workshop
from apps.study.sentences import sentences, tidy

TEXTS = ("introduction", "core", "takeaways", "self_check")  # of a lesson


@transaction.atomic
def forget(document: Document) -> None:
    """Let go of all that rows of the study room hold of the document's own words."""
    Question.objects.filter(pk__in=list(_repeating_questions(document))).delete()
    Card.objects.filter(pk__in=list(_repeating_cards(document))).delete()
    _empty_lessons(document)
    for model in (Question, Card, LessonSource):
        model.objects.filter(document=document).update(quote="")
    for mindmap in Mindmap.objects.filter(workspace=document.workspace_id).select_for_update():
        if mindmap_tree.forget(mindmap.tree, document.pk):
            mindmap.save(update_fields=["tree"])
    scope = Q(job__documents=document) | Q(job__everywhere=True)
    if document.category_id:
        scope |= Q(job__categories=document.category_id)
    mine = Rejection.objects.filter(scope, job__workspace=document.workspace_id)
    Rejection.objects.filter(pk__in=mine.values("pk")).update(item={})


def _repeating_questions(document: Document) -> Iterator[int]:
    """Questions that say a sentence of the document; explanations that do are emptied."""
    for each in Question.objects.filter(document=document).exclude(quote=""):
        if _repeats(each.stem.replace(GAP, each.options[each.answer]), each.quote):
            yield each.pk
        elif _repeats(each.explanation, each.quote):
            each.explanation = ""
            each.save(update_fields=["explanation"])


def _repeating_cards(document: Document) -> Iterator[int]:
    for each in Card.objects.filter(document=document).exclude(quote=""):
        told = each.front.replace(GAP, each.back)
        if _repeats(told, each.quote) or _repeats(each.back, each.quote):
            yield each.pk


def _repeats(text: str, quote: str) -> bool:
    """Whether a text is a sentence of the quote, or nearly."""
    told = [tidy(sentence) for sentence in (*sentences(quote), quote)]
    whole = len(quote.split()) > 4 and quality.in_passage(quote, text)
    return len(text.split()) > 4 and (whole or quality.repeats(text, told))


def _empty_lessons(document: Document) -> None:
    """Take the document's sentences out of lessons and outlines."""
    sources = LessonSource.objects.filter(document=document).exclude(quote="")
    texts = list(sources.values_list("quote", flat=True))
    ids = sources.values("lesson")
    for lesson in Lesson.objects.filter(pk__in=ids):
        for name in TEXTS:
            setattr(lesson, name, wording.without(getattr(lesson, name), texts))
        lesson.save(update_fields=list(TEXTS))
    outlined = Workshop.objects.filter(workspace=document.workspace_id)
    if not outlined.exists():
        return
    whole = [quality.plain(text) for text in document.chunks.values_list("text", flat=True)]

    def stands(text: str) -> bool:
        told = quality.plain(text)
        return len(told.split()) > 4 and any(told in each for each in whole)

    for workshop in outlined.select_for_update():
        workshop.key_points = [each for each in workshop.key_points if not stands(each)]
        workshop.objectives = [each for each in workshop.objectives if not stands(each)]
        kept = [each for each in sentences(workshop.summary) if not stands(each)]
        workshop.summary = " ".join(kept)
        workshop.save(update_fields=["key_points", "objectives", "summary"])
