"""A quiz in a browser: played by keyboard to the end, with nothing else on the page."""

import pymupdf
import pytest
from playwright.sync_api import expect

from apps.progress.models import Event
from apps.study.models import Question, Quiz
from tests.browser.conftest import keeps_focus, press
from tests.browser.furnished import faults
from tests.library.passages import document

pytestmark = pytest.mark.browser
SENTENCE = "The notice is three months, in writing."


@pytest.fixture
def quiz(transactional_db, alice):
    home = alice.workspaces.get()
    chunk = document(home, "Lease.pdf", [SENTENCE]).chunks.get()
    quiz = Quiz.objects.create(owner=alice, workspace=home, title="Lease", scope_label="Lease")
    for n in range(2):
        Question.objects.create(
            quiz=quiz,
            ordinal=n,
            type="mcq",
            stem=f"Question {n}?",
            options=["right", "wrong", "false", "bad"],
            answer=0,
            explanation=f"Because of {n}.",
            quote=SENTENCE,
            chunk=chunk,
            document=chunk.document,
            document_name="Lease.pdf",
            label="page 1",
        )
    return quiz


def test_a_quiz_is_played_to_the_end_by_keyboard(page, quiz):
    page.goto(quiz.get_absolute_url())
    expect(page.locator(".rail")).to_be_visible()
    press(page.get_by_role("button", name="Start"))
    for n in range(2):
        expect(page.get_by_text(f"Question {n + 1} of 2")).to_be_visible()
        expect(page.locator(".rail")).to_be_hidden()
        answers = page.locator(".answer").all_inner_texts()
        wanted = "right" if n == 0 else "wrong"
        place = next(k for k, text in enumerate(answers, 1) if wanted in text)
        page.keyboard.press(str(place))
        keeps_focus(page)
        page.keyboard.press("Enter")
        told = "Right." if n == 0 else "Not right."
        expect(page.locator("#player .lede")).to_contain_text(told)
        expect(page.locator("mark")).to_have_text(SENTENCE)
        expect(page.locator("#next")).to_be_focused()
        assert faults(page) == []
        page.keyboard.press("Enter")
        if n == 0:
            expect(page.get_by_text("Question 2 of 2")).to_be_visible()
            keeps_focus(page)
    expect(page.locator(".figure b")).to_have_text("50 %")
    expect(page.locator(".rail")).to_be_visible()
    press(page.get_by_role("button", name="Practise what was wrong"))
    expect(page.get_by_text("Question 1 of 1")).to_be_visible()
    press(page.get_by_role("link", name="Leave, and go on later"), "Shift+Tab")
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_text("Question 1 of 1")).to_be_visible()
    assert Event.objects.filter(kind="quiz_finished").count() == 1


def test_a_printed_quiz_is_its_questions_with_the_answers_on_a_page_of_their_own(page, quiz):
    page.goto(quiz.get_absolute_url())
    page.get_by_text("Rename or delete").click()
    expect(page.get_by_text("Question 1?")).to_be_hidden()
    with pymupdf.open(stream=page.pdf(format="A4"), filetype="pdf") as paper:
        asked, answered = (" ".join(sheet.get_text().split()) for sheet in paper)
    assert "1. Question 0? A. right B. wrong" in asked and "2. Question 1?" in asked
    assert "Answers" in answered and "A. right Lease.pdf, page 1" in answered
    assert not any(words in asked + answered for words in ("Start", "Export", "Delete"))


def test_choosing_a_document_unticks_everything(page, quiz):
    page.goto("/study/quizzes/new/")
    everything = page.get_by_label("Everything in this workspace")
    document = page.get_by_label("Lease.pdf")
    expect(everything).to_be_checked()
    document.check()
    expect(everything).not_to_be_checked()
    everything.check()
    expect(document).not_to_be_checked()
    document.check()
    document.uncheck()
    expect(everything).to_be_checked()
