"""The owner looks at what left the vault, and sees an attempt appear."""

import pytest
from playwright.sync_api import Page, expect

from apps.outbound import guard, trying

pytestmark = pytest.mark.browser


def test_a_refused_attempt_appears_while_one_looks(page: Page) -> None:
    page.clock.install()
    page.goto("/account/")
    page.get_by_role("link", name="outbound since the start").click()
    expect(page.get_by_role("heading", name="Audit", exact=True)).to_be_visible()
    dial = page.locator(".reading-dial b")
    left = dial.inner_text()  # other tests of this run have declared some
    attempt = page.get_by_role("row").filter(has_text="test of the panel in Chromium")
    expect(attempt).to_have_count(0)
    with guard.allowed("test of the panel in Chromium"):
        assert trying.is_refused()
    page.clock.fast_forward(5000)  # by itself: it asks every five seconds
    expect(attempt).to_have_count(1, timeout=12_000)
    expect(attempt).to_contain_text("refused")
    expect(attempt).to_contain_text("192.0.2.1:443")
    expect(dial).to_have_text(left)
