"""A year of heavy use, measured: run with `-m load -s`."""

import random
import time
from datetime import timedelta
from statistics import median

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.progress import ledger, standing
from apps.progress.kinds import Kind
from apps.progress.models import Event

pytestmark = pytest.mark.load


def test_the_dashboard_of_200_000_events(reader, alice, capsys, django_assert_max_num_queries):
    chance = random.Random(7)
    now = timezone.now()
    kinds = [kind.value for kind in Kind]
    facts = {"document": "7", "section": "Notice", "correct": True, "score": 70}
    Event.objects.bulk_create(
        (
            Event(
                person=alice,
                kind=chance.choice(kinds),
                at=now - timedelta(seconds=chance.randrange(365 * 86_400)),
                facts=facts,
            )
            for _ in range(200_000)
        ),
        batch_size=5000,
    )
    began = time.perf_counter()
    standing.rebuild(alice)
    rebuilt = time.perf_counter() - began

    def timed(act):
        began = time.perf_counter()
        act()
        return 1000 * (time.perf_counter() - began)

    page = [timed(lambda: reader.get(reverse("progress:home"))) for _ in range(9)]
    one = [timed(lambda: ledger.record(alice, "card_flipped")) for _ in range(9)]
    with capsys.disabled():
        print(  # noqa: T201 - it measures
            f"\nrebuild {rebuilt:.1f} s, dashboard {median(page):.0f} ms,"
            f" record {median(one):.1f} ms"
        )
    assert median(page) < 300
    with django_assert_max_num_queries(14):
        reader.get(reverse("progress:home"))
