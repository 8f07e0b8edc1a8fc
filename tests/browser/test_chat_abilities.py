"""What a large model can do, in a browser: think, use tools, see; and what helps to ask."""

import threading
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from PIL import Image, ImageDraw, ImageFont
from playwright.sync_api import Locator, Page, expect

from apps.chat.models import Answer, Conversation
from apps.library import indexing
from apps.library.models import Chunk, Document
from tests.browser import chromium
from tests.browser.conftest import sign_in
from tests.browser.test_chat import QUESTION, talk
from tests.chat.conftest import wait_until

__all__ = ["talk"]

pytestmark = pytest.mark.browser
WATER = "The moon pulls the water of the oceans [1]."
LARGE = 9_000_000_000


def field(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Question")


@pytest.fixture
def gemma(talk: Conversation, ollama) -> str:
    """A model that can do all of it, chosen for the conversation."""
    ollama.has("gemma", "completion", "tools", "thinking", "vision", size=LARGE)
    Conversation.objects.filter(pk=talk.pk).update(model="gemma:latest")
    return "gemma:latest"


def test_a_model_thinks_where_it_is_told_to_and_uses_tools(page: Page, talk, ollama, gemma):
    go_on, end = threading.Event(), threading.Event()
    ollama.thinks("The moon,").holds(go_on).thinks(" I believe.").calls(
        "calculator", expression="24 / 2"
    )
    ollama.answer().holds(end).says(WATER)
    page.goto(f"/chat/{talk.pk}/")
    page.get_by_role("button", name="Attach and more").click()
    page.get_by_label("Think first").check()
    page.keyboard.press("Escape")
    field(page).fill(QUESTION)
    field(page).press("Enter")
    thoughts = page.locator("[id^=thinking-]")
    expect(page.locator(".answer-status")).to_contain_text("Thinking…")
    expect(thoughts.locator(".thinking")).to_be_hidden()  # folded until somebody wants it
    thoughts.get_by_text("Thinking", exact=True).click()
    expect(thoughts.locator(".thinking")).to_have_text("The moon,")
    go_on.set()
    tools = page.locator("[id^=tools-]")
    expect(tools.locator("summary")).to_have_text("Used tools")
    expect(thoughts.locator(".thinking")).to_have_text("The moon, I believe.")
    end.set()
    expect(page.locator(".text")).to_contain_text("The moon pulls the water")
    expect(thoughts).to_have_attribute("open", "")
    assert ollama.asked[0]["think"] is True
    page.reload()
    expect(page.locator(".thinking").first).to_be_hidden()
    tools.get_by_text("Used 1 tool").click()
    expect(tools).to_contain_text("Calculator expression: 24 / 2")
    expect(tools).to_contain_text("12")
    ollama.says("The sun makes tides rise as well [1].")
    field(page).fill("Does the sun make tides rise?")
    field(page).press("Enter")
    expect(page.locator(".text").last).to_contain_text("The sun makes tides rise")
    assert ollama.asked[-1]["think"] is False  # for one question only
    assert "I believe" not in str(ollama.asked[-1]["messages"])
    expect(page.locator("[id^=thinking-]").last).to_be_hidden()


@pytest.fixture
def notice(tmp_path: Path) -> Path:
    """A picture of words."""
    picture = Image.new("RGB", (900, 200), "white")
    font = ImageFont.load_default(size=48)
    ImageDraw.Draw(picture).text((40, 60), "Notice is three months", "black", font)
    picture.save(tmp_path / "notice.png")
    return tmp_path / "notice.png"


def test_a_picture_is_seen_or_read_as_the_chosen_model_can(page, talk, ollama, gemma, notice):
    ollama.has("blind", "completion", "tools", size=LARGE)
    page.goto(f"/chat/{talk.pk}/")

    def send(question: str) -> None:
        page.locator("#composer input[type=file]").set_input_files(notice)
        thumbnail = page.locator("#tray img")
        expect(thumbnail).to_be_visible(timeout=30_000)
        assert thumbnail.evaluate("(it) => it.decode().then(() => it.naturalWidth)") > 0
        field(page).fill(question)
        field(page).press("Enter")

    ollama.says("It says that notice is three months.")
    send("What does the picture say?")
    expect(page.locator(".text")).to_contain_text("notice is three months")
    expect(page.locator(".answer-sources")).to_contain_text("looks at notice.png itself")
    expect(page.locator(".question img")).to_be_visible()
    assert len(ollama.asked[-1]["messages"][-1]["images"]) == 1
    page.get_by_title("Choose the model").click()
    page.get_by_role("button", name="blind").click()
    expect(page.get_by_title("Choose the model")).to_contain_text("blind")
    ollama.says("Notice is three months [1].")
    send("What is the notice?")
    last = page.locator(".turn").last
    expect(last.locator(".text")).to_contain_text("Notice is three months")
    expect(last.locator(".answer-sources")).to_contain_text("blind does not see images")
    expect(last.locator(".source").first).to_contain_text("Notice is three months")
    assert ollama.asked[-1]["model"] == "blind"
    assert "images" not in ollama.asked[-1]["messages"][-1]


def test_questions_are_offered_before_and_after_an_answer_and_kept(page, talk, ollama):
    sea = Document.objects.get(name="Sea.md")
    Chunk.objects.filter(document=sea).update(heading="Sea › Tides")
    for ordinal, name in enumerate(("Currents", "Waves"), start=1):
        place = {"revision": 1, "ordinal": ordinal, "kind": "section", "number": ordinal}
        place |= {"label": f"Sea › {name}", "text": f"{name} are another matter of the sea."}
        part = sea.parts.create(**place)
        more = {"heading": place["label"], "start": 0, "end": len(part.text), "digest": name}
        indexing.add_words(sea, [sea.chunks.create(part=part, **place, **more)])
    ollama.has("fake", "completion", size=LARGE)
    page.goto("/chat/")
    ollama.says("Currents are another matter [1].")
    page.get_by_role("button", name="about Currents").click()
    expect(page.locator(".text")).to_contain_text("Currents are another matter")
    ollama.says("Waves are another matter, too [1].")
    asked = page.get_by_role("form", name="Questions that follow").get_by_role("button").first
    expect(asked).to_have_text("What does “Sea” say about Waves?")
    asked.click()
    expect(page.locator(".question h2").last).to_have_text("What does “Sea” say about Waves?")
    expect(page.locator(".turn").last.locator(".text")).to_contain_text("another matter, too")
    page.get_by_role("button", name="Attach and more").click()
    page.get_by_role("link", name="Prompt library").click()
    page.get_by_text("Keep a new one").click()
    page.locator(".form [name=title]").fill("Tides")
    page.locator(".form [name=text]").fill(QUESTION)
    page.get_by_role("button", name="Keep", exact=True).click()
    page.get_by_role("link", name="Tides").click()
    expect(field(page)).to_have_value(QUESTION)
    page.set_viewport_size({"width": 390, "height": 800})  # all buttons stand in one row
    more = page.get_by_role("button", name="Attach and more").bounding_box()
    send = page.get_by_role("button", name="Ask", exact=True).bounding_box()
    assert more and send and abs(more["y"] - send["y"]) < 8


def test_dictation_is_cancelled_and_says_what_it_lacks(
    browser, alice: User, talk, address, settings, tmp_path, transactional_db
):
    able = browser.browser_type.launch(
        executable_path=chromium.path(),
        args=[
            *chromium.ARGUMENTS,
            "--use-fake-ui-for-media-stream",
            "--use-fake-device-for-media-stream",
        ],
    )
    context = able.new_context(base_url=address, permissions=["microphone"])
    sign_in(context, alice, address)
    page = context.new_page()
    settings.MODELS_DIR = tmp_path  # nothing is there
    page.goto(f"/chat/{talk.pk}/")
    page.get_by_role("button", name="Speak", exact=True).click()
    expect(page.locator("#voice-missing")).to_contain_text("Pull it on the models page")
    expect(page.locator("#voice-missing").get_by_role("link")).to_be_visible()
    # With a model in its place: Escape forgets what was said, and nothing is sent.
    sent = []
    page.on("request", lambda request: sent.append(request.url))
    page.locator("[data-voice]").evaluate("(it) => it.removeAttribute('popovertarget')")
    page.keyboard.press("Escape")
    page.locator("[data-voice]").click()
    expect(page.locator("#voice-line")).to_contain_text("Listening, 1 s")
    page.keyboard.press("Escape")
    expect(page.locator("#voice-line")).to_have_text("")
    # Sent without one, it says why.
    page.locator("[data-voice]").click()
    expect(page.locator("#voice-line")).to_contain_text("Listening, 1 s")
    assert not [url for url in sent if "dictation" in url]
    page.locator("[data-voice]").click()
    expect(page.locator("#voice-line")).to_contain_text("Pull it on the models page")
    assert field(page).input_value() == ""
    able.close()
    wait_until(lambda: not Answer.objects.exists())
