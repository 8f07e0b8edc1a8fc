"""A model is pulled, watched and deleted, as its owner does it."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pytest_django import Settings

from tests.fake_ollama import FakeOllama

pytestmark = pytest.mark.browser


@pytest.fixture(autouse=True)
def _own_folder(settings: Settings, tmp_path: Path) -> None:
    settings.RUN_DIR = tmp_path / "run"


def test_a_download_is_watched_from_any_page_and_ends_by_itself(
    page: Page, ollama: FakeOllama
) -> None:
    ollama.pulls_on.clear()
    page.clock.install()
    page.goto("/models/")
    card = page.locator("li.card").filter(has_text="llama3.2:3b")
    card.get_by_role("button", name="Pull").click()
    bar = page.get_by_role("progressbar", name="Download of llama3.2:3b")
    expect(bar).to_be_visible()
    page.goto("/account/")
    page.set_viewport_size({"width": 390, "height": 844})  # a phone has it below its top bar
    expect(page.get_by_role("progressbar", name="Download of llama3.2:3b")).to_be_visible()
    ollama.pulls_on.set()
    page.clock.fast_forward(2000)  # it asks every two seconds
    expect(page.locator("#models-strip progress")).to_have_count(0, timeout=12_000)
    page.goto("/models/")
    row = page.get_by_role("row").filter(has_text="llama3.2:3b")
    expect(row).to_be_visible()
    page.on("dialog", lambda dialog: dialog.accept())
    row.get_by_role("button", name="Delete").click()
    expect(row).to_have_count(0)
    assert "llama3.2:3b" not in ollama.models


def test_a_download_is_cancelled_and_a_failed_one_dismissed(page: Page, ollama: FakeOllama) -> None:
    ollama.pulls_on.clear()
    page.goto("/models/")
    page.get_by_label("By name").fill("phi4")
    page.get_by_role("button", name="Pull", exact=True).last.click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("heading", name="On their way")).to_have_count(0)
    page.get_by_label("By name").fill("nowhere")
    page.get_by_role("button", name="Pull", exact=True).last.click()
    expect(page.get_by_text("Nobody offers a model named nowhere")).to_be_visible()
    page.get_by_role("button", name="Dismiss").click()
    expect(page.get_by_text("Nobody offers")).to_have_count(0)
