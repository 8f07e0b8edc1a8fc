"""Take in the cards of a file: each once, with their history."""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import ngettext

from apps.library import sandbox
from apps.library.models import Workspace
from apps.study import cards, scheduling
from apps.study.models import Card, Deck, Review
from apps.web.telling import restored

READER = "apps.study.cardfiles"
SECONDS = 60  # for the reader's next sign of life; somebody is waiting
MOST_DECKS = 200
EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
SCHEDULE = ["schedule", "status", "lapses", "due_at"]
Refusal = sandbox.Refusal


@dataclass(slots=True)
class Taken:
    """What came of an import."""

    new: int = 0
    known: int = 0
    reviews: int = 0
    decks: list[Deck] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        told = [_counted(ngettext("%(count)s new card", "%(count)s new cards", self.new), self.new)]
        if self.reviews:
            reviews = ngettext("%(count)s review", "%(count)s reviews", self.reviews)
            told.append(_counted(reviews, self.reviews))
        if self.known:
            known = ngettext(
                "%(count)s that was there already",
                "%(count)s that were there already",
                self.known,
            )
            told.append(_counted(known, self.known))
        return ", ".join(told) + ". " + " ".join(self.notices)


def _counted(told: str, count: int) -> str:
    return told % {"count": count}


def take_in(person: User, workspace: Workspace, path: Path, name: str) -> Taken:
    """Store the file's cards that the person has not yet; raises Refusal for the file's faults."""
    found: list[dict[str, Any]] = []
    taken = Taken()
    for answer in sandbox.answers_of(READER, path, name, SECONDS):
        if "card" in answer:
            found.append(answer["card"])
        else:
            taken.notices.append(restored(answer["skipped"]))
    with transaction.atomic():
        Workspace.objects.select_for_update().get(pk=workspace.pk)  # two imports at once
        _store(person, workspace, found, name, taken)
    return taken


def _store(
    person: User, workspace: Workspace, found: list[dict[str, Any]], name: str, taken: Taken
) -> None:
    guids = [each["guid"] for each in found]
    known = {c.guid: c for c in Card.objects.filter(deck__owner=person, guid__in=guids)}
    taken.known = len(known)
    decks: dict[str, Deck] = {}
    ends: dict[int, int] = {}
    new: dict[str, Card] = {}
    for each in found:
        if each["guid"] in known or each["guid"] in new:
            continue
        deck = _deck(person, workspace, each["deck"] or Path(name).stem, name, decks)
        place = ends.setdefault(deck.pk, cards.end_of(deck))
        ends[deck.pk] += 1
        told = {key: each[key] for key in ("front", "back", "guid", "tags")}
        new[each["guid"]] = Card(deck=deck, ordinal=place, **told)
    Card.objects.bulk_create(new.values(), batch_size=500)
    taken.new, taken.decks = len(new), list(dict.fromkeys(decks.values()))
    history = {each["guid"]: each["reviews"] for each in found if each["reviews"]}
    taken.reviews = _add_reviews(person, known | new, history)


def _add_reviews(
    person: User, mine: dict[str, Card], history: dict[str, list[tuple[int, int, int]]]
) -> int:
    """Merge the reviews that are new, and work out these cards' schedules; returns how many."""
    zone = scheduling.zone_of(person)
    cards_with = [mine[guid] for guid in history if guid in mine]
    stored: dict[int, list[Review]] = defaultdict(list)
    for review in Review.objects.filter(card__in=cards_with):
        stored[review.card_id].append(review)
    fresh, changed = [], []
    for card in cards_with:
        # Anki keeps milliseconds, and a file that was ours comes back with those of ours.
        seen = {_milliseconds(review.at) for review in stored[card.pk]}
        added = [
            r for r in _reviews_of(card, history[card.guid]) if _milliseconds(r.at) not in seen
        ]
        if added:
            merged = sorted([*stored[card.pk], *added], key=lambda review: review.at)
            scheduling.replay(card, merged, zone)
            fresh += added
            changed.append(card)
    Review.objects.bulk_create(fresh, batch_size=1000)
    Card.objects.bulk_update(changed, SCHEDULE, batch_size=500)
    return len(fresh)


def _reviews_of(card: Card, told: list[tuple[int, int, int]]) -> list[Review]:
    latest = timezone.now() + timedelta(days=1)  # a clock may be a little fast
    found = {}
    for at_ms, grade, spent in told:
        if not EARLIEST.timestamp() < at_ms / 1000 < latest.timestamp():
            continue
        at = datetime.fromtimestamp(at_ms // 1000, UTC) + timedelta(milliseconds=at_ms % 1000)
        seconds = spent / 1000 if 0 < spent <= 1000 * scheduling.MOST_SECONDS else None
        found[at_ms] = Review(card=card, grade=grade, at=at, seconds=seconds)
    return list(found.values())


def _milliseconds(at: datetime) -> int:
    return int(at.timestamp() * 1000 + 0.0005)


def _deck(
    person: User, workspace: Workspace, title: str, name: str, decks: dict[str, Deck]
) -> Deck:
    """The deck of that title, made where there is none; the last one beyond the limit."""
    if title not in decks:
        if len(decks) >= MOST_DECKS:
            return next(reversed(decks.values()))
        same: Deck | None = Deck.objects.filter(
            owner=person, workspace=workspace, title=title, mistakes=False
        ).first()
        decks[title] = same or Deck.objects.create(
            owner=person, workspace=workspace, title=title, scope_label=name[:300]
        )
    return decks[title]
