"""Progress in a browser: a day of the heatmap opens beside it, a badge says so at once."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from apps.progress import ledger
from apps.study.models import Card, Deck

pytestmark = pytest.mark.browser


def test_a_day_of_the_heatmap_opens_beside_it(page: Page, alice):
    for minutes in (9, 5, 0):
        ledger.record(alice, "chat_message", timezone.now() - timedelta(days=3, minutes=minutes))
    page.goto("/progress/")
    day = timezone.localdate() - timedelta(days=3)
    page.locator(f'a[href="/progress/days/{day}/"]').click()
    panel = page.locator("#panel")
    expect(panel).to_contain_text("9 min in 1 session")
    expect(panel).to_contain_text("First Question")
    panel.get_by_role("link", name="Close").click()
    expect(panel).to_be_empty()


def test_the_period_changes_without_leaving_the_page(page: Page, alice):
    page.goto("/progress/")
    page.get_by_role("link", name="A year").click()
    expect(page.locator("table.heat.year")).to_be_visible()
    expect(page.locator(".heat td.today")).to_have_count(1)


def test_the_browsers_time_zone_is_taken_over(page: Page, alice):
    page.goto("/progress/")
    page.goto("/progress/")
    told = page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone")
    expect(page.get_by_label("Time zone")).to_have_value(told)


def test_the_cards_that_come_back_are_drawn(page: Page, alice, workspace):
    deck = Deck.objects.create(owner=alice, workspace=workspace, title="Lease")
    due = timezone.now() + timedelta(days=2)
    Card.objects.create(deck=deck, ordinal=0, front="a", back="b", guid="1", due_at=due)
    ledger.record(alice, "card_graded", grade=3)
    page.goto("/progress/")
    expect(page.get_by_role("heading", name="Coming back")).to_be_visible()
    expect(page.locator(".coming .forecast li")).to_have_count(30)
