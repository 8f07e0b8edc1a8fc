"""When a card comes back: FSRS, four grades, and the queue of what is due.

The fsrs library keeps each card's memory in `Card.schedule`; `Card.due_at` is when it is shown
again. Intervals of days end at the person's own midnight, so that what is due today is due in the
morning, and days count as the calendar does. The library's random spread is off: each button tells
the interval that it gives.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Any, cast

import fsrs
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from fsrs.card import CardDict

from apps.library import coverage
from apps.progress import days, ledger
from apps.progress.kinds import Kind
from apps.progress.models import Standing
from apps.study.models import Card, Deck, Job, Review

AGAIN, HARD, GOOD, EASY = GRADES = (1, 2, 3, 4)
NAMES = {
    AGAIN: gettext_lazy("Again"),
    HARD: gettext_lazy("Hard"),
    GOOD: gettext_lazy("Good"),
    EASY: gettext_lazy("Easy"),
}
MASTERED_DAYS = 21  # of stability: a three weeks' gap is survived
LEECH = 8  # lapses from which a card is badly made rather than badly learned
LONGEST_DAYS = 3650
MOST_SECONDS = 600  # a review that took longer was a break
NEW = "new"


class Stale(ValueError):
    """The card was graded elsewhere since it was shown; nothing was changed."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the four buttons."""

    grade: int
    name: str
    interval: str  # in words, as short as can be


@lru_cache(4)
def scheduler(parameters: str, retention: int) -> fsrs.Scheduler:
    """The scheduler of these settings; raises ValueError for parameters that are none."""
    weights = [float(each) for each in parameters.split(",")] if parameters else None
    return fsrs.Scheduler(
        weights or fsrs.Scheduler().parameters,
        desired_retention=min(max(retention, 70), 97) / 100,
        maximum_interval=LONGEST_DAYS,
        enable_fuzzing=False,
    )


def zone_of(person: User) -> str:
    """The time zone the person's days are counted in."""
    try:
        return person.standing.zone or "UTC"  # read once for a page
    except Standing.DoesNotExist:
        return "UTC"


def midnight(day: date, zone: str) -> datetime:
    """When that local day begins."""
    return datetime.combine(day, time(), days.zone(zone)).astimezone(UTC)


def state_of(card: Card) -> str:
    """new, learning, review or relearning."""
    return fsrs.State(card.schedule["state"]).name.lower() if card.schedule else NEW


def after(card: Card, grade: int, at: datetime, zone: str) -> tuple[dict[str, Any], datetime]:
    """The card's memory after a grade, and when it is due then; changes nothing."""
    memory = fsrs.Card(card_id=card.pk, due=at)
    if card.schedule:
        memory = fsrs.Card.from_dict(cast(CardDict, card.schedule))
    at = max(at.astimezone(UTC), memory.last_review or at.astimezone(UTC))
    if memory.last_review:
        # Yesterday evening to this morning is a day.
        passed = days.local_day(at, zone) - days.local_day(memory.last_review, zone)
        memory.last_review = at - passed
    plan = scheduler(settings.FSRS_PARAMETERS, settings.CARD_RETENTION)
    memory, _ = plan.review_card(memory, fsrs.Rating(grade), at)
    due, whole = memory.due, (memory.due - at).days
    if whole:
        due = midnight(days.local_day(at, zone) + timedelta(days=whole), zone)
    return dict(memory.to_dict()), due


def choices(card: Card, at: datetime, zone: str) -> list[Choice]:
    """The four buttons with what each of them does."""
    told = []
    for grade in GRADES:
        memory, _ = after(card, grade, at, zone)
        gap = datetime.fromisoformat(memory["due"]) - at
        told.append(Choice(grade, str(NAMES[grade]), in_words(gap)))
    return told


def in_words(gap: timedelta) -> str:
    """An interval for a button: 1 min, 3 d, 2.5 mo, 1.2 y."""
    minutes = max(1, round(gap.total_seconds() / 60))
    if minutes < 60:
        return _("%(count)s min") % {"count": minutes}
    if minutes < 24 * 60:
        return _("%(count)s h") % {"count": round(minutes / 60)}
    whole = round(minutes / (24 * 60))
    if whole < 60:
        return _("%(count)s d") % {"count": whole}
    if whole < 365:
        return _("%(count)s mo") % {"count": number_format(whole / 30.4, 1)}
    return _("%(count)s y") % {"count": number_format(whole / 365, 1)}


@transaction.atomic
def grade(
    card: Card, given: int, at: datetime, *, seconds: float | None = None, seen: int | None = None
) -> Review:
    """Grade a card; returns the stored review.

    `seen` is how many reviews the card had when it was shown: Raises Stale when it has more by now
    (another tab was quicker). Raises ValueError for a grade that is none.
    """
    if given not in GRADES:
        raise ValueError(_("A grade is one of 1, 2, 3 and 4."))
    card = _locked(card)
    count = card.reviews.count()
    if seen is not None and seen != count:
        raise Stale(_("This card was graded in another tab."))
    review = _take(card, given, at, seconds)
    _record(card, review, count)
    return review


