"""Play a quiz: one question at a time, graded here, resumable anywhere."""

import random
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.library import coverage
from apps.progress import ledger
from apps.progress.kinds import Kind
from apps.progress.rounding import half_up
from apps.study import cards, generation
from apps.study.models import Attempt, Question, Quiz, Reply


class NotPlayable(ValueError):
    """There is nothing to play; the text says why."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A question as it is shown in an attempt: its options in the attempt's order."""

    question: Question
    number: int  # from 1
    total: int
    options: list[tuple[int, str]]  # index in the question, text
    reply: Reply | None


def begin(person: User, quiz: Quiz, *, only: set[int] | None = None) -> Attempt:
    """A new go at the quiz, questions and options shuffled; `only` these questions' ids.

    Raises NotPlayable where no question is there.
    """
    questions = [q for q in quiz.questions.all() if only is None or q.pk in only]
    if not questions:
        raise NotPlayable(_("There is no question to answer yet."))
    random.shuffle(questions)
    order = [[q.pk, _shuffled(q)] for q in questions]
    attempt = Attempt.objects.create(quiz=quiz, owner=person, order=order)
    ledger.record(
        person,
        Kind.QUIZ_STARTED,
        key=f"attempt-{attempt.pk}-started",
        quiz=quiz.pk,
        count=len(order),
        difficulty=quiz.difficulty,
        **generation.waited(quiz.job),
    )
    return attempt


def open_attempt(person: User, quiz: Quiz) -> Attempt | None:
    """The attempt that was begun and not finished, the newest."""
    return Attempt.objects.filter(owner=person, quiz=quiz, finished_at=None).first()


def shown(attempt: Attempt, question_id: int | None = None) -> Shown | None:
    """The question asked for, else the first without a reply; None when all have one."""
    replies = {reply.question_id: reply for reply in attempt.replies.all()}
    for number, (pk, options) in enumerate(attempt.order, 1):
        if (pk == question_id) if question_id else (pk not in replies):
            question = Question.objects.filter(pk=pk, quiz=attempt.quiz_id).first()
            if question:
                texts = [(n, question.choices[n]) for n in options]
                return Shown(question, number, len(attempt.order), texts, replies.get(pk))
    return None


@transaction.atomic
def answer(attempt: Attempt, question: Question, chosen: int) -> Reply:
    """Grade and keep an answer. The first one counts: of two tabs the other sees the same reply.

    Raises ValueError for an option or question that is not the attempt's.
    """
    if not 0 <= chosen < len(question.options) or question.pk not in _ids(attempt):
        raise ValueError("This is no answer to a question of this attempt.")
    correct = chosen == question.answer
    reply, new = Reply.objects.get_or_create(
        attempt=attempt, question=question, defaults={"chosen": chosen, "correct": correct}
    )
    if new:
        _record_answer(attempt, question, correct)
        if not correct:
            cards.keep_mistake(attempt.owner, question)
        if attempt.replies.count() == len(attempt.order):
            finish(attempt, timezone.now())
    return reply


def finish(attempt: Attempt, at: datetime) -> None:
    """Close the attempt with its score, once."""
    right = attempt.replies.filter(correct=True).count()
    attempt.score = half_up(100 * right / len(attempt.order))
    attempt.finished_at = at
    attempt.save(update_fields=["score", "finished_at"])
    ledger.record(
        attempt.owner,
        Kind.QUIZ_FINISHED,
        at,
        key=f"attempt-{attempt.pk}-finished",
        quiz=attempt.quiz_id,
        score=attempt.score,
        count=len(attempt.order),
        difficulty=attempt.quiz.difficulty,
        seconds=round((at - attempt.began_at).total_seconds()),
    )


def finish_if_over(attempt: Attempt) -> None:
    """Close an attempt whose remaining questions were deleted; those count as not answered."""
    if attempt.finished_at is None:
        finish(attempt, timezone.now())


def recap(attempt: Attempt) -> list[Shown]:
    """Every question of the attempt with its reply, in the order it was asked."""
    replies = {reply.question_id: reply for reply in attempt.replies.all()}
    questions = Question.objects.filter(quiz=attempt.quiz_id).in_bulk()
    return [
        Shown(
            questions[pk],
            number,
            len(attempt.order),
            [(n, questions[pk].choices[n]) for n in options],
            replies.get(pk),
        )
        for number, (pk, options) in enumerate(attempt.order, 1)
        if pk in questions
    ]


def mistakes(person: User, quiz: Quiz) -> set[int]:
    """The questions whose newest reply of this person is wrong."""
    newest: dict[int, bool] = {}
    replies = Reply.objects.filter(attempt__owner=person, question__quiz=quiz).order_by("pk")
    for question, correct in replies.values_list("question", "correct"):
        newest[question] = correct
    return {question for question, correct in newest.items() if not correct}


def _shuffled(question: Question) -> list[int]:
    order = list(range(len(question.options)))
    if question.type == Question.Type.MCQ:
        random.shuffle(order)
    return order


def _ids(attempt: Attempt) -> set[int]:
    return {pk for pk, _ in attempt.order}


def _record_answer(attempt: Attempt, question: Question, correct: bool) -> None:
    ledger.record(
        attempt.owner,
        Kind.QUIZ_ANSWERED,
        key=f"attempt-{attempt.pk}-question-{question.pk}",
        quiz=attempt.quiz_id,
        question=question.pk,
        correct=correct,
        document=str(question.document_id or ""),
        document_name=question.document_name,
        section=question.section,
    )
    if question.chunk_id:
        coverage.mark([question.chunk_id], "tested")
