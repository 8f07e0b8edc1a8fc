"""Flashcards in a browser: what only a browser can break."""

import pytest
from playwright.sync_api import expect

from apps.study.models import Card, Deck, Review
from tests.browser.conftest import keeps_focus, press
from tests.browser.furnished import faults
from tests.library.passages import document

pytestmark = pytest.mark.browser


@pytest.fixture
def deck(transactional_db, alice):
    home = alice.workspaces.get()
    chunk = document(home, "Lease.pdf", ["The notice is three months, in writing."]).chunks.get()
    deck = Deck.objects.create(owner=alice, workspace=home, title="Lease")
    for n in range(3):
        Card.objects.create(
            deck=deck,
            ordinal=n,
            front=f"Question {n}?",
            back=f"Answer {n}",
            guid=str(n),
            quote="The notice is three months, in writing.",
            chunk=chunk,
            document_name="Lease.pdf",
            label="page 1",
        )
    return deck


def test_a_review_by_keyboard(page, deck):
    page.goto("/study/")
    expect(page.locator(".due .figure b")).to_have_text("3")
    press(page.get_by_role("link", name="Review", exact=True))
    for n in range(3):
        expect(page.locator(".review-front")).to_have_text(f"Question {n}?")
        expect(page.locator(".review-answer")).to_have_count(0)
        page.keyboard.press(" ")
        expect(page.locator(".review-answer")).to_have_text(f"Answer {n}")
        expect(page.locator("mark")).to_contain_text("three months")
        keeps_focus(page)
        page.keyboard.press("4")
    expect(page.get_by_role("heading", name="Done for today")).to_be_visible()
    keeps_focus(page)
    assert faults(page) == []
    page.keyboard.press("u")
    expect(page.locator(".review-front")).to_have_text("Question 2?")
    page.keyboard.press(" ")
    expect(page.locator(".review-answer")).to_be_visible()
    page.keyboard.press("3")
    expect(page.get_by_text("One card comes back in 10 minutes.")).to_be_visible()
    page.get_by_role("link", name="Go on now").click()
    expect(page.get_by_text("Early: nothing else is waiting.")).to_be_visible()
    expect(page.locator(".review-front")).to_have_text("Question 2?")
    assert list(Review.objects.values_list("grade", flat=True)) == [4, 4, 3]
    assert sum(Card.objects.values_list("flips", flat=True)) == 4


def test_cards_are_turned_and_marked(page, deck):
    page.goto(deck.get_absolute_url())
    card = page.locator(".flip").first
    expect(card.get_by_text("Answer 0")).not_to_be_visible()
    card.get_by_text("Question 0?").click()
    expect(card.get_by_text("Answer 0")).to_be_visible()
    expect(card.get_by_text("Question 0?")).not_to_be_visible()
    card.get_by_role("button", name="Got it").click()
    expect(page.get_by_role("link", name="Mastered 1")).to_be_visible()
    expect(page.get_by_role("link", name="Unmarked 2")).to_be_visible()
    page.locator(".flip").nth(1).get_by_role("checkbox").focus()
    page.keyboard.press(" ")
    expect(page.get_by_text("Answer 1")).to_be_visible()
    page.get_by_role("link", name="Unmarked 2").click()
    expect(page.locator(".flip")).to_have_count(2)
    page.wait_for_timeout(300)
    assert list(Card.objects.values_list("flips", flat=True)) == [1, 1, 0]


def test_without_javascript(window, alice, deck):
    with window(alice, java_script_enabled=False) as page:
        page.goto(deck.get_absolute_url())
        page.get_by_text("Question 0?").click()
        expect(page.get_by_text("Answer 0")).to_be_visible()
        page.goto("/study/review/")
        page.get_by_role("button", name="Show the answer").click()
        expect(page.locator(".review-answer")).to_have_text("Answer 0")
        page.get_by_role("button", name="Easy").click()
        expect(page.locator(".review-front")).to_have_text("Question 1?")
        page.get_by_role("button", name="Undo").click()
        expect(page.locator(".review-front")).to_have_text("Question 0?")
    assert not Review.objects.exists()