@transaction.atomic
def lapse(card: Card, at: datetime) -> None:
    """What the card asks was forgotten elsewhere, in a quiz: as grade 1, but no act of its own."""
    card = _locked(card)
    if card.due_at is not None:
        _take(card, AGAIN, at, None)


@transaction.atomic
def undo(person: User, card: Card) -> bool:
    """Take the card's last grade back, once; False where there is none to take back."""
    card = _locked(card)
    before = card.schedule.get("before")
    last = card.reviews.last()
    if before is None or last is None:
        return False
    last.delete()
    was = card.status
    card.schedule, card.status, card.lapses = before["schedule"], before["status"], before["lapses"]
    card.due_at = datetime.fromisoformat(before["due_at"]) if before["due_at"] else None
    card.save(update_fields=["schedule", "status", "lapses", "due_at"])
    _mark_passage(card, was)
    ledger.correct(person, _key(card, card.reviews.count()), grade=None, state="undone")
    return True


def last_graded(person: User) -> Card | None:
    """The card the person graded last, where that grade can still be taken back."""
    reviews = Review.objects.filter(card__deck__owner=person).select_related("card__deck")
    last = reviews.order_by("-pk").first()
    return last.card if last and "before" in last.card.schedule else None


def mark(card: Card, status: str) -> None:
    """Set the status by hand; the schedule stays. Raises ValueError for a status that is none."""
    was, card.status = card.status, Card.Status(status)
    card.save(update_fields=["status"])
    _mark_passage(card, was)
    _note_mastered(card.deck)


def is_leech(card: Card) -> bool:
    """Whether it was forgotten so often that it had better be rewritten."""
    return card.lapses >= LEECH


def replay(card: Card, reviews: Iterable[Review], zone: str) -> None:
    """Work the schedule out again from all the card's reviews in order; nothing is stored.

    Each review's state is set to the card's before it.
    """
    card.schedule, card.due_at, card.lapses = {}, None, 0
    card.status = Card.Status.UNMARKED
    for review in reviews:
        review.state = state_of(card)
        _apply(card, review.grade, review.at, zone)
    card.schedule.pop("before", None)


def _locked(card: Card) -> Card:
    cards = Card.objects.select_for_update(of=("self",)).select_related("deck__owner", "deck__job")
    return cards.get(pk=card.pk)


def _take(card: Card, given: int, at: datetime, seconds: float | None) -> Review:
    was, state = card.status, state_of(card)
    _apply(card, given, at, zone_of(card.deck.owner))
    card.save(update_fields=["schedule", "status", "lapses", "due_at"])
    if seconds is not None and not 0 <= seconds <= MOST_SECONDS:
        seconds = None
    _mark_passage(card, was, tested=True)
    return Review.objects.create(card=card, grade=given, at=at, seconds=seconds, state=state)


def _apply(card: Card, given: int, at: datetime, zone: str) -> None:
    """The grade in the card's fields, with what they were before for `undo`."""
    before = {
        "schedule": {key: value for key, value in card.schedule.items() if key != "before"},
        "status": card.status,
        "lapses": card.lapses,
        "due_at": card.due_at.isoformat() if card.due_at else None,
    }
    lapsed = given == AGAIN and state_of(card) == "review"
    memory, card.due_at = after(card, given, at, zone)
    card.schedule = memory | {"before": before}
    card.lapses += lapsed
    stable = memory["state"] == fsrs.State.Review and memory["stability"] >= MASTERED_DAYS
    kept = card.status == Card.Status.MASTERED and given != AGAIN  # a mark by hand, until a lapse
    card.status = Card.Status.MASTERED if stable or kept else Card.Status.REVIEW


def _mark_passage(card: Card, was: str, tested: bool = False) -> None:
    if not card.chunk_id:
        return
    if tested:
        coverage.mark([card.chunk_id], "tested")
    if card.status == Card.Status.MASTERED != was:
        coverage.mark([card.chunk_id], "mastered")
    if was == Card.Status.MASTERED != card.status:
        coverage.unmark_mastered([card.chunk_id])


def _record(card: Card, review: Review, number: int) -> None:
    facts: dict[str, Any] = {
        "deck": card.deck_id,
        "card": card.pk,
        "grade": review.grade,
        "state": review.state,
        "seconds": review.seconds,
        "document": str(card.document_id or ""),
        "document_name": card.document_name,
        "section": card.section,
    }
    person, key = card.deck.owner, _key(card, number)
    ledger.record(person, Kind.CARD_GRADED, review.at, key=key, **facts)
    ledger.correct(person, key, **facts)  # where the grade before was taken back
    _note_mastered(card.deck)


def _key(card: Card, number: int) -> str:
    return f"card-{card.pk}-review-{number}"


def _note_mastered(deck: Deck) -> None:
    """Once, when every card of a finished deck is mastered."""
    making = deck.job is not None and deck.job.state in Job.UNFINISHED
    left = deck.cards.exclude(status=Card.Status.MASTERED).exists()
    if not making and not left and deck.cards.exists():
        ledger.record(
            deck.owner,
            Kind.DECK_MASTERED,
            timezone.now(),
            key=f"deck-{deck.pk}-mastered",
            deck=deck.pk,
            count=deck.cards.count(),
        )
