"""A year of one person's life, with the figures worked out by hand.

Ada lives in Berlin. In January she studies ten minutes on each of five days; in March one evening
runs into the night on which clocks go forward; in May she flies over the date line; in summer her
laptop is offline and what it did arrives weeks late; in October one session spans the night on
which clocks go back; in November she deletes her decks.
"""

from datetime import date, datetime, timedelta

import pytest
from django.contrib.auth.models import User

from apps.progress import dashboard, ledger, standing
from apps.progress.models import Award, Day, Standing, StudySession


def at(text):
    return datetime.fromisoformat(text)


def study(person, kind, begin, minutes, **facts):
    """An act every ten minutes, from `begin` for so many minutes."""
    for n in range(minutes // 10 + 1):
        ledger.record(person, kind, at(begin) + timedelta(minutes=10 * n), **facts)


@pytest.fixture
def ada(db):
    person = User.objects.create_user("ada")
    home(person, "Europe/Berlin")
    for day in range(12, 17):  # five days in a row, ten minutes each
        study(person, "chat_message", f"2026-01-{day}T18:00:00+01:00", 10)
    # 23:40 to 03:40 on the wall is three hours, for 02:00 to 03:00 does not exist.
    study(person, "card_flipped", "2026-03-28T23:40:00+01:00", 180)
    home(person, "Pacific/Honolulu")
    study(person, "lesson_opened", "2026-05-04T20:00:00-10:00", 20)
    home(person, "Pacific/Kiritimati")  # the 5th of May is never lived
    study(person, "lesson_opened", "2026-05-06T12:00:00+14:00", 20)
    home(person, "Europe/Berlin")
    # 23:40 to 03:40 on the wall is five hours, for 02:00 to 03:00 comes twice.
    study(person, "quiz_answered", "2026-10-24T23:40:00+02:00", 300, correct=True)
    ledger.record(
        person, "quiz_finished", at("2026-10-25T03:41:00+01:00"), score=80, difficulty="advanced"
    )
    for n in range(5):
        ledger.record(person, "deck_created", at(f"2026-11-01T10:0{n}:00+01:00"), deck=n)
    # What the laptop did in July arrives in November: one act at 6 am on three days.
    for day in (6, 7, 8):
        ledger.record(person, "chat_message", at(f"2026-07-{day:02}T06:00:00+02:00"), scoped=True)
    return person


def home(person, zone):
    Standing.objects.update_or_create(person=person, defaults={"zone": zone})


def test_the_year_adds_up(ada):
    standing.fresh(ada)
    sums = {day.day.isoformat(): day.seconds / 60 for day in Day.objects.filter(person=ada)}
    assert sums == pytest.approx(
        {
            **{f"2026-01-{day}": 10 for day in range(12, 17)},
            "2026-03-28": 20,
            "2026-03-29": 160,
            "2026-05-04": 20,
            "2026-05-06": 20,
            **{f"2026-07-0{day}": 1 for day in (6, 7, 8)},
            "2026-10-24": 20,
            "2026-10-25": 281,
            "2026-11-01": 4,
        }
    )
    sessions = StudySession.objects.filter(person=ada)
    assert sessions.count() == 5 + 1 + 2 + 3 + 1 + 1
    assert sum(session.seconds for session in sessions) == pytest.approx(60 * sum(sums.values()))


def test_streaks_and_badges_are_those_of_the_year(ada):
    kept = standing.fresh(ada)
    awards = {a.badge: a.day for a in Award.objects.filter(person=ada)}
    assert awards == {
        "first_question": date(2026, 1, 12),
        "streak_3": date(2026, 1, 14),
        "hour_of_power": date(2026, 3, 28),  # 50 minutes in January, the tenth minute at 23:50
        "night_owl": date(2026, 3, 28),
        "deep_diver": date(2026, 3, 29),
        "early_bird": date(2026, 7, 6),
        "curious_mind": date(2026, 7, 6),
        "first_quiz": date(2026, 10, 25),
        "advanced_scholar": date(2026, 10, 25),
        "first_deck": date(2026, 11, 1),
        "deck_collector": date(2026, 11, 1),
    }
    told = dashboard.figures(kept, at("2026-11-02T23:59:00+01:00"))
    assert (told.streak, told.longest, told.studied_today) == (1, 5, False)
    told = dashboard.figures(kept, at("2026-11-03T00:01:00+01:00"))
    assert told.streak == 0


def test_the_flight_over_the_date_line_is_two_days_in_a_row(db):
    person = User.objects.create_user("traveller")
    home(person, "Pacific/Honolulu")
    ledger.record(person, "chat_message", at("2026-05-04T20:20:00-10:00"))
    home(person, "Pacific/Kiritimati")
    ledger.record(person, "chat_message", at("2026-05-06T12:20:00+14:00"))
    assert dashboard.figures(standing.fresh(person), at("2026-05-06T13:00:00+14:00")).streak == 2


def test_a_rebuild_changes_nothing(ada):
    standing.fresh(ada)
    before = list(Day.objects.filter(person=ada).values_list("day", "seconds", "sessions", "kinds"))
    standing.rebuild(ada)
    after = list(Day.objects.filter(person=ada).values_list("day", "seconds", "sessions", "kinds"))
    assert after == before
