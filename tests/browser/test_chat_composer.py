"""The composer and the turns in a browser: edit, attach, ask the web, speak."""

import re
import shutil
import threading
from pathlib import Path
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from apps.chat.models import Attachment, Conversation
from apps.library.models import Document
from tests import corpus, recordings
from tests.browser import chromium
from tests.browser.conftest import sign_in
from tests.browser.test_chat import QUESTION, ask, talk
from tests.chat.conftest import add_document, wait_until

__all__ = ["talk"]

pytestmark = pytest.mark.browser
WATER = "The moon pulls the water of the oceans [1]."


def test_a_question_is_edited_undone_and_its_answers_paged(page: Page, talk, ollama):
    ollama.says(WATER)
    ask(page, talk)
    expect(page.locator(".text")).to_contain_text("The moon pulls")
    ollama.says("The sun makes tides rise as well [1].")
    page.locator(".turn").hover()
    page.get_by_role("link", name="Edit", exact=True).click()
    field = page.get_by_label("Your words")
    expect(field).to_have_value(QUESTION)
    field.fill("Does the sun make tides rise?")
    field.press("Enter")
    expect(page.locator(".turn")).to_have_count(1)
    expect(page.locator(".question h2")).to_have_text("Does the sun make tides rise?")
    expect(page.locator(".text")).to_contain_text("The sun makes tides")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".question h2")).to_have_text(QUESTION)
    ollama.says("Because the moon pulls the water of the oceans [1].")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("2 of 2")).to_be_visible()
    page.get_by_role("button", name="The answer before").click()
    expect(page.get_by_text("1 of 2")).to_be_visible()
    expect(page.locator(".text")).to_contain_text(re.compile("^The moon pulls"))


def test_what_stands_beside_an_answer_that_is_being_written(page: Page, talk, ollama):
    """Enter says to wait, toasts keep off the composer, an edit leads to its answer."""
    earlier = talk.turns.create(question="What is the sea?")
    earlier.answers.create(state="finished", text="Water. " * 600)
    go_on = threading.Event()
    ollama.answer().holds(go_on).says(WATER)
    ask(page, talk)
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    field = page.get_by_label("Question")
    field.fill("And the sun?")
    field.press("Enter")
    expect(page.locator("#wait")).to_have_text("Wait for the answer, or stop it first.")
    expect(field).to_have_value("And the sun?")
    page.evaluate(
        """() => {
          const toast = Object.assign(document.createElement("p"), {id: "toast"});
          toast.append("A badge earned");
          document.getElementById("messages").append(toast);
        }"""
    )
    toast, composer = page.locator("#toast").bounding_box(), page.locator("#composer")
    assert toast["y"] + toast["height"] <= composer.bounding_box()["y"]
    go_on.set()
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_enabled()
    expect(page.locator("#wait")).to_have_text("")
    expect(field).to_have_value("And the sun?")
    turn = page.locator(".turn").last
    turn.hover()
    turn.get_by_role("link", name="Edit", exact=True).click()
    ollama.says("The sun makes tides rise as well [1].")
    page.get_by_label("Your words").press("Enter")
    expect(turn.locator(".reply")).to_be_focused()
    expect(turn.locator(".text")).to_contain_text("The sun makes tides")
    page.goto("/chat/")
    page.goto(f"/chat/{talk.pk}/")
    expect(turn).to_be_in_viewport()
    page.goto("/chat/")
    page.goto(f"/chat/{talk.pk}/#turn-{earlier.pk}")
    expect(page.locator(".turn").first.locator("h2")).to_be_in_viewport()


def test_documents_to_ask_are_found_by_their_names(page: Page, talk):
    for name in ("apple.md", "Banana.md", "cherry.md", *(f"note {n}.md" for n in range(8))):
        add_document(talk.workspace, name, "p. 1", f"What {name} says.")
    page.goto(f"/chat/{talk.pk}/")
    page.get_by_text("All documents").click()
    names = [each.strip() for each in page.locator(".scope-choices label").all_text_contents()]
    assert names == sorted(names, key=str.casefold) and names[:2] == ["apple.md", "Banana.md"]
    page.get_by_label("cherry.md").check()
    find = page.get_by_label("Find by name")
    find.fill("BAN")
    expect(page.locator(".scope-choices label:visible")).to_have_text(["Banana.md", "cherry.md"])
    find.press("Enter")
    assert not talk.turns.exists()


