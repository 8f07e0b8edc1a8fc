"""Make the questions of a quiz: one passage, one question, through the gate.

A small model writes one usable question about two or three sentences in three of four cases, and
poor ones when asked for several at once. So it sees one short window at a time, after examples as
turns of the chat whose beginning never changes and therefore stays in its cache.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model

from apps.llm import structured
from apps.study import denial, duplicates, quality, sampling, writer
from apps.study.generation import MAKERS, Maker, Rejected
from apps.study.models import Job, Question, Quiz
from apps.study.quiz_by_rule import gaps
from apps.study.quiz_prompts import choosing, messages
from apps.study.sentences import tidy
from apps.study.windows import Window, prose, window
from apps.web.telling import gettext as _

MOST_TOKENS = 260
LONGEST_ANSWER = 110  # characters; a grammar cuts there, in the middle of a word
TRIES = 2  # with one window; the second one a little freer
LEAST_SUPPORT = 0.7  # share of the words of what is right that must stand in the passage
LEAST_TELLING = 2  # words of a question that carry meaning: "Was ist der Fehler?" has one
ALIKE = 0.4  # share of the true statement's words that the false one must keep


class ChoiceItem(BaseModel):
    """What the model writes for a multiple choice question."""

    question: str = Field(min_length=8, max_length=220)
    correct_answer: str = Field(min_length=1, max_length=LONGEST_ANSWER)
    wrong_answers: list[str] = Field(min_length=3, max_length=3)
    explanation: str = Field(max_length=240)


class StatementItem(BaseModel):
    """What the model writes for a question of true or false."""

    true_statement: str = Field(min_length=12, max_length=220)
    false_statement: str = Field(min_length=12, max_length=220)
    explanation: str = Field(max_length=240)


def make(job: Job, stop_when: Callable[[], bool]) -> Iterator[Callable[[], None] | Rejected]:
    """One question, or the reason for none, for each passage of the plan."""
    for look in sampling.looks(job):
        view = window(look.chunk, job.pk, look.again) if look.chunk else None
        if view is None:
            yield Rejected(sampling.NO_PROSE)
            continue
        yield _question(job, view, look, stop_when)


def finish(job: Job) -> None:
    """Nothing is left to do once all questions are there."""


def shortfall(job: Job) -> str:
    """Why there are fewer questions than asked for."""
    if not job.plan:
        return sampling.too_little(job, _("a question needs a few sentences"))
    return sampling.without_prose(job) or (
        _(
            "%(made)s of %(asked)s: the rest of the passages gave no question that passed the "
            "checks. Choose more documents, or continue with another look at these."
        )
        % {"made": job.made, "asked": job.asked}
    )


def type_of(quiz: Quiz, ordinal: int) -> str:
    """Which type the question at that place has: the chosen ones in turn."""
    types: list[str] = quiz.types or [Question.Type.MCQ]
    return types[ordinal % len(types)]


def _question(
    job: Job, view: Window, look: sampling.Look, stop_when: Callable[[], bool]
) -> Callable[[], None] | Rejected:
    """What the model writes about the window; a question by rule where it fails too often."""
    model = writer.of(job)
    kind = type_of(job.quiz, job.made)
    asked: Question | Rejected = Rejected("there is no language model")
    if not model.extractive:
        asked = _written(job, view, look, Asking(model.name, kind, stop_when))
    if isinstance(asked, Question):
        return asked.save
    ruled = _by_rule(job, view, kind) if model.extractive or look.late else None
    return partial(_store_by_rule, job, ruled) if ruled else asked


def _store_by_rule(job: Job, question: Question) -> None:
    """Store it, and count it: the page says how many no model wrote."""
    question.save()
    job.options |= {"by_rule": job.options.get("by_rule", 0) + 1}
    job.save(update_fields=["options"])


@dataclass(frozen=True, slots=True)
class Asking:
    """Who is asked for what."""

    model: str
    kind: str
    stop_when: Callable[[], bool]


def _written(job: Job, view: Window, look: sampling.Look, asking: Asking) -> Question | Rejected:
    mcq = asking.kind == Question.Type.MCQ
    shape: type[ChoiceItem | StatementItem] = ChoiceItem if mcq else StatementItem
    sent = messages(asking.kind, view, job.difficulty)
    rejected = Rejected("not tried")
    for attempt in range(TRIES):
        again = attempt or look.again  # the same words would come again
        try:
            item = structured.ask(
                sent,
                shape,
                model=asking.model,
                seed=look.number + attempt,
                temperature=0.7 if again else 0.0,
                most_tokens=MOST_TOKENS,
                stop_when=asking.stop_when,
            )
            question = _built(job, view, item)
            if isinstance(question, Question) and mcq and not _confirmed(question, view, asking):
                question = "asked its own question, the model chooses another answer"
        except structured.Unreadable as fault:
            rejected = Rejected(f"unreadable: {fault}")
            continue
        if isinstance(question, Question):
            return question
        rejected = Rejected(question, item.model_dump())
    return rejected


def _confirmed(question: Question, view: Window, asking: Asking) -> bool:
    """Whether the model, given the passage and its own question, chooses the answer it called
    right. What it cannot answer itself is mostly vague or has two right answers."""
    options: Any = Literal[tuple(question.options)]
    chosen = structured.ask(
        choosing(view, question.stem, question.options),
        create_model("Chosen", answer=(options, ...)),
        model=asking.model,
        most_tokens=MOST_TOKENS,
        stop_when=asking.stop_when,
    )
    return bool(chosen.model_dump()["answer"] == question.options[question.answer])


def _by_rule(job: Job, view: Window, kind: str) -> Question | None:
    """A question from a sentence of the passage, without the model; None where none is fit."""
    for made in chain(*(gaps(text, view.chunk.text) for text in (view.text, prose(view.chunk)))):
        if kind == Question.Type.MCQ:
            stem = made.question(view.language)
            question = _choice(job, stem, made.right, made.wrong, "")
        else:
            question = _statement(job, made.true, made.false, "")
        question.quote = made.quote
        _sourced(question, view)
        if quality.in_passage(made.quote, view.chunk.text) and not duplicates.fault(question):
            return question
    return None


def _built(job: Job, view: Window, item: ChoiceItem | StatementItem) -> Question | str:
    """The question, or the reason why the gate did not let it through."""
    if isinstance(item, ChoiceItem):
        fault = choice_fault(item, view.text)
        question = _choice(
            job, item.question, item.correct_answer, item.wrong_answers, item.explanation
        )
    else:
        fault = statement_fault(item, view.text)
        question = _statement(job, item.true_statement, item.false_statement, item.explanation)
    if fault:
        return fault
    if isinstance(item, ChoiceItem):
        about, right, wrong = item.question, item.correct_answer, item.wrong_answers
    else:
        about = right = item.true_statement
        wrong = [item.false_statement]
    question.quote = quality.proof(view.chunk.text, about, right)
    if not quality.in_passage(question.quote, view.chunk.text):
        return "no sentence of the passage proves it"
    said = right if about == right else f"{about} {right}"
    if fault := proven_fault(said, right, wrong, tidy(question.quote)):
        return fault
    if quality.other_language(f"{question.stem} {right}", view.text):
        return "it is in another language than the passage"
    _sourced(question, view)
    if fault := duplicates.fault(question):
        return fault
    return question


def _sourced(question: Question, view: Window) -> None:
    """Where it comes from, and the proof as its explanation where it has no good one."""
    for field, value in view.source.items():
        setattr(question, field, value)
    if not _explains(question.explanation, view.text):
        question.explanation = tidy(question.quote)


def _explains(explanation: str, passage: str) -> bool:
    return (
        quality.support(explanation, passage) >= LEAST_SUPPORT
        and quality.is_ended(explanation)
        and not quality.speaks_of_the_text(explanation)
    )


def choice_fault(item: ChoiceItem, passage: str) -> str:
    """What is wrong with a multiple choice item, "" if nothing is."""
    right, wrong = item.correct_answer, item.wrong_answers
    if fault := quality.options_fault([right, *wrong]) or stem_fault(item.question, passage):
        return fault
    if quality.gives_away(item.question, right):
        return "the question gives the answer away"
    if quality.support(right, passage) < LEAST_SUPPORT or quality.new_numbers(right, passage):
        return "the answer is not in the passage"
    if quality.YES_OR_NO.match(right):
        return "it asks for yes or no"
    if quality.only_refers(right):
        return "the answer only names a place in the text"
    if len(right) >= LONGEST_ANSWER or quality.stands_out(right, wrong):
        return "the right answer is told by its length"
    if quality.answers_another_question(item.question, right):
        return "the answer is to another question"
    if quality.too_alike([right, *wrong]):
        return "two options differ by one word"
    return ""


def proven_fault(said: str, right: str, wrong: Sequence[str], proof: str) -> str:
    """What the sentence that is to prove an item says against it, "" if nothing.

    `said` is what the item says as a whole, question and right answer.
    """
    if denial.opposed(said, proof):
        return "the sentence that proves it says no where it says yes, or the other way round"
    if any(denial.true_by(each, right, proof) for each in wrong):
        return "what is called wrong is true by the sentence that proves the right answer"
    return ""


def stem_fault(stem: str, passage: str) -> str:
    """What is wrong with a question by itself, "" if nothing is."""
    if not stem.strip().endswith("?"):
        return "it is no question"
    if quality.speaks_of_the_text(stem) or quality.refers(stem):
        return "it speaks of the passage, which nobody sees"
    if len(quality.telling(stem)) < LEAST_TELLING:
        return "the question does not say what it is about"
    about = quality.in_some_form(stem, passage)
    if about < quality.LEAST_SUPPORT or quality.invents(stem, passage):
        return "the question asks for what the passage does not speak of"
    return ""


def statement_fault(item: StatementItem, passage: str) -> str:
    """What is wrong with a pair of statements, "" if nothing is."""
    true, false = item.true_statement, item.false_statement
    if fault := quality.options_fault([true, false]):
        return fault
    if not quality.is_ended(true) or not quality.is_ended(false):
        return "a statement is cut off"
    if any(quality.speaks_of_the_text(each) or "?" in each for each in (true, false)):
        return "it is no statement about the subject"
    if quality.refers(true):
        return "it names a paragraph by its number, and nobody sees of what"
    if quality.dangles(true) or quality.dangles(false):
        return "it points to something said before"
    if quality.support(true, passage) < 0.8 or quality.new_numbers(true, passage):
        return "the true statement is not in the passage"
    if quality.in_passage(false, passage):
        return "the false statement stands in the passage"
    said, told = quality.words(true), quality.words(false)
    if len(told & said) < ALIKE * len(said):
        return "the false statement is about something else"
    if not (told - said or _words(true) ^ _words(false)):
        return "the false statement says nothing else"
    return ""


def _words(text: str) -> set[str]:
    return set(quality.plain(text).split())


def _choice(job: Job, stem: str, right: str, wrong: list[str], explanation: str) -> Question:
    place = spread(job.pk, job.made, 4)
    options = [option.strip() for option in wrong]
    options.insert(place, right.strip())
    return Question(
        quiz=job.quiz,
        ordinal=job.made,
        type=Question.Type.MCQ,
        stem=stem.strip(),
        options=options,
        answer=place,
        explanation=explanation.strip(),
    )


def _statement(job: Job, true: str, false: str, explanation: str) -> Question:
    place = spread(job.pk, job.made, 2)
    return Question(
        quiz=job.quiz,
        ordinal=job.made,
        type=Question.Type.TRUE_FALSE,
        stem=(false if place else true).strip(),
        options=["True", "False"],
        answer=place,
        explanation=explanation.strip(),
    )


def spread(seed: int, ordinal: int, places: int) -> int:
    """Where the right answer goes: each place once in every `places` questions, in no fixed order.

    A product with a multiplier prime to the number of places permutes them.
    """
    turn, place = divmod(ordinal, places)
    return (place * (1 if turn % 2 else places - 1) + seed + turn) % places


MAKERS[Job.Kind.QUIZ] = Maker(make, finish, shortfall)
