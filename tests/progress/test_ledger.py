"""The ledger in the database: live, late, merged and rebuilt."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.progress import exporting, ledger, standing
from apps.progress.models import Award, Day, Event, StudySession

NOON = datetime(2026, 5, 5, 12, tzinfo=UTC)


def state(person):
    """Everything drawn from the person's ledger."""
    kept = standing.fresh(person)
    days = Day.objects.filter(person=person).values_list("day", "seconds", "sessions", "kinds")
    sessions = StudySession.objects.filter(person=person)
    return (
        kept.tally,
        list(days),
        list(sessions.values_list("began_at", "ended_at", "seconds", "acts")),
        sorted(Award.objects.filter(person=person).values_list("badge", "at", "day")),
    )


def test_a_key_is_noted_once(alice):
    assert [b.code for b in ledger.record(alice, "chat_message", NOON, key="turn-1")] == [
        "first_question"
    ]
    assert ledger.record(alice, "chat_message", NOON, key="turn-1") == []
    assert Event.objects.owned_by(alice).count() == 1


def test_an_unknown_kind_is_refused(alice):
    with pytest.raises(ValueError, match="card_juggled"):
        ledger.record(alice, "card_juggled")


def test_a_document_that_becomes_ready_is_no_study(alice):
    ledger.record(alice, "document_added", NOON)
    assert not Day.objects.exists()
    assert not StudySession.objects.exists()
    assert Event.objects.count() == 1


def test_one_person_is_not_another(alice, bob):
    ledger.record(alice, "chat_message", NOON)
    assert not Award.objects.filter(person=bob).exists()
    assert state(bob)[1:] == ([], [], [])


times = st.lists(
    st.tuples(
        st.sampled_from(["chat_message", "card_flipped", "quiz_finished", "lesson_completed"]),
        st.integers(0, 6 * 86_400),
        st.integers(0, 100),
    ),
    min_size=1,
    max_size=25,
    unique_by=lambda act: act[1],
)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(times, st.randoms(use_true_random=False))
def test_any_order_of_arrival_and_a_rebuild_give_the_same(db, acts, shuffler):
    states = []
    for order in (sorted(acts, key=lambda act: act[1]), shuffler.sample(acts, len(acts))):
        person = User.objects.create_user(uuid.uuid4().hex)
        for kind, offset, score in order:
            ledger.record(person, kind, NOON + timedelta(seconds=offset), score=score)
        states.append(state(person))
        standing.rebuild(person)
        states.append(state(person))
    assert all(each == states[0] for each in states)


def test_an_export_merges_without_doubling(alice, bob):
    for n in range(20):
        key = f"k{n}" if n % 2 else None
        ledger.record(alice, "chat_message", NOON + timedelta(minutes=7 * n), key=key, scoped=True)
    as_json = "".join(exporting.as_json(alice)).encode()
    as_csv = "".join(exporting.as_csv(alice)).encode()
    assert exporting.read_back(alice, as_json) == 0
    assert exporting.read_back(bob, as_csv) == 20
    assert exporting.read_back(bob, as_json) == 0
    assert state(alice) == state(bob)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff\xfe\x00", "not text"),
        (b"{", "cannot be read"),
        (b'{"format": "other"}', "not an export"),
        (b'{"format": "vaultsite-progress", "events": 7}', "no list"),
        (b'{"format": "vaultsite-progress", "events": [7]}', "Entry 1"),
        (b"a,b\n1,2\n", "first row differs"),
        (
            b"at,zone,kind,key,facts\n2026-01-01T00:00:00+00:00,UTC,chat_message,,nonsense\n",
            "Line 2",
        ),
        (b'at,zone,kind,key,facts\n2026-01-01T00:00:00,UTC,chat_message,,"{}"\n', "Entry 1"),
        (b"{" * 100_000, "cannot be read"),
    ],
)
def test_what_is_no_export_is_refused_in_words(alice, content, words):
    with pytest.raises(exporting.UnreadableExport, match=words):
        exporting.read_back(alice, content)
    assert not Event.objects.exists()
