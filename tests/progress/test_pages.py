"""The dashboard and its pages, as a browser without JavaScript sees them."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from apps.progress import ledger
from apps.progress.models import Event, Standing


@pytest.fixture
def studied(alice):
    """Alice with three days of study, up to now."""
    now = timezone.now()
    for back in (2, 1, 0):
        for n in range(3):  # in one second, so that no midnight falls between them
            at = now - timedelta(days=back, milliseconds=300 - 100 * n)
            ledger.record(alice, "chat_message", at, scoped=back == 0)
    for n in range(4):
        facts = {
            "document": "7",
            "document_name": "Lease.pdf",
            "section": "Notice",
            "correct": n > 2,
        }
        ledger.record(alice, "quiz_answered", now - timedelta(milliseconds=90 - n), **facts)
    ledger.record(
        alice, "quiz_finished", now - timedelta(milliseconds=50), score=62.5, difficulty="advanced"
    )
    return alice


def test_an_empty_ledger_invites(reader):
    page = reader.get(reverse("progress:home")).content.decode()
    assert "Your first day starts with one question" in page
    assert "0 of 25" in page


def test_the_dashboard_tells_the_truth_in_few_queries(
    reader, studied, django_assert_max_num_queries
):
    with django_assert_max_num_queries(15):
        page = reader.get(reverse("progress:home")).content.decode()
    assert "3 days" in page
    assert "Worth another look" in page
    assert "25 % right of 4" in page
    assert "1 finished, 63 % on average" in page
    assert page.count('class="today"') == 1


def test_a_day_and_a_badge_have_pages(reader, studied):
    today = timezone.now().date()
    assert "Asked a question" in reader.get(reverse("progress:day", args=[today])).content.decode()
    assert "Earned on" in reader.get(reverse("progress:badge", args=["streak_3"])).content.decode()
    assert reader.get("/progress/badges/nonsense/").status_code == 404
    assert reader.get("/progress/days/2026-02-31/").status_code == 404


def test_another_persons_study_is_not_shown(reader, alice, bob):
    ledger.record(bob, "chat_message", timezone.now())
    assert "Your first day starts" in reader.get(reverse("progress:home")).content.decode()
    assert (
        json.loads(b"".join(reader.get(reverse("progress:export", args=["json"]))))["events"] == []
    )


def test_progress_goes_out_and_comes_back(reader, studied, bob, client):
    content = b"".join(reader.get(reverse("progress:export", args=["csv"])))
    client.force_login(bob)
    upload = SimpleUploadedFile("progress.csv", content)
    answer = client.post(reverse("progress:import"), {"file": upload}, follow=True)
    assert "14 entries added" in answer.content.decode()
    assert Event.objects.owned_by(bob).count() == 14
    upload = SimpleUploadedFile("x.csv", b"\x00\xff")
    answer = client.post(reverse("progress:import"), {"file": upload}, follow=True)
    assert "not text" in answer.content.decode()


def test_the_browsers_zone_counts_until_one_is_chosen(reader, alice):
    reader.cookies["zone"] = "Asia%2FKathmandu"
    reader.get(reverse("progress:home"))
    assert Standing.objects.get(person=alice).zone == "Asia/Kathmandu"
    reader.post(reverse("progress:zone"), {"zone": "Europe/Berlin"})
    reader.get(reverse("progress:home"))
    assert Standing.objects.get(person=alice).zone == "Europe/Berlin"
    ledger.record(alice, "chat_message", datetime(2026, 5, 5, 22, 30, tzinfo=UTC))
    assert "Asked a question" in reader.get("/progress/days/2026-05-06/").content.decode()
    reader.cookies["zone"] = "<script>"
    assert reader.get(reverse("progress:home")).status_code == 200
