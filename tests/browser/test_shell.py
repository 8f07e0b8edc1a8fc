"""The frame of all pages, as a person meets it."""

import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, Route, expect

from apps.library.models import Category, Document, Workspace
from tests.browser.conftest import Window

pytestmark = pytest.mark.browser


def test_the_first_visit_makes_the_owner(window: Window) -> None:
    with window() as page:
        page.goto("/study/")
        expect(page.get_by_role("heading", name="This vault is yours")).to_be_visible()
        page.get_by_label("Name to sign in with").fill("ada")
        page.get_by_label("Password", exact=True).fill("correct horse battery")
        page.get_by_label("The same once more").fill("correct horse battery")
        page.get_by_role("button", name="Open the vault").click()
        expect(page.get_by_role("heading", name="Library")).to_be_visible()
    assert User.objects.get().is_superuser


def test_the_theme_is_changed_at_once_and_remembered(page: Page) -> None:
    page.emulate_media(color_scheme="light")
    page.goto("/account/")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    page.get_by_role("button", name="Dark").click()
    expect(page.get_by_role("button", name="Dark")).to_have_attribute("aria-pressed", "true")
    assert page.evaluate(paper) != light
    page.goto("/study/")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.goto("/account/")
    page.get_by_role("button", name="As the system").click()
    assert page.evaluate(paper) == light


def test_a_phone_has_its_sections_at_the_bottom(window: Window, alice: User) -> None:
    with window(alice, width=390, height=844) as page:
        page.goto("/study/")
        sections = page.get_by_role("navigation", name="Sections")
        expect(sections).to_have_count(1)
        links = sections.get_by_role("link")
        expect(links).to_have_text(["Chat", "Library", "Study", "Progress"])
        assert sections.bounding_box()["y"] > 700
        sections.get_by_role("link", name="Progress").click()
        expect(page.get_by_role("heading", name="Progress")).to_be_visible()


def test_a_wide_window_has_its_rail(page: Page) -> None:
    page.goto("/study/")
    rail = page.locator(".rail")
    expect(rail.get_by_role("link", name="Study")).to_have_attribute("aria-current", "true")
    page.get_by_role("button", name="alice").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(page.get_by_role("status")).to_have_text("You are signed out.")


def test_the_first_tab_skips_to_the_content(page: Page) -> None:
    page.goto("/study/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()


def test_the_policy_is_in_force(page: Page, complaints: list[str]) -> None:
    """An image from elsewhere is refused, so the empty console of all other stories counts."""
    page.goto("/study/")
    page.evaluate("document.body.append(Object.assign(new Image(), {src: 'http://127.0.0.1:9/x'}))")
    page.wait_for_timeout(300)
    assert any("Content Security Policy" in said for said in complaints)
    complaints.clear()


def test_a_second_person_sees_nothing_of_the_first(
    window: Window, workspace: Workspace, bob: User
) -> None:
    Category.objects.create(workspace=workspace, name="Love letters")
    document = Document.objects.create(workspace=workspace, name="To Ada.txt")
    with window(workspace.owner) as page:
        page.goto("/library/")
        expect(page.locator("main")).to_contain_text("To Ada.txt")
        expect(page.locator(".rail")).to_contain_text("Love letters")
    with window(bob) as page:
        page.goto("/library/")
        expect(page.get_by_role("heading", name="Library")).to_be_visible()
        expect(page.locator("body")).not_to_contain_text("To Ada.txt")
        expect(page.locator("body")).not_to_contain_text("Love letters")
        answer = page.request.get(document.get_absolute_url())
        assert answer.status == 404 and "There is nothing here" in answer.text()


def test_a_key_leads_to_the_search(page: Page) -> None:
    page.goto("/study/")
    page.keyboard.press("/")
    expect(page).to_have_url(re.compile(r"/search/$"))


def test_keys_lead_anywhere(page: Page) -> None:
    """Ctrl K, a few letters, Enter: also where Enter is quicker than the list."""
    page.goto("/study/")
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Page, document, conversation, quiz")
    expect(field).to_be_focused()
    expect(page.get_by_role("option", name="Chat Page")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    expect(field).to_have_attribute("aria-activedescendant", "place-2")
    page.keyboard.press("Escape")
    expect(field).to_be_hidden()
    page.keyboard.press("Control+k")
    page.keyboard.type("health")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/health/$"))


# htmx looks at the page by a timer of its own, which may come after everything is loaded.
LATE = "const soon = setTimeout; window.setTimeout = (f, ...rest) => soon(f, rest[0] ?? 700)"


def test_a_key_is_heard_before_htmx_is_there(page: Page) -> None:
    page.add_init_script(LATE)
    page.goto("/study/")
    assert not page.locator("#palette input[data-htmx-powered]").count()
    page.keyboard.press("Control+k")
    page.keyboard.type("heal")
    expect(page.get_by_role("option", name="Health")).to_have_attribute("aria-selected", "true")


def test_a_vault_that_does_not_answer_says_so_until_it_is_back(
    page: Page, complaints: list[str]
) -> None:
    page.goto("/library/")
    page.context.set_offline(True)
    page.keyboard.press("Control+k")
    expect(page.get_by_role("alert")).to_contain_text("The vault does not answer")
    page.context.set_offline(False)
    expect(page.get_by_role("alert")).to_be_hidden()
    complaints.clear()


def test_single_keys_can_be_switched_off(page: Page) -> None:
    page.goto("/account/")
    page.get_by_role("group", name="Single keys").get_by_role("button", name="Off").click()
    expect(page.locator("body")).to_have_attribute("data-keys", "off")
    expect(page.locator(".rail kbd[data-single]")).to_be_hidden()
    page.keyboard.press("/")
    page.keyboard.press("?")
    page.keyboard.press("Control+k")  # what comes of a key comes before what comes of the next
    expect(page.get_by_role("combobox", name="Page, document, conversation, quiz")).to_be_focused()
    assert page.url.endswith("/account/")


def test_a_page_on_its_way_shows_it_at_once(page: Page) -> None:
    """A thin line; the page is let through only once it has been seen."""
    met: list[Route | str] = []

    def meet(one: Route | str) -> None:
        met.append(one)
        for each in met if len(met) == 2 else ():
            if isinstance(each, Route):
                each.continue_()

    page.expose_function("shown", lambda: meet("the line"))
    page.goto("/study/")
    page.route("**/progress/", meet)
    page.evaluate("busy.addEventListener('animationstart', () => shown())")
    page.locator(".rail").get_by_role("link", name="Progress").click(no_wait_after=True)
    expect(page.get_by_role("heading", name="Progress", exact=True)).to_be_visible()
    expect(page.locator("#busy")).to_have_css("opacity", "0")
    assert "the line" in met
