"""Searching in a browser: results come while one types, and stay when one comes back."""

import threading

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from playwright.sync_api import Page, expect
from pytest_django import Settings

from apps.library import second_opinion
from apps.library.models import Category, Workspace
from tests.fake_ollama import CHAT, FakeOllama
from tests.library.passages import document

pytestmark = pytest.mark.browser


@pytest.fixture
def lease(alice: User) -> Workspace:
    workspace = alice.workspaces.get()
    law = Category.objects.create(workspace=workspace, name="Law")
    texts = ["The tenant may end the lease with three months of notice.", "Rent is due monthly."]
    document(workspace, "Lease.pdf", texts, category=law)
    document(workspace, "rivers.txt", [f"Chapter {n} tells of rivers." for n in range(20)])
    return workspace


def test_results_come_while_typing(page: Page, lease: Workspace) -> None:
    page.goto("/search/")
    field = page.get_by_role("searchbox")
    expect(field).to_be_focused()
    field.press_sequentially("tenant notice", delay=20)
    expect(page.locator("#results mark").first).to_have_text("tenant")
    expect(field).to_be_focused()
    expect(page).to_have_url("/search/?q=tenant+notice")
    field.fill("zeppelin")
    expect(page.get_by_text("No passage has these words")).to_be_visible()
    field.fill("")
    expect(page.get_by_text("Ask in your own words")).to_be_visible()


def test_a_filter_keeps_the_question(page: Page, lease: Workspace) -> None:
    page.goto("/search/?q=rivers+rent")
    page.locator("#results").get_by_role("link", name="Law").click()
    expect(page.get_by_role("searchbox")).to_have_value("rivers rent")
    expect(page.locator("#results .locator a", has_text="rivers.txt")).to_have_count(0)


def test_a_hit_opens_at_its_passage(page: Page, lease: Workspace) -> None:
    page.goto("/search/?q=tenant")
    page.locator("#results .locator a").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Lease")
    page.go_back()
    expect(page.locator("#results mark").first).to_have_text("tenant")


def test_arrow_keys_go_through_what_is_open_and_open_what_is_folded(
    page: Page, lease: Workspace
) -> None:
    page.goto("/search/?q=chapter+gold+silver+verse+storm+winter+harbour")
    field, fold = page.get_by_role("searchbox"), page.locator("#results summary[data-stop]")
    field.focus()
    shown = page.locator("#results [data-result]:visible")
    expect(shown).to_have_count(5)
    for n in range(5):
        page.keyboard.press("ArrowDown")
        expect(shown.nth(n)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(fold).to_be_focused()
    page.keyboard.press("ArrowDown")  # the end: what is folded is no stop
    expect(fold).to_be_focused()
    page.keyboard.press("Enter")
    expect(shown.nth(5)).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(shown.nth(5)).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(shown.nth(4)).to_be_focused()


def test_escape_selects_a_question_before_it_clears_it(page: Page, lease: Workspace) -> None:
    page.goto("/search/")
    field = page.get_by_role("searchbox")
    field.fill("A long question about the tenant and the notice")
    field.press("Escape")
    expect(field).to_have_value("A long question about the tenant and the notice")
    field.press("Escape")
    expect(field).to_have_value("")


def test_the_model_is_asked_on_enter_and_left_alone_on_typing_on(
    page: Page, lease: Workspace, ollama: FakeOllama, settings: Settings
) -> None:
    settings.CHAT_MODEL = CHAT
    cache.clear()
    second_opinion._writer.cache_clear()
    page.goto("/search/")
    page.get_by_role("button", name="Let the language model look again").click()
    field = page.get_by_role("searchbox")
    begun, held = threading.Event(), threading.Event()
    script = ollama.answer()
    script.acts.append(lambda _: begun.set())
    script.holds(held)
    field.fill("tenant rent")
    expect(page.get_by_text("Enter asks fake.")).to_be_visible()
    assert not ollama.asked
    field.press("Enter")
    expect(page.get_by_text("is looking again")).to_be_visible()
    expect(page.locator("#results mark").first).to_be_visible()
    assert begun.wait(15)
    field.press_sequentially(" lease", delay=20)
    expect(page.get_by_text("is looking again")).to_have_count(0)
    expect(page.get_by_text("Enter asks fake.")).to_be_visible()
    held.set()
    ollama.says('{"best": [2]}')
    field.press("Enter")
    expect(page.get_by_text("Re-ordered by fake")).to_be_visible()
    expect(field).to_be_focused()
