"""Study, to read: quizzes, decks, what is due, workshops, mindmaps, and what was touched."""

from typing import Annotated

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Query, Router, Schema
from pydantic import Field

from apps.library import coverage, workspaces
from apps.study import due, listing
from apps.study.models import Deck, Mindmap, Quiz, Workshop
from apps.vault.api.documents import mine
from apps.vault.api.gate import READ, ApiRequest
from apps.vault.api.practice import (
    DeckDetail,
    Flashcard,
    Item,
    MindmapDetail,
    QuizDetail,
    WorkshopDetail,
    flashcard,
    item,
    lesson,
    question,
)
from apps.vault.api.shapes import Words, WorkspaceName

router = Router(tags=["Study"])


class Titled(Schema):
    workspace: WorkspaceName = None
    q: Annotated[Words, Field(description="Part of the title.")] = ""


class Several(Schema):
    """Cards, so many at once."""

    workspace: WorkspaceName = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50


class Due(Schema):
    """What waits: `due` were learned before, `new` never, `soon` come within minutes."""

    due: int
    new: int
    soon: int
    done_today: int
    cards: list[Flashcard]


class Covered(Schema):
    """How many passages of a document were read, cited, tested and mastered."""

    document_id: int
    passages: int
    read: int
    cited: int
    tested: int
    mastered: int


@router.get("/study/quizzes", auth=READ, response=list[Item])
def list_quizzes(request: ApiRequest, wanted: Query[Titled]) -> list[Item]:
    """The quizzes of a workspace, the newest first."""
    workspace = workspaces.of_person(request.user, wanted.workspace)
    page = listing.quizzes(request.user, workspace, wanted.q)
    return [_quiz(request, work) for work in page.works]


@router.get("/study/quizzes/{int:quiz_id}", auth=READ, response=QuizDetail)
def get_quiz(request: ApiRequest, quiz_id: int) -> QuizDetail:
    """A quiz with its questions, the answers, and the passages that prove them."""
    quiz = get_object_or_404(Quiz.objects.owned_by(request.user), pk=quiz_id)
    questions = [question(each) for each in quiz.questions.all()]
    return QuizDetail(**item(request, quiz, questions=len(questions)), questions=questions)


@router.get("/study/decks", auth=READ, response=list[Item])
def list_decks(request: ApiRequest, wanted: Query[Titled]) -> list[Item]:
    """The decks of a workspace, the newest first."""
    workspace = workspaces.of_person(request.user, wanted.workspace)
    page = listing.decks(request.user, workspace, wanted.q)
    return [_deck(request, work) for work in page.works]


@router.get("/study/decks/{int:deck_id}", auth=READ, response=DeckDetail)
def get_deck(request: ApiRequest, deck_id: int) -> DeckDetail:
    """A deck with its cards."""
    deck = get_object_or_404(Deck.objects.owned_by(request.user), pk=deck_id)
    cards = [flashcard(request, card) for card in deck.cards.select_related("deck")]
    return DeckDetail(**item(request, deck, cards=len(cards)), cards=cards)


@router.get("/study/due", auth=READ, response=Due)
def get_due(request: ApiRequest, wanted: Query[Several]) -> Due:
    """The cards that are due now, the longest overdue first; reviewing them happens on the page."""
    workspace, now = workspaces.of_person(request.user, wanted.workspace), timezone.now()
    queue = due.queue(request.user, workspace, now)
    cards = due.cards_of(request.user, workspace).filter(due_at__lte=now)
    shown = cards.select_related("deck").order_by("due_at", "pk")[: wanted.limit]
    return Due(
        due=queue.due,
        new=queue.new,
        soon=queue.soon,
        done_today=queue.done,
        cards=[flashcard(request, card) for card in shown],
    )


@router.get("/study/workshops", auth=READ, response=list[Item])
def list_workshops(request: ApiRequest, wanted: Query[Titled]) -> list[Item]:
    """The workshops of a workspace, the newest first."""
    workspace = workspaces.of_person(request.user, wanted.workspace)
    page = listing.workshops(request.user, workspace, wanted.q)
    return [_workshop(request, work) for work in page.works]


@router.get("/study/workshops/{int:workshop_id}", auth=READ, response=WorkshopDetail)
def get_workshop(request: ApiRequest, workshop_id: int) -> WorkshopDetail:
    """A workshop with its lessons, as far as they are written, in Markdown."""
    workshop = get_object_or_404(Workshop.objects.owned_by(request.user), pk=workshop_id)
    lessons = [lesson(each) for each in workshop.lessons.prefetch_related("sources")]
    done = sum(each.completed_at is not None for each in lessons)
    return WorkshopDetail(
        **item(request, workshop, lessons=len(lessons), completed=done),
        summary=workshop.summary,
        objectives=workshop.objectives,
        key_points=workshop.key_points,
        lessons=lessons,
    )


@router.get("/study/mindmaps", auth=READ, response=list[Item])
def list_mindmaps(request: ApiRequest, wanted: Query[Titled]) -> list[Item]:
    """The mindmaps of a workspace, the newest first."""
    workspace = workspaces.of_person(request.user, wanted.workspace)
    page = listing.mindmaps(request.user, workspace, wanted.q)
    return [Item(**item(request, work, branches=len(work.branches))) for work in page.works]


@router.get("/study/mindmaps/{int:mindmap_id}", auth=READ, response=MindmapDetail)
def get_mindmap(request: ApiRequest, mindmap_id: int) -> MindmapDetail:
    """A mindmap as a tree of labels, each with the id of its passage."""
    found = get_object_or_404(Mindmap.objects.owned_by(request.user), pk=mindmap_id)
    return MindmapDetail(**item(request, found, branches=len(found.branches)), tree=found.tree)


@router.get("/documents/{int:document_id}/coverage", auth=READ, response=Covered)
def get_coverage(request: ApiRequest, document_id: int) -> Covered:
    """How much of a document this person has touched."""
    document = mine(request, document_id)
    marks = coverage.touched(coverage.strip(document))
    return Covered(document_id=document.pk, passages=document.chunk_count, **marks)


def _quiz(request: HttpRequest, work: Quiz) -> Item:
    told = vars(work)
    figures = {
        "questions": told["question_count"],
        "attempts": told["attempt_count"],
        "best": told["best"],
    }
    return Item(**item(request, work, **figures))


def _deck(request: HttpRequest, work: Deck) -> Item:
    told = vars(work)
    figures = {
        "cards": told["card_count"],
        "mastered": told["mastered_count"],
        "due": told["due_count"],
    }
    return Item(**item(request, work, **figures))


def _workshop(request: HttpRequest, work: Workshop) -> Item:
    told = vars(work)
    figures = {"lessons": told["lesson_count"], "completed": told["completed_count"]}
    return Item(**item(request, work, **figures))
