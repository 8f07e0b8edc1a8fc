"""The shapes of what is practised, and how they are made of the study room's models."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Schema

from apps.study.models import Card, Deck, Lesson, Mindmap, Question, Quiz, Sourced, Workshop


class Proof(Schema):
    """The passage that proves an item; the quote stays when the document is gone."""

    document: str
    document_id: int | None
    place: str
    quote: str


class Item(Schema):
    """One of a kind in a list; `figures` counts what it is made of and how far it has come."""

    id: int
    title: str
    difficulty: str
    scope: str
    created_at: datetime
    figures: dict[str, int | None]
    url: str


class QuizQuestion(Schema):
    id: int
    type: str
    question: str
    options: list[str]
    answer: int
    explanation: str
    proof: Proof


class QuizDetail(Item):
    questions: list[QuizQuestion]


class Flashcard(Schema):
    id: int
    deck: str
    front: str
    back: str
    status: str
    due_at: datetime | None
    lapses: int
    proof: Proof
    url: str


class DeckDetail(Item):
    cards: list[Flashcard]


class LessonText(Schema):
    id: int
    title: str
    minutes: int
    introduction: str
    core: str
    takeaways: str
    self_check: str
    made_at: datetime | None
    completed_at: datetime | None
    sources: list[Proof]


class WorkshopDetail(Item):
    summary: str
    objectives: list[str]
    key_points: list[str]
    lessons: list[LessonText]


class MindmapDetail(Item):
    tree: dict[str, Any]


def item(
    request: HttpRequest, work: Quiz | Deck | Workshop | Mindmap, **figures: int | None
) -> dict[str, Any]:
    """The fields of an Item."""
    return {
        "id": work.pk,
        "title": work.title,
        "difficulty": work.difficulty,
        "scope": work.scope_label,
        "created_at": work.created_at,
        "figures": figures,
        "url": request.build_absolute_uri(work.get_absolute_url()),
    }


def proof(sourced: Sourced) -> Proof:
    return Proof(
        document=sourced.document_name,
        document_id=sourced.document_id,
        place=sourced.label,
        quote=sourced.quote,
    )


def question(each: Question) -> QuizQuestion:
    return QuizQuestion(
        id=each.pk,
        type=each.type,
        question=each.stem,
        options=each.options,
        answer=each.answer,
        explanation=each.explanation,
        proof=proof(each),
    )


def flashcard(request: HttpRequest, card: Card) -> Flashcard:
    return Flashcard(
        id=card.pk,
        deck=card.deck.title,
        front=card.front,
        back=card.back,
        status=card.status,
        due_at=card.due_at,
        lapses=card.lapses,
        proof=proof(card),
        url=request.build_absolute_uri(card.deck.get_absolute_url()),
    )


def lesson(each: Lesson) -> LessonText:
    return LessonText(
        id=each.pk,
        title=each.title,
        minutes=each.minutes,
        introduction=each.introduction,
        core=each.core,
        takeaways=each.takeaways,
        self_check=each.self_check,
        made_at=each.made_at,
        completed_at=each.completed_at,
        sources=[proof(source) for source in each.sources.all()],
    )
