"""Searching in a browser: results come while one types, and stay when one comes back."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from apps.library.models import Category, Workspace
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
