"""When cards come back: grades, intervals, the queue, taking a grade back."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import settings as pace
from hypothesis import strategies as st

from apps.library.models import Coverage
from apps.progress.models import Event, Standing
from apps.study import due, scheduling
from apps.study.models import Card, Deck, Review
from tests.library.passages import document

MORNING = datetime(2026, 11, 30, 9, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def deck(alice, workspace):
    return Deck.objects.create(owner=alice, workspace=workspace, title="Lease")


@pytest.fixture
def chunk(workspace):
    return document(workspace, "Lease.pdf", ["The notice is three months."]).chunks.get()


def card_of(deck, n=0, **more):
    return Card.objects.create(deck=deck, ordinal=n, front=f"Q{n}?", back=f"A{n}", guid=n, **more)


def graded(card, *grades, at=MORNING, every=DAY):
    for n, grade in enumerate(grades):
        scheduling.grade(card, grade, at + n * every)
    card.refresh_from_db()
    return card


@pytest.mark.parametrize(
    ("grades", "words"),
    [
        ((), ["1 min", "6 min", "10 min", "8 d"]),
        ((4,), ["10 min", "11 d", "26 d", "45 d"]),
    ],
)
def test_each_button_tells_what_it_does(deck, grades, words):
    card = graded(card_of(deck), *grades)
    at = card.due_at + timedelta(hours=9) if grades else MORNING
    told = scheduling.choices(card, at, "UTC")
    assert [choice.name for choice in told] == ["Again", "Hard", "Good", "Easy"]
    if not grades:
        assert [choice.interval for choice in told] == words
    for choice in told:
        again = Card.objects.get(pk=card.pk)
        memory, _ = scheduling.after(again, choice.grade, at, "UTC")
        gap = datetime.fromisoformat(memory["due"]) - at
        assert choice.interval == scheduling.in_words(gap)


@pytest.mark.parametrize(
    ("gap", "words"),
    [
        (timedelta(seconds=20), "1 min"),
        (timedelta(minutes=10), "10 min"),
        (timedelta(hours=5), "5 h"),
        (3 * DAY, "3 d"),
        (76 * DAY, "2.5 mo"),
        (438 * DAY, "1.2 y"),
    ],
)
def test_intervals_in_words(gap, words):
    assert scheduling.in_words(gap) == words


grades = st.integers(1, 4)
gaps = st.floats(0, 400)


@pace(max_examples=60, deadline=None)
@given(st.lists(st.tuples(grades, gaps), max_size=8), st.sampled_from(["UTC", "Europe/Berlin"]))
def test_due_never_before_graded_and_better_grades_come_later(history, zone):
    card, at = Card(pk=1), MORNING
    for grade, gap in history:
        at += timedelta(days=gap)
        card.schedule, card.due_at = scheduling.after(card, grade, at, zone)
        assert card.due_at > at
    dues = [scheduling.after(card, grade, at + DAY, zone)[1] for grade in scheduling.GRADES]
    assert dues == sorted(dues)


def test_days_are_the_persons_own(deck, alice):
    """Graded late in the evening for a day, it is due in the morning, and that is a day later."""
    Standing.objects.update_or_create(person=alice, defaults={"zone": "Pacific/Auckland"})
    card = graded(card_of(deck), 4)
    local = card.due_at.astimezone(scheduling.days.zone("Pacific/Auckland"))
    assert (local.hour, local.minute) == (0, 0)
    evening = datetime(2026, 11, 30, 21, tzinfo=UTC)
    memory, _ = scheduling.after(Card(pk=1), 3, evening, "UTC")
    later = Card(pk=1, schedule=memory)
    next_morning, _ = scheduling.after(later, 3, evening + timedelta(hours=10), "UTC")
    next_evening, _ = scheduling.after(later, 3, evening + DAY, "UTC")
    assert next_morning["stability"] == pytest.approx(next_evening["stability"])


def test_three_weeks_of_stability_are_mastered_and_a_lapse_is_not(deck, chunk, alice):
    card = graded(card_of(deck, chunk=chunk), 4)
    assert card.status == "review"
    assert Coverage.objects.get().tested_at
    scheduling.grade(card, 4, card.due_at)
    card.refresh_from_db()
    assert (card.status, card.schedule["stability"] >= 21) == ("mastered", True)
    assert Coverage.objects.get().mastered_at
    assert Event.objects.filter(kind="deck_mastered").count() == 1
    scheduling.grade(card, 1, card.due_at)
    card.refresh_from_db()
    assert (card.status, card.lapses) == ("review", 1)
    assert Coverage.objects.get().mastered_at is None
    states = Event.objects.filter(kind="card_graded").order_by("pk").values_list("facts", flat=True)
    assert [(facts["grade"], facts["state"]) for facts in states] == [
        (4, "new"),
        (4, "review"),
        (1, "review"),
    ]


def test_a_mark_by_hand_stays_until_a_lapse(deck):
    card = card_of(deck)
    scheduling.mark(card, "mastered")
    assert graded(card, 3).status == "mastered"
    assert graded(card, 1, at=MORNING + DAY).status == "review"
    with pytest.raises(ValueError):
        scheduling.mark(card, "perfect")


def test_a_deck_is_mastered_once(deck):
    one, two = card_of(deck, 0), card_of(deck, 1)
    scheduling.mark(one, "mastered")
    assert not Event.objects.filter(kind="deck_mastered").exists()
    for _ in range(2):
        scheduling.mark(two, "mastered")
        scheduling.mark(two, "review")
    assert Event.objects.filter(kind="deck_mastered").count() == 1


def test_two_tabs_that_grade_the_same_card_count_once(deck):
    card = card_of(deck)
    scheduling.grade(card, 3, MORNING, seen=0)
    with pytest.raises(scheduling.Stale):
        scheduling.grade(card, 1, MORNING, seen=0)
    assert [review.grade for review in card.reviews.all()] == [3]
    with pytest.raises(ValueError):
        scheduling.grade(card, 5, MORNING, seen=1)


def test_the_last_grade_is_taken_back_once_and_counted_once(deck, alice):
    card = graded(card_of(deck), 4)
    kept = (card.schedule["stability"], card.due_at, card.status, card.lapses)
    graded(card, 1, at=card.due_at)
    assert scheduling.last_graded(alice) == card
    assert scheduling.undo(alice, card)
    card.refresh_from_db()
    assert (card.schedule["stability"], card.due_at, card.status, card.lapses) == kept
    assert not scheduling.undo(alice, card)
    assert scheduling.last_graded(alice) is None
    graded(card, 3, at=card.due_at)
    facts = Event.objects.filter(kind="card_graded").order_by("pk").values_list("facts", flat=True)
    assert [(each["grade"], each["state"]) for each in facts] == [(4, "new"), (3, "review")]


def test_eight_lapses_make_a_leech(deck):
    card = graded(card_of(deck), 4)
    for n in range(8):
        assert not scheduling.is_leech(card)
        card = graded(card, 1, 3, 3, at=card.due_at, every=timedelta(minutes=15))
        assert card.lapses == n + 1
    assert scheduling.is_leech(card)


def test_a_clock_that_went_back_does_no_harm(deck):
    card = graded(card_of(deck), 4)
    assert graded(card, 3, at=MORNING - 40 * DAY).due_at > MORNING


def test_a_replayed_history_ends_where_the_grades_did(deck):
    card = graded(card_of(deck), 4, 3, 1, 3)
    kept = {key: value for key, value in card.schedule.items() if key != "before"}
    due_at = card.due_at
    scheduling.replay(card, card.reviews.all(), "UTC")
    assert (card.schedule, card.due_at, card.lapses) == (kept, due_at, 1)


def test_the_queue_is_overdue_first_then_new_up_to_the_limit(deck, alice, workspace, settings):
    settings.NEW_CARDS_A_DAY = 2
    early, late = (card_of(deck, n, due_at=MORNING - (2 - n) * DAY) for n in range(2))
    for card in (early, late):
        Review.objects.create(card=card, grade=3, at=MORNING - 9 * DAY, state="new")
    for n in range(3):
        card_of(deck, 10 + n)
    card_of(deck, 20, due_at=MORNING + DAY)
    waiting = due.queue(alice, workspace, MORNING)
    assert (waiting.due, waiting.new, waiting.done, waiting.waiting) == (2, 2, 0, 4)
    shown = []
    for minute in range(6):
        at = MORNING + timedelta(minutes=minute)
        if card := due.upcoming(alice, workspace, at):
            shown.append(card.ordinal)
            scheduling.grade(card, 4, at)
    assert shown == [early.ordinal, late.ordinal, 10, 11]
    assert due.queue(alice, workspace, MORNING + timedelta(minutes=9)).done == 4
    assert due.queue(alice, workspace, MORNING + DAY).new == 1


def test_a_card_being_learned_is_shown_early_only_to_who_wants_that(deck, alice, workspace):
    card = graded(card_of(deck), 1)
    soon = MORNING + timedelta(seconds=5)
    assert due.upcoming(alice, workspace, soon) is None
    assert due.upcoming(alice, workspace, soon, ahead=True) == card
    graded(card, 3, at=MORNING + timedelta(seconds=9))
    waiting = due.queue(alice, workspace, MORNING + timedelta(minutes=1))
    assert (waiting.soon, waiting.first) == (1, card.due_at)
    assert due.upcoming(alice, workspace, card.due_at) == card


def test_only_ones_own_cards_of_this_workspace_wait(deck, bob, alice, workspace):
    other = alice.workspaces.create(name="Other")
    card_of(deck)
    assert due.queue(bob, workspace, MORNING).waiting == 0
    assert due.queue(alice, other, MORNING).waiting == 0
    assert due.upcoming(alice, other, MORNING) is None


def test_the_forecast_counts_what_is_overdue_today(deck, alice, workspace):
    for n, days in enumerate((-3, 0, 1, 1, 29, 31)):
        card_of(deck, n, due_at=MORNING + days * DAY)
    card_of(deck, 9)
    told = due.forecast(alice, workspace, MORNING)
    assert len(told) == 30
    assert [bar.count for bar in told[:3]] == [2, 2, 0]
    assert told[29].count == 1
    assert (told[0].today, told[0].height, told[2].height) == (True, 100, 0)


def test_retention_is_of_cards_that_were_known(deck, alice, workspace):
    assert due.retention(alice, workspace, MORNING) is None
    card = card_of(deck)
    for grade, state in ((1, "new"), (1, "review"), (3, "review"), (4, "review")):
        Review.objects.create(card=card, grade=grade, at=MORNING, state=state)
    assert due.retention(alice, workspace, MORNING) == 67


def test_settings_are_checked():
    assert scheduling.scheduler("", 90).desired_retention == 0.9
    assert scheduling.scheduler("", 20).desired_retention == 0.7
    with pytest.raises(ValueError):
        scheduling.scheduler("1,2,3", 90)
