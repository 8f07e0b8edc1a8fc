"""Reading a lesson in a browser: written when opened, contents that follow, ticked off."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from apps.study import following, generation
from apps.study.models import Lesson
from tests.fake_ollama import FakeOllama
from tests.study import lessons

pytestmark = pytest.mark.browser


@pytest.fixture
def lesson(alice: User) -> Lesson:
    return lessons.planned(alice, alice.workspaces.get())


@pytest.fixture
def written(lesson: Lesson, ollama: FakeOllama) -> Lesson:
    lessons.lesson(ollama)
    following.write(lesson)
    generation.work_next()
    return lesson


def test_a_lesson_is_written_when_opened(page: Page, lesson: Lesson, ollama: FakeOllama) -> None:
    lessons.lesson(ollama)
    page.goto(lesson.workshop.get_absolute_url())
    page.locator(".book a").click()
    expect(page.get_by_text("Waiting for the worker")).to_be_visible()
    generation.work_next()
    expect(page.get_by_role("heading", name="Key takeaways")).to_be_visible()
    expect(page.get_by_role("button", name="Mark complete")).to_be_visible()


def test_it_is_read_with_contents_that_follow_and_ticked_off(page: Page, written: Lesson) -> None:
    page.set_viewport_size({"width": 1280, "height": 500})
    page.goto(written.get_absolute_url())
    contents = page.get_by_role("navigation", name="Contents")
    expect(contents.locator("[aria-current]")).to_have_text("Introduction")
    contents.get_by_role("link", name="Check yourself").click()
    expect(contents.locator("[aria-current]")).to_have_text("Check yourself")
    page.locator(".reading .chip").first.click()
    expect(page.locator("#source-1")).to_be_in_viewport()
    page.get_by_role("button", name="Mark complete").click()
    expect(page.get_by_text("Complete", exact=True)).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Mark complete").click()
    page.goto(written.workshop.get_absolute_url())
    expect(page.get_by_text("You have completed the lesson")).to_be_visible()
