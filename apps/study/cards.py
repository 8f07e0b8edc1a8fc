"""Cards by hand: add, change, turn over; and those that wrong answers become."""

import uuid

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, F, Max
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.library.models import Workspace
from apps.progress import ledger
from apps.progress.kinds import Kind
from apps.study import generation, scheduling
from apps.study.models import Card, Deck, Question


def new_guid() -> str:
    """A name for a card that no other card anywhere has, in Anki neither."""
    return uuid.uuid4().hex


@transaction.atomic
def add(deck: Deck, front: str, back: str) -> Card:
    """A card a person wrote, at the end of the deck."""
    Deck.objects.select_for_update().get(pk=deck.pk)  # two cards must not take the same place
    return Card.objects.create(
        deck=deck, ordinal=end_of(deck), front=front, back=back, guid=new_guid()
    )


def end_of(deck: Deck) -> int:
    """The place after the deck's last card."""
    last: int | None = deck.cards.aggregate(last=Max("ordinal"))["last"]
    return 0 if last is None else last + 1


def turn(card: Card) -> None:
    """The card was turned to its back: counted, and an act of study."""
    Card.objects.filter(pk=card.pk).update(flips=F("flips") + 1)
    ledger.record(
        card.deck.owner,
        Kind.CARD_FLIPPED,
        deck=card.deck_id,
        card=card.pk,
        **generation.waited(card.deck.job),
    )


def note_created(deck: Deck) -> None:
    """The deck has a card: once, however often it is told."""
    ledger.record(
        deck.owner,
        Kind.DECK_CREATED,
        key=f"deck-{deck.pk}-created",
        deck=deck.pk,
        difficulty=deck.difficulty,
        **generation.waited(deck.job),
    )


def counts(deck: Deck) -> dict[str, int]:
    """How many cards have each status, and `all`."""
    rows = deck.cards.order_by().values_list("status").annotate(Count("pk"))
    found = dict.fromkeys(Card.Status.values, 0) | dict(rows)
    return found | {"all": sum(found.values())}


@transaction.atomic
def keep_mistake(person: User, question: Question) -> Card:
    """A question that was answered wrong as a card of the deck of mistakes.

    One card a question: where it is there already, and was learned, it lapses.
    """
    deck = _deck_of_mistakes(person, question.quiz.workspace)
    card, new = Card.objects.get_or_create(
        question=question,
        defaults={
            "deck": deck,
            "ordinal": end_of(deck),
            "front": _front(question),
            "back": _back(question),
            "guid": new_guid(),
            "chunk": question.chunk,
            "document": question.document,
            "document_name": question.document_name,
            "label": question.label,
            "section": question.section,
            "quote": question.quote,
        },
    )
    if not new:
        scheduling.lapse(card, timezone.now())
    return card


def _deck_of_mistakes(person: User, workspace: Workspace) -> Deck:
    deck: Deck = Deck.objects.get_or_create(
        owner=person,
        workspace=workspace,
        mistakes=True,
        defaults={"title": _("Mistakes"), "scope_label": _("wrong answers of quizzes")},
    )[0]
    return deck


def _front(question: Question) -> str:
    if question.type == Question.Type.TRUE_FALSE:
        return _("True or false? %(statement)s") % {"statement": question.stem}
    return question.stem


def _back(question: Question) -> str:
    right = question.choices[question.answer]
    said = question.explanation
    return f"{right}\n\n{said}" if said and said not in right else right
