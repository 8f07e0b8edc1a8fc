"""What is due, over all decks of a workspace: the queue, the count, and the next 30 days."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Count, Exists, Min, OuterRef, Q, QuerySet

from apps.library.models import Workspace
from apps.progress import days
from apps.progress.rounding import half_up
from apps.study import scheduling
from apps.study.models import Card, Deck, Review

AHEAD = timedelta(minutes=20)  # a card being learned is shown this much early to who wants that
FORECAST_DAYS = 30


@dataclass(frozen=True, slots=True)
class Queue:
    """What waits, in figures."""

    due: int  # learned before and due now
    new: int  # new ones that today still takes
    soon: int  # being learned, and due within minutes
    first: datetime | None  # when the first of those is due
    done: int  # reviews since the person's midnight

    @property
    def waiting(self) -> int:
        return self.due + self.new


@dataclass(frozen=True, slots=True)
class Bar:
    """A day of the forecast."""

    day: date
    count: int
    height: int  # of 100
    today: bool

    @property
    def top(self) -> int:
        return 100 - self.height


def cards_of(person: User, workspace: Workspace, deck: Deck | None = None) -> QuerySet[Card]:
    """The person's cards in the workspace, or of one deck."""
    cards = Card.objects.filter(deck__owner=person, deck__workspace=workspace)
    return cards.filter(deck=deck) if deck else cards


def overdue(person: User, workspace: Workspace, at: datetime) -> QuerySet[Card]:
    """The cards that were learned before and are due at that time."""
    return cards_of(person, workspace).filter(due_at__lte=at)


def queue(person: User, workspace: Workspace, at: datetime, deck: Deck | None = None) -> Queue:
    """How much waits at that time."""
    cards = cards_of(person, workspace, deck)
    waiting: dict[str, Any] = cards.aggregate(
        due=Count("pk", filter=Q(due_at__lte=at)),
        new=Count("pk", filter=Q(due_at=None)),
        soon=Count("pk", filter=_soon(at)),
        first=Min("due_at", filter=_soon(at)),
    )
    today = _today(person, at, cards)
    left = max(0, settings.NEW_CARDS_A_DAY - today["firsts"])
    return Queue(
        due=waiting["due"],
        new=min(left, waiting["new"]),
        soon=waiting["soon"],
        first=waiting["first"],
        done=today["done"],
    )


def upcoming(
    person: User,
    workspace: Workspace,
    at: datetime,
    deck: Deck | None = None,
    *,
    ahead: bool = False,
) -> Card | None:
    """The card to show: the longest overdue, then a new one.

    Who wants to go on `ahead` of time is then shown those that are due in minutes.
    """
    cards = cards_of(person, workspace, deck).select_related("deck")
    card = cards.filter(due_at__lte=at).order_by("due_at", "pk").first()
    if card is None and _today(person, at, cards)["firsts"] < settings.NEW_CARDS_A_DAY:
        card = cards.filter(due_at=None).order_by("deck_id", "ordinal", "pk").first()
    if card is None and ahead:
        card = cards.filter(_soon(at)).order_by("due_at", "pk").first()
    return card


def forecast(person: User, workspace: Workspace, at: datetime) -> list[Bar]:
    """How many known cards come back on each of the next 30 days; what is overdue, today."""
    zone = scheduling.zone_of(person)
    today = days.local_day(at, zone)
    until = at + timedelta(days=FORECAST_DAYS)
    due = cards_of(person, workspace).filter(due_at__lt=until).values_list("due_at", flat=True)
    counts = Counter(max(today, days.local_day(each, zone)) for each in due if each)
    return bars(counts, today)


def bars(counts: Mapping[date, int], today: date) -> list[Bar]:
    """A bar for each day, the highest 100."""
    shown = [today + timedelta(days=n) for n in range(FORECAST_DAYS)]
    most = max([counts.get(day, 0) for day in shown] + [1])
    return [
        Bar(day, counts.get(day, 0), _height(counts.get(day, 0), most), day == today)
        for day in shown
    ]


def retention(person: User, workspace: Workspace, at: datetime) -> int | None:
    """Per cent of reviews of the last 30 days that were remembered; None without reviews."""
    since = at - timedelta(days=FORECAST_DAYS)
    cards = cards_of(person, workspace)
    reviews = Review.objects.filter(card__in=cards, at__gte=since, state="review")
    told: dict[str, Any] = reviews.aggregate(
        all=Count("pk"), forgotten=Count("pk", filter=Q(grade=scheduling.AGAIN))
    )
    return half_up(100 * (told["all"] - told["forgotten"]) / told["all"]) if told["all"] else None


def _height(count: int, most: int) -> int:
    return max(half_up(100 * count / most), 2 if count else 0)


def _today(person: User, at: datetime, cards: QuerySet[Card]) -> dict[str, int]:
    """Since the person's midnight: `done`, the reviews of these cards, and `firsts`, how many cards
    of any deck and workspace were seen for the first time."""
    zone = scheduling.zone_of(person)
    midnight = scheduling.midnight(days.local_day(at, zone), zone)
    reviews = Review.objects.filter(card__deck__owner=person, at__gte=midnight)
    earlier = Review.objects.filter(card=OuterRef("card"), at__lt=midnight)
    told: dict[str, int] = reviews.aggregate(
        done=Count("pk", filter=Q(card__in=cards)),
        firsts=Count("card", distinct=True, filter=~Exists(earlier)),
    )
    return told


def _soon(at: datetime) -> Q:
    """Being learned, and due within minutes."""
    return Q(schedule__state__in=[1, 3], due_at__gt=at, due_at__lte=at + AHEAD)
