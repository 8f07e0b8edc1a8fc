"""The chat in a browser: what only a browser can break."""

import re
import threading

import pytest
from django.contrib.auth.models import User
from django.db import connection
from playwright.sync_api import Page, expect

from apps.chat import step_writer, writing
from apps.chat.models import Answer, Conversation
from apps.library.models import Chunk, Document, Part
from tests.browser.conftest import go_to, keeps_focus, press
from tests.browser.furnished import faults
from tests.chat.conftest import PASSAGES, add_document, wait_until

pytestmark = pytest.mark.browser
QUESTION = "Why do tides rise?"
# Keeps what a screen reader would be told of: everything new in a live region.
HEARD = """() => {
  window.heard = [];
  const live = "[role=status], [role=alert], [role=log], [aria-live]:not([aria-live=off])";
  new MutationObserver((changes) => changes.forEach(({ target, addedNodes }) => {
    const region = target.closest?.(live) ?? target.parentElement?.closest(live);
    const said = [...addedNodes].map((node) => node.textContent.trim()).join("");
    if (region && said) window.heard.push(said);
  })).observe(document.body, { childList: true, characterData: true, subtree: true });
}"""


@pytest.fixture
def talk(window, alice: User, ollama):
    home = alice.workspaces.get()
    for name, label, text in PASSAGES:
        add_document(home, name, label, text)
    yield Conversation.objects.create(owner=alice, workspace=home)
    writing.wind_up()
    wait_until(lambda: not step_writer.at_work())
    connection.close()


def ask(page: Page, talk: Conversation, question: str = QUESTION) -> None:
    page.goto(f"/chat/{talk.pk}/")
    page.get_by_label("Question").fill(question)
    page.get_by_label("Question").press("Enter")


def test_an_answer_grows_before_the_readers_eyes(page, talk, ollama):
    begin, go_on = threading.Event(), threading.Event()
    ollama.answer().holds(begin).says("The **moon**").holds(go_on).says(
        " pulls the water of the oceans [1]."
    )
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    ask(page, talk)
    expect(page.locator(".sources")).to_contain_text("Sea.md")  # before any word
    expect(page.get_by_label("Question")).to_have_value("")
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    begin.set()
    text = page.locator(".text")
    expect(text).to_have_text("The moon")
    expect(text).to_have_attribute("aria-busy", "true")
    page.evaluate(HEARD)
    go_on.set()
    expect(text).to_contain_text("pulls the water of the oceans")
    expect(text).not_to_have_attribute("aria-busy", "true")
    expect(page.get_by_role("button", name="Ask")).to_be_enabled()
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)
    page.wait_for_timeout(1200)  # an ended stream that is opened again would show by now
    assert sum("/events/" in url for url in requests) == 1
    assert page.evaluate("window.heard") == ["Answer ready."]


def test_a_citation_opens_its_passage_beside(page, talk, ollama):
    """By the keyboard alone: ask, go to the citation, read the passage, come back."""
    ollama.says("The moon pulls the water of the oceans [1].")
    page.goto(f"/chat/{talk.pk}/")
    go_to(page.get_by_label("Question"))
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    chip = page.locator("a.chip").first
    expect(page.get_by_role("button", name="Ask")).to_be_enabled()
    keeps_focus(page)
    go_to(chip, "Shift+Tab")
    expect(page.locator(".peek").first).to_contain_text("Tides rise because the moon pulls")
    page.keyboard.press("Enter")
    expect(page.locator("#panel")).to_contain_text("Tides rise because the moon pulls")
    expect(page.locator("#panel")).to_contain_text("Sea.md")
    expect(page.locator("#panel")).to_be_focused()
    assert page.url.endswith(f"/chat/{talk.pk}/")
    assert faults(page) == []
    press(page.locator("#panel [data-close-panel]"))
    expect(page.locator("#panel")).to_be_hidden()
    expect(chip).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#panel")).to_be_focused()
    page.keyboard.press("Escape")
    expect(chip).to_be_focused()


def test_a_citation_far_down_in_its_document_is_in_view(page, alice, talk, ollama):
    long = Document.objects.get(name="Sea.md")
    cited = long.parts.get()
    filler = "\n".join(f"Line {number} is about something else." for number in range(400))
    Part.objects.filter(pk=cited.pk).update(text=f"{filler}\n{cited.text}\n{filler}")
    passage = cited.chunks.get()
    moved = {"start": len(filler) + 1, "end": len(filler) + 1 + len(passage.text)}
    Chunk.objects.filter(pk=passage.pk).update(**moved)
    ollama.says("The moon pulls the water of the oceans [1].")
    ask(page, talk)
    page.locator("a.chip").first.click()
    expect(page.locator("#panel #passage").first).to_be_in_viewport()
    page.set_viewport_size({"width": 390, "height": 780})  # on a phone it can still be closed
    expect(page.locator("#panel [data-close-panel]")).to_be_in_viewport()
    expect(page.locator("#panel #passage").first).to_be_in_viewport()
    # In a passage of many lines the sentence that is cited is what is shown.
    Chunk.objects.filter(pk=passage.pk).update(start=0)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.locator("a.chip").first.click()
    expect(page.locator("#panel #passage")).to_contain_text("Line 0")
    expect(page.locator("#panel mark.sentence")).to_have_count(1)  # once the swap has settled
    expect(page.locator("#panel mark.sentence")).to_have_text(passage.text)
    expect(page.locator("#panel mark.sentence")).to_be_in_viewport()


