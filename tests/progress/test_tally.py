"""The fold: what acts add up to."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.progress.kinds import NOT_STUDY, Kind
from apps.progress.tally import Act, Tally

STUDY = sorted(set(Kind.values) - NOT_STUDY)


def told(*acts, idle=900, minimum=60):
    """A tally of acts given as (kind, time, facts), in Berlin unless said otherwise."""
    tally = Tally(idle, minimum)
    earned = []
    for kind, at, *rest in acts:
        facts = rest[0] if rest else {}
        zone = facts.pop("zone", "Europe/Berlin")
        earned += tally.add(Act(kind, datetime.fromisoformat(at), zone, facts)).badges
    return tally, earned


def test_a_single_act_is_credited_a_minute():
    tally, _ = told(("chat_message", "2026-05-05T10:00:00+02:00"))
    assert tally.seconds == 60


def test_a_gap_of_fifteen_minutes_goes_on_and_a_longer_one_begins_anew():
    tally, _ = told(
        ("chat_message", "2026-05-05T10:00:00+02:00"), ("chat_message", "2026-05-05T10:15:00+02:00")
    )
    assert tally.seconds == 900
    tally, _ = told(
        ("chat_message", "2026-05-05T10:00:00+02:00"), ("chat_message", "2026-05-05T10:15:01+02:00")
    )
    assert tally.seconds == 120


def test_waiting_for_what_is_being_made_is_no_study():
    asked, ready, begun = (f"2026-05-05T10:{at}:00+02:00" for at in ("02", "10", "12"))
    acts = [
        ("chat_message", "2026-05-05T10:00:00+02:00"),
        ("quiz_started", begun, {"waited": [asked, ready]}),
        ("quiz_answered", "2026-05-05T10:13:00+02:00"),
    ]
    tally, _ = told(*acts)
    assert tally.seconds == tally.session.seconds == 5 * 60, "13 minutes, 8 of them waiting"
    again, _ = told(*acts, ("quiz_started", begun.replace("12", "14"), {"waited": [asked, ready]}))
    assert again.seconds == 6 * 60, "another attempt waits for nothing"
    kept = Tally.of(json.loads(json.dumps(tally.kept())), 900, 60)
    assert kept.session == tally.session


@pytest.mark.parametrize("waited", [None, [], ["x", "y"], "soon", [1, 2], ["2026-05-05", "2026"]])
def test_what_an_import_made_of_waiting_stops_nothing(waited):
    tally, _ = told(
        ("chat_message", "2026-05-05T10:00:00+02:00"),
        ("quiz_started", "2026-05-05T10:10:00+02:00", {"waited": waited}),
    )
    assert tally.seconds == 600


def test_a_session_over_midnight_counts_on_both_days():
    tally = Tally(900, 60)
    spent = []
    for at in (
        "2026-05-05T23:50:00+02:00",
        "2026-05-06T00:02:00+02:00",
        "2026-05-06T00:12:00+02:00",
    ):
        spent += tally.add(
            Act("chat_message", datetime.fromisoformat(at), "Europe/Berlin", {})
        ).spent
    sums = {}
    for day, seconds in spent:
        sums[day.isoformat()] = sums.get(day.isoformat(), 0) + seconds
    assert sums == {"2026-05-05": 600, "2026-05-06": 720}
    assert tally.run == 2


def test_over_the_hour_that_does_not_exist_only_lived_time_counts():
    tally, _ = told(
        ("chat_message", "2026-03-29T01:55:00+01:00"),
        ("chat_message", "2026-03-29T03:05:00+02:00"),
    )
    assert tally.seconds == 600


def test_a_traveller_over_the_date_line_keeps_the_streak():
    tally, _ = told(
        ("chat_message", "2026-05-05T20:00:00-10:00", {"zone": "Pacific/Honolulu"}),
        ("chat_message", "2026-05-07T18:00:00+14:00", {"zone": "Pacific/Kiritimati"}),
    )
    assert tally.run == 2


def test_a_traveller_to_the_west_does_not_count_a_date_twice():
    tally, _ = told(
        ("chat_message", "2026-05-06T08:00:00+14:00", {"zone": "Pacific/Kiritimati"}),
        ("chat_message", "2026-05-05T20:00:00-10:00", {"zone": "Pacific/Honolulu"}),
        ("chat_message", "2026-05-06T20:00:00-10:00", {"zone": "Pacific/Honolulu"}),
    )
    assert tally.run == 1


def test_a_missed_day_breaks_the_streak_and_the_longest_stays():
    days = ["01", "02", "03", "05", "06"]
    tally, earned = told(*[("card_flipped", f"2026-05-{d}T10:00:00+02:00") for d in days])
    assert (tally.run, tally.best["streak"]) == (2, 3)
    assert "streak_3" in earned


def test_a_card_flip_is_no_chat_message():
    acts = [("card_flipped", f"2026-05-05T10:{n // 60:02}:{n % 60:02}+02:00") for n in range(120)]
    _, earned = told(*acts)
    assert earned == ["card_reviewer"]


@pytest.mark.parametrize(
    ("hour", "badge"),
    [
        *((21, None), (22, "night_owl"), (0, "night_owl"), (3, "night_owl"), (4, None)),
        *((5, "early_bird"), (7, "early_bird"), (8, None)),
    ],
)
def test_the_hour_of_the_act_counts(hour, badge):
    _, earned = told(("lesson_opened", f"2026-05-05T{hour:02}:59:00+02:00"))
    assert earned == ([badge] if badge else [])


@pytest.mark.parametrize(
    ("facts", "badges"),
    [
        ({"score": 100, "difficulty": "beginner"}, {"first_quiz", "perfect_score"}),
        ({"score": 80, "difficulty": "advanced"}, {"first_quiz", "advanced_scholar"}),
        ({"score": 79, "difficulty": "advanced"}, {"first_quiz"}),
        ({"score": 99, "difficulty": "intermediate"}, {"first_quiz"}),
        ({}, {"first_quiz"}),
    ],
)
def test_quiz_badges_need_the_score(facts, badges):
    _, earned = told(("quiz_finished", "2026-05-05T10:00:00+02:00", facts))
    assert set(earned) == badges


acts = st.lists(
    st.tuples(
        st.sampled_from(STUDY),
        st.integers(0, 40 * 86_400),
        st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Pacific/Auckland"]),
        st.fixed_dictionaries({}, optional={"scoped": st.booleans(), "score": st.integers(0, 100)}),
    ),
    max_size=60,
)


@given(acts)
def test_days_sessions_and_total_agree_and_the_tally_survives_being_kept(drawn):
    begin = datetime(2026, 3, 10, tzinfo=UTC)
    tally = Tally(900, 60)
    by_day: dict[object, float] = {}
    sessions = []
    for kind, offset, zone, facts in sorted(drawn, key=lambda act: act[1]):
        tally = Tally.of(tally.kept(), 900, 60)
        added = tally.add(Act(kind, begin + timedelta(seconds=offset), zone, facts))
        for day, seconds in added.spent:
            by_day[day] = by_day.get(day, 0) + seconds
        if added.new_session:
            sessions.append(0.0)
        sessions[-1] = tally.session.seconds
    assert sum(by_day.values()) == pytest.approx(sum(sessions)) == pytest.approx(tally.seconds)
    assert all(seconds >= 0 for seconds in by_day.values())
