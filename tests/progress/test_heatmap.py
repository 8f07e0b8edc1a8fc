"""Heatmap, weeks and badges: tables of examples."""

from datetime import date, timedelta

import pytest

from apps.progress import badges, heatmap, trends
from apps.progress.rounding import half_up

TODAY = date(2026, 11, 29)  # a Sunday


@pytest.mark.parametrize(
    ("seconds", "level"),
    [(0, 0), (1, 1), (899, 1), (900, 2), (3599, 2), (3600, 3), (10_799, 3), (10_800, 4)],
)
def test_levels(seconds, level):
    assert heatmap.level(seconds) == level


@pytest.mark.parametrize("count", [1, 7, 90, 365])
@pytest.mark.parametrize("shift", range(7))
def test_every_day_of_the_period_has_one_cell(count, shift):
    today = TODAY + timedelta(days=shift)
    columns = heatmap.weeks({}, today, count)
    cells = [cell for column in columns for cell in column.cells if cell]
    assert [cell.day for cell in cells] == [
        today - timedelta(days=n) for n in reversed(range(count))
    ]
    assert all(column.monday.weekday() == 0 for column in columns)
    assert [cell.day for cell in cells if cell.today] == [today]
    assert len(heatmap.rows(columns)) == 7


def test_months_are_labelled_where_they_begin():
    labels = [week.month for week in heatmap.weeks({}, TODAY, 90) if week.month]
    assert [label.isoformat() for label in labels] == ["2026-09-01", "2026-10-01", "2026-11-01"]


def test_the_busiest_weekday_needs_two_to_compare():
    assert heatmap.busiest_weekday({TODAY: 5000}) is None
    busy = {TODAY: 700, TODAY - timedelta(days=2): 5000}
    assert heatmap.busiest_weekday(busy) == TODAY - timedelta(days=2)


def test_twelve_weeks_end_with_this_one():
    bars = trends.week_bars({TODAY: 100, TODAY - timedelta(days=7): 50}, TODAY)
    assert len(bars) == 12
    assert [(bar.seconds, bar.share) for bar in bars[-2:]] == [(50, 0.5), (100, 1.0)]
    assert [bar.current for bar in bars] == [False] * 11 + [True]


def test_halves_round_up():
    assert [half_up(x) for x in (62.5, 63.5, 0.49, 99.5)] == [63, 64, 0, 100]


def test_there_are_25_badges_in_their_groups():
    groups = [badge.group for badge in badges.BADGES]
    assert len(set(badges.BY_CODE)) == 25
    assert {g: groups.count(g) for g in groups} == {
        "chat": 10,
        "quiz": 4,
        "workshop": 4,
        "flashcards": 4,
        "mindmaps": 3,
    }


def test_ladders_lead_to_the_next_target():
    first = badges.BY_CODE["first_question"]
    assert badges.next_in_ladder(first).code == "centurion"
    assert badges.next_in_ladder(badges.BY_CODE["streak_7"]) is None


def test_almost_there_shows_the_closest_begun_ones():
    measures = {"messages": 90, "seconds": 1800, "flips": 49, "night": 0, "quizzes": 10}
    close = badges.almost_there(measures, {"first_question"})
    assert [badge.code for badge in close] == ["card_reviewer", "centurion", "hour_of_power"]