def test_growing_disturbs_neither_selection_nor_what_is_open(page, talk, ollama):
    go_on, end = threading.Event(), threading.Event()
    script = ollama.thinks("Hm.").says("First part.\n\n").holds(go_on)
    script.thinks(" So.").says("The moon pulls the water").holds(end).says(" of the oceans.")
    ask(page, talk)
    expect(page.locator(".text")).to_have_text("First part.")
    page.get_by_text("Thinking", exact=True).click()
    page.get_by_label("Question").fill("half a question")
    page.evaluate("getSelection().selectAllChildren(document.querySelector('.text p'))")
    go_on.set()
    expect(page.locator(".text")).to_contain_text("The moon pulls")
    assert page.evaluate("getSelection().toString()").strip() == "First part."
    end.set()
    expect(page.get_by_role("button", name="Ask")).to_be_visible()
    expect(page.locator("[id^=thinking-]")).to_have_attribute("open", "")
    expect(page.get_by_label("Question")).to_have_value("half a question")


def test_a_closed_tab_is_nothing(window, alice, talk, ollama):
    go_on = threading.Event()
    ollama.says("The moon").holds(go_on).says(" pulls the water of the oceans.")
    with window(alice) as page:
        ask(page, talk)
        expect(page.locator(".text")).to_have_text("The moon")
    go_on.set()
    wait_until(lambda: Answer.objects.get().state == "finished")
    with window(alice) as page:
        page.goto(f"/chat/{talk.pk}/")
        expect(page.locator(".text")).to_contain_text("pulls the water of the oceans")
    assert len(ollama.asked) == 1


def test_stop_in_one_tab_and_try_again_in_the_other(window, alice, talk, ollama):
    ollama.says("Half an").waits(30)
    with window(alice) as one, window(alice) as two:
        ask(one, talk)
        expect(one.locator(".text")).to_have_text("Half an")
        two.goto(f"/chat/{talk.pk}/")
        expect(two.locator(".text")).to_have_text("Half an")
        two.get_by_role("button", name="Stop").click()
        for page in (one, two):
            expect(page.locator(".answer-foot")).to_contain_text("Stopped.")
        assert ollama.hung_up
        ollama.says("The moon pulls the water of the oceans [1].")
        press(one.get_by_role("button", name="Try again"))
        expect(one.locator(".text").first).to_contain_text("The moon pulls")
        expect(one.locator(".turn")).to_have_count(1)
        expect(one.get_by_text("2 of 2")).to_be_visible()
        keeps_focus(one)


def test_waiting_is_counted_and_stop_is_heard_at_once(page, talk, ollama):
    ollama.answer().waits(30)
    held = []
    page.route("**/stop/", lambda route: held.append(route))
    ask(page, talk)
    expect(page.locator(".answer-status")).to_contain_text("waiting for the model…")
    expect(page.locator("[data-waited]")).to_have_text(re.compile(r"^[1-9]\d* s$"))
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Stopping…")).to_be_visible()
    held[0].continue_()
    expect(page.locator(".answer-foot")).to_contain_text("Stopped.")
    expect(page.locator("[data-waited]")).to_have_count(0)
    expect(page.get_by_role("button", name="Ask")).to_be_visible()


def test_without_javascript(window, alice, talk, ollama):
    ollama.says("The moon").waits(1).says(" pulls the water of the oceans.")
    with window(alice, java_script_enabled=False) as page:
        page.goto("/chat/")
        page.get_by_role("textbox", name="Question").fill(QUESTION)
        page.get_by_role("button", name="Ask").click()
        expect(page.locator(".text")).to_contain_text("pulls the water")  # it looks by itself
        ollama.says("The sun makes tides rise as well [1].")
        page.get_by_role("link", name="Edit").click()
        page.get_by_label("Your words").fill("Does the sun make tides rise?")
        page.get_by_role("button", name="Ask again").click()
        expect(page.locator(".text")).to_contain_text("The sun makes tides")
        page.locator("a.chip").first.click()
        expect(page.locator("#viewer mark")).to_contain_text("The sun makes tides rise")
        page.go_back()
        ollama.answer().waits(30)
        page.get_by_role("textbox", name="Question").fill(QUESTION)
        page.get_by_role("button", name="Ask").click()
        page.get_by_role("button", name="Stop").click()
        expect(page.locator(".answer-foot").last).to_contain_text("Stopped.")
