"""Make the cards of a deck: one passage, one card, through the gate.

With a language model a card is a question and its answer, asked for one short window at a time.
Where none is installed it is a sentence with a gap, made by rule, and the deck says so.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain

from pydantic import BaseModel, Field

from apps.library.models import Chunk
from apps.llm import structured
from apps.study import cards, denial, quality, sampling, writer
from apps.study.cloze import Cloze, clozes
from apps.study.flashcard_prompts import messages
from apps.study.generation import MAKERS, Maker, Rejected
from apps.study.models import Card, Job
from apps.study.sentences import tidy
from apps.study.windows import Window, prose, window
from apps.web.telling import gettext as _

MOST_TOKENS = 140
TRIES = 2  # with one window; the second one a little freer
RECENT = 2000  # earlier cards that a new one is compared with
TERM = 6  # words; a front without a question mark is a term, and terms are short
REPEATED = 0.6  # share of the front's words from which the back only says it again
SHORT_ANSWERS = {"yes", "no", "ja", "nein", "true", "false", "richtig", "falsch"}
# Such a card cannot be answered: nobody sees the passage on its front.
POINTING = re.compile(
    r"\b(passages?|excerpt|(this|the) (text|section|document)|abschnitts?|textstelle|text(es)?)\b",
    re.I,
)
# Small models ask for purposes where a passage tells none, and then make one up.
PURPOSE = re.compile(r"\b(purpose|aim|goal|zweck|ziel)\b", re.I)


Store = Callable[[], None]


class CardItem(BaseModel):
    """What the model writes for a card."""

    front: str = Field(min_length=3, max_length=200)
    back: str = Field(min_length=1, max_length=240)


def make(job: Job, stop_when: Callable[[], bool]) -> Iterator[Store | Rejected]:
    """One card, or the reason for none, for each look at a passage of the plan."""
    model = writer.of(job)
    lacking = model.extractive and not job.options.get("quick")  # the page says what to do
    if job.options.get("extractive") is not lacking:
        job.options |= {"extractive": lacking}
        job.save(update_fields=["options"])
    for look in sampling.looks(job):
        view = window(look.chunk, job.pk, look.again) if look.chunk else None
        if view is None:
            yield Rejected(sampling.NO_PROSE)
            continue
        card: Store | Rejected = Rejected("there is no language model")
        if not model.extractive:
            card = _written(job, view, look, model.name, stop_when)
        if isinstance(card, Rejected) and (model.extractive or look.late):
            ruled = _by_rule(job, view)
            card = ruled if model.extractive or not isinstance(ruled, Rejected) else card
        yield card


def finish(job: Job) -> None:
    """Nothing is left to do once all cards are there."""


def shortfall(job: Job) -> str:
    """Why there are fewer cards than asked for."""
    if not job.plan:
        return sampling.too_little(job, _("a card needs a few sentences"))
    return sampling.without_prose(job) or (
        _(
            "%(made)s of %(asked)s: the passages gave no more cards that passed the checks and "
            "say something new. Choose more documents, or continue with another look at these."
        )
        % {"made": job.made, "asked": job.asked}
    )


def fault(front: str, back: str, view: Window) -> str:
    """What is wrong with a card that a model wrote, "" if nothing is."""
    if "?" not in front and (len(front.split()) > TERM or front.rstrip().endswith(".")):
        return "the front is neither a question nor a term"
    if POINTING.search(front) or quality.speaks_of_the_text(front) or quality.refers(front):
        return "the front points at the passage"
    if PURPOSE.search(front) and not PURPOSE.search(view.chunk.text):
        return "the front asks for a purpose the passage does not tell"
    if quality.plain(back) in SHORT_ANSWERS:
        return "the back is only yes or no"
    if quality.gives_away(front, back) or quality.plain(front) == quality.plain(back):
        return "the front gives the back away"
    if quality.in_some_form(front, back) >= REPEATED:
        return "the back repeats the front"
    if quality.answers_another_question(front, back):
        return "the answer is to another question"
    if quality.support(back, view.text) < quality.LEAST_SUPPORT:
        return "the back is not in the passage"
    if quality.other_language(f"{front} {back}", view.text):
        return "it is in another language than the passage"
    proof = quality.proof(view.chunk.text, front, back)
    if not quality.in_passage(proof, view.chunk.text):
        return "no sentence of the passage proves it"
    if denial.opposed(f"{front} {back}", tidy(proof)):
        return "the sentence that proves it says no where it says yes, or the other way round"
    return ""


def _written(
    job: Job, view: Window, look: sampling.Look, model: str, stop_when: Callable[[], bool]
) -> Store | Rejected:
    sent = messages(view, job.difficulty)
    rejected = Rejected("not tried")
    for attempt in range(TRIES):
        again = attempt or look.again  # the same words would come again
        try:
            item = structured.ask(
                sent,
                CardItem,
                model=model,
                seed=look.number + attempt,
                temperature=0.7 if again else 0.0,
                most_tokens=MOST_TOKENS,
                stop_when=stop_when,
            )
        except structured.Unreadable as unreadable:
            rejected = Rejected(f"unreadable: {unreadable}")
            continue
        front, back = item.front.strip(), item.back.strip()
        reason = fault(front, back, view) or repeated(job, view.chunk, front, back)
        if not reason:
            quote = " ".join(quality.proof(view.chunk.text, front, back).split())
            return _storing(job, view, front, back, quote)
        rejected = Rejected(reason, item.model_dump())
    return rejected


def _by_rule(job: Job, view: Window) -> Store | Rejected:
    """A sentence with a gap: of the window, else of the whole passage, that is new."""
    reason = "no sentence of the passage is fit for a gap"
    for made in chain(*(clozes(text, view.chunk.text) for text in (view.text, prose(view.chunk)))):
        if not quality.in_passage(made.quote, view.chunk.text):
            continue
        reason = repeated(job, view.chunk, made.front, made.back)
        if not reason:
            return partial(_store_by_rule, job, view, made)
    return Rejected(reason)


def _store_by_rule(job: Job, view: Window, made: Cloze) -> None:
    _storing(job, view, made.front, made.back, made.quote)()
    job.options |= {"by_rule": job.options.get("by_rule", 0) + 1}
    job.save(update_fields=["options"])


def repeated(job: Job, chunk: Chunk, front: str, back: str) -> str:
    """Why the card says nothing new to the person, "" if it does."""
    mine = Card.objects.filter(deck__owner=job.owner_id).order_by("-pk")
    fronts = []
    for other, answer, source in mine.values_list("front", "back", "chunk_id")[:RECENT]:
        fronts.append(other)
        if source == chunk.pk and _same(quality.plain(answer), quality.plain(back)):
            return "the same passage was asked for the same answer"
    return "it repeats an earlier card" if quality.repeats(front, fronts) else ""


def _same(one: str, other: str) -> bool:
    """Whether one of two plain answers is a part of the other."""
    short, long = sorted((one, other), key=len)
    return short == long or (len(short) > 12 and short in long)


def _storing(job: Job, view: Window, front: str, back: str, quote: str) -> Store:
    def store() -> None:
        Card.objects.create(
            deck=job.deck,
            ordinal=cards.end_of(job.deck),
            front=front,
            back=back,
            quote=quote,
            guid=cards.new_guid(),
            **view.source,
        )
        cards.note_created(job.deck)

    return store


MAKERS[Job.Kind.DECK] = Maker(make, finish, shortfall)
