"""Nothing jumps: what a reader looks at stays where it is while a page grows.

The browser itself counts layout shifts as CLS does: how much of the window moved, and how far;
what follows a key or a click within half a second is the reader's own doing.
"""

import threading

import pytest
from playwright.sync_api import Page, expect

from apps.library.models import Document, Workspace
from apps.library.samples import FOLDER
from tests.browser.test_chat import ask, talk  # noqa: F401  (a fixture)

pytestmark = pytest.mark.browser
State = Document.State
MOST = 0.05
WATCH = """() => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const shift of list.getEntries()) {
      const name = ({ node }) => node?.id || node?.className || node?.nodeName;
      if (!shift.hadRecentInput) window.shifts.push([shift.value, shift.sources.map(name)]);
    }
  }).observe({ type: "layout-shift" });
}"""
OWN_DOING = 600  # milliseconds after which what moves is not the reader's doing any more


def moved(page: Page) -> list[tuple[float, list[str]]]:
    """What has jumped since WATCH, by how much, and what it was."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    shifts: list[tuple[float, list[str]]] = page.evaluate("window.shifts")
    return shifts


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_jumps_while_an_answer_grows(window, alice, talk, ollama, width):  # noqa: F811
    """Neither the question nor what has been read of the answer, nor the field for the next one."""
    found, go_on = threading.Event(), threading.Event()
    text = "The **moon** pulls the water of the oceans [1]. " * 6
    ollama.says(text)
    ollama.answer().holds(found).thinks("Hm. ").says(text, "\n\n", text).holds(go_on).says(
        "\n\n- one [1]\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n", *[text] * 6
    )
    with window(alice, width=width, height=844) as page:
        ask(page, talk)
        expect(page.get_by_role("button", name="Ask")).to_be_enabled()
        page.get_by_label("Question").fill("Why do tides rise twice a day?")
        page.get_by_label("Question").press("Enter")
        expect(page.locator(".sources")).to_have_count(2)
        page.wait_for_timeout(OWN_DOING)
        page.evaluate(WATCH)
        found.set()
        expect(page.locator(".text").last).to_contain_text("The moon pulls")
        go_on.set()
        expect(page.get_by_text("Copy as Markdown")).to_have_count(2)
        shifts = moved(page)
        assert sum(value for value, _ in shifts) < MOST, shifts


def test_nothing_jumps_while_documents_are_read(page: Page, workspace: Workspace) -> None:
    """Rows change their words and lose their bars; a file comes along."""
    for number in range(12):
        state = {"state": State.READING, "total": 40, "done": number, "format": "pdf"}
        Document.objects.create(workspace=workspace, name=f"Report {number}.pdf", **state)
    page.goto("/library/")
    page.evaluate(WATCH)
    page.locator("form[data-upload] input[type=file]").set_input_files(FOLDER / "House rules.md")
    expect(page.locator("#shelf").get_by_role("link", name="House rules.md")).to_be_visible()
    Document.objects.filter(name__startswith="Report").update(state=State.LEARNING, part_count=40)
    expect(page.locator("#shelf")).to_contain_text("Found by words")
    Document.objects.update(state=State.READY, chunk_count=40)
    expect(page.locator("#shelf .status progress")).to_have_count(0)
    shifts = moved(page)
    assert sum(value for value, _ in shifts) < MOST, shifts