def test_files_are_attached_read_sent_and_kept(page: Page, talk, ollama, tmp_path: Path):
    lease = tmp_path / "Lease.md"
    lease.write_text("# Lease\n\nNotice is three months before the end of a quarter.\n")
    page.goto(f"/chat/{talk.pk}/")
    page.get_by_role("button", name="Attach and more").click()
    page.locator("#composer input[type=file]").set_input_files(lease)
    expect(page.locator("#tray")).to_contain_text("Lease.md")
    wait_until(lambda: Attachment.objects.filter(state="ready").exists(), 30)
    expect(page.locator("#tray")).not_to_contain_text("Reading…")
    page.evaluate(
        """() => {
          const data = new DataTransfer();
          data.items.add(new File([new Uint8Array(9)], "tool.exe"));
          const dropped = {dataTransfer: data, bubbles: true, cancelable: true};
          dispatchEvent(new DragEvent("drop", dropped));
        }"""
    )
    bad = page.locator("#tray [data-tone=bad]")
    expect(bad).to_contain_text("tool.exe", timeout=15_000)
    bad.get_by_role("button", name="Remove").click()
    expect(bad).to_have_count(0)
    ollama.says("Notice is three months before the end of a quarter [1].")
    page.get_by_label("Question").fill("What is the notice?")
    page.get_by_label("Question").press("Enter")
    expect(page.locator(".text")).to_contain_text("three months")
    expect(page.locator("#tray > li")).to_have_count(0)
    page.locator("a.chip").click()
    expect(page.locator("#panel")).to_contain_text("Notice is three months")
    page.get_by_role("button", name="Save to library").click()
    expect(page.get_by_role("link", name="In the library")).to_be_visible()
    assert Document.objects.filter(name="Lease.md").exists()


def test_the_web_is_asked_what_was_seen(page: Page, talk, ollama, web, settings):
    settings.WEB_SEARCH = web.url("/html/", host="search.test")
    text = "<article><h1>Tides</h1><p>The moon pulls the water, says the web.</p></article>" * 3
    moon = web.shows("/moon", text)
    link = f'<a class="result__a" href="//duckduckgo.com/l/?uddg={quote(moon, safe="")}">Tides</a>'
    web.shows("/html/?q=Why+do+tides+rise%3F", link)
    page.goto(f"/chat/{talk.pk}/")
    line = page.locator("[name=web_query]")
    expect(line).to_be_hidden()
    page.get_by_role("button", name="Attach and more").click()
    page.get_by_text("Ask the web, too").click()
    page.keyboard.press("Escape")
    page.get_by_label("Question").fill(QUESTION)
    expect(line).to_be_visible()
    expect(line).to_have_value(QUESTION)
    ollama.says("The moon pulls the water, says the web [1].")
    page.get_by_label("Question").press("Enter")
    expect(page.get_by_text("From the web")).to_be_visible()
    expect(page.locator(".source.web").first).to_contain_text("news.test")
    expect(page.locator(".question")).to_contain_text("Web search: “Why do tides rise?”")
    expect(page.locator(".text")).to_contain_text("says the web")
    expect(line).to_be_hidden()  # for one question only


@pytest.fixture
def spoken(tmp_path: Path) -> Path:
    """What Chromium's microphone hears, for ever: somebody reading English."""
    sound = corpus.FOLDER / "made-speech-en.wav"
    if not sound.exists():
        pytest.skip(corpus.ABSENT)
    return Path(shutil.copy(sound, tmp_path / "speech.wav"))


@recordings.heard
def test_what_is_said_comes_into_the_field(
    browser, alice: User, talk, address, spoken, settings, transactional_db
):
    settings.MODELS_DIR = recordings.MODELS
    microphone = [
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-audio-capture={spoken}",
    ]
    able = browser.browser_type.launch(
        executable_path=chromium.path(), args=[*chromium.ARGUMENTS, *microphone]
    )
    context = able.new_context(base_url=address, permissions=["microphone"])
    sign_in(context, alice, address)
    page = context.new_page()
    page.goto(f"/chat/{talk.pk}/")
    page.get_by_role("button", name="Speak", exact=True).click()
    line = page.locator("#voice-line")
    expect(line).to_contain_text("Listening")
    page.wait_for_timeout(6000)
    page.locator("[data-voice]").click()
    expect(line).to_contain_text("Turning your words into text")
    field = page.get_by_role("textbox", name="Question")
    expect(field).to_have_value(re.compile(r"[A-Za-z]{3,}.*[A-Za-z]{3,}"), timeout=60_000)
    expect(line).to_have_text("")
    able.close()
    assert not Conversation.objects.get(pk=talk.pk).turns.exists()  # it waits to be read over
