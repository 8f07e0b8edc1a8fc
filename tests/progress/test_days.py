"""Days as they were lived."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.progress import days

ZONES = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kathmandu",
    "Pacific/Kiritimati",
    "Pacific/Pago_Pago",
    "America/Sao_Paulo",
    "Africa/Cairo",
]


@pytest.mark.parametrize(
    ("at", "zone", "day"),
    [
        ("2026-03-01T23:30:00+00:00", "UTC", "2026-03-01"),
        ("2026-03-01T23:30:00+00:00", "Europe/Berlin", "2026-03-02"),
        ("2026-03-01T03:30:00+00:00", "America/New_York", "2026-02-28"),
        ("2026-03-01T11:00:00+00:00", "Pacific/Kiritimati", "2026-03-02"),
        ("2026-03-01T11:00:00+00:00", "no/such_zone", "2026-03-01"),
    ],
)
def test_the_date_is_the_one_on_the_wall(at, zone, day):
    assert days.local_day(datetime.fromisoformat(at), zone) == date.fromisoformat(day)


def test_days_are_23_and_25_hours_long_where_clocks_change():
    def length(day):
        noon = datetime.fromisoformat(f"{day}T12:00:00+01:00")
        begin = days.midnight_after(noon - timedelta(days=1), "Europe/Berlin")
        return days.midnight_after(begin, "Europe/Berlin") - begin

    assert length("2026-03-29") == timedelta(hours=23)
    assert length("2026-10-25") == timedelta(hours=25)
    assert length("2026-05-05") == timedelta(hours=24)


@given(
    st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1)),
    st.integers(0, 3 * 86_400),
    st.sampled_from(ZONES),
)
def test_a_span_falls_on_days_without_loss(begin, length, zone):
    begin = begin.replace(tzinfo=UTC, microsecond=0)
    end = begin + timedelta(seconds=length)
    pieces = list(days.spread(begin, end, zone))
    assert sum(seconds for _, seconds in pieces) == length
    assert all(seconds > 0 for _, seconds in pieces)
    assert [day for day, _ in pieces] == sorted({day for day, _ in pieces})
