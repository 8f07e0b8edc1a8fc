"""Every act works with links and forms alone; only streaming and drag and drop need more."""

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile as File
from django.test import Client

from apps.library.models import Document
from apps.study.models import Attempt, Card, Deck, Lesson, Mindmap, Question, Quiz, Review, Workshop
from tests.library.passages import document
from tests.paper import Paper

SENTENCE = "The notice is three months, in writing."
PASSWORD = "correct horse battery"


@pytest.fixture
def paper(client: Client) -> Paper:
    return Paper(client)


@pytest.fixture
def mine(reader: Client) -> Paper:
    """The same, signed in as Alice."""
    return Paper(reader)


def test_the_first_visit_and_the_account(paper: Paper, db: None) -> None:
    paper.open("/")
    paper.send("Open the vault", username="ada", password1=PASSWORD, password2=PASSWORD)
    assert "Drop your documents here" in paper.text
    paper.follow("Account and appearance")
    paper.send("Dark")
    assert paper.page.get("data-theme") == "dark"
    paper.send("Deutsch")
    assert paper.page.get("lang") == "de"
    paper.send("English")
    paper.send("Save name", username="countess")
    assert User.objects.get().username == "countess"
    paper.follow("Change password")
    new = PASSWORD + " staple"
    paper.send("Change password", old_password=PASSWORD, new_password1=new, new_password2=new)
    paper.send("Sign out")
    paper.send("Sign in", username="countess", password=new)
    assert "countess" in paper.text


def test_documents_come_move_and_go(mine: Paper) -> None:
    mine.open("/library/")
    mine.follow("Choose files")
    mine.send("Add to Home", file=[File("a.txt", b"One."), File("b.txt", b"Two.")])
    assert "a.txt: Added, waiting to be read." in mine.text
    mine.open("/library/categories/")
    mine.send("Make", name="Letters")
    mine.open("/library/")
    first, second = Document.objects.order_by("name")
    letters = first.workspace.categories.get()
    mine.send("Move", document=[str(first.pk)], category=str(letters.pk))
    assert first.workspace.documents.get(category=letters) == first
    mine.send("Delete…", document=[str(second.pk)])
    mine.send("Delete for good")
    assert "b.txt" not in mine.page.xpath("string(//table)")
    mine.follow("a.txt")
    mine.send("Rename", name="c.txt")
    assert "c.txt" in mine.page.xpath("string(//h1)")
    mine.follow("Delete")
    mine.send("Delete")


def test_a_search_narrows_and_leads_to_its_passage(mine: Paper, alice: User) -> None:
    document(alice.workspaces.get(), "Lease.pdf", [SENTENCE])
    mine.open("/search/")
    mine.send("Search", q="notice")
    assert mine.page.xpath("//mark")[0].text_content() == "notice"
    mine.follow("Lease.pdf")
    assert SENTENCE in mine.text


def test_a_quiz_is_asked_for_and_played_to_the_end(mine: Paper, alice: User) -> None:
    home = alice.workspaces.get()
    chunk = document(home, "Lease.pdf", [SENTENCE]).chunks.get()
    mine.open("/study/")
    mine.follow("New quiz")
    scope = mine.page.xpath("//*[@name='scope']/@value")
    mine.send("Make the quiz", scope=scope[-1:])
    quiz = Quiz.objects.get()
    assert mine.looks_again and quiz.get_absolute_url() == mine.url
    mine.send("Cancel")
    quiz.job.delete()
    for n in range(2):
        Question.objects.create(
            quiz=quiz, ordinal=n, type="mcq", stem=f"{n}?", options=["right", "wrong"], answer=0,
            explanation="So it is.", quote=SENTENCE, chunk=chunk, document_name="Lease.pdf",
        )  # fmt: skip
    mine.open(quiz.get_absolute_url())
    mine.send("Start")
    for answer, told in (("right", "Right."), ("wrong", "Not right.")):
        label = mine.page.xpath("//label[span[text()=$words]]", words=answer)[0]
        mine.send("Answer", chosen=label.xpath("./input/@value")[0])
        assert told in mine.text and SENTENCE in mine.text
        mine.follow("Next" if answer == "right" else "See the result")
    assert "50 %" in mine.text and Attempt.objects.get().score == 50
    mine.send("Practise what was wrong")
    assert "Question 1 of 1" in mine.text


def test_cards_are_reviewed_and_a_grade_taken_back(mine: Paper, alice: User) -> None:
    deck = Deck.objects.create(owner=alice, workspace=alice.workspaces.get(), title="Lease")
    for n in range(2):
        Card.objects.create(deck=deck, ordinal=n, front=f"{n}?", back=f"Answer {n}", guid=f"{n}")
    mine.open("/study/")
    mine.follow("Review")
    mine.send("Show the answer")
    mine.send("Good")
    assert Review.objects.count() == 1 and "1?" in mine.text
    mine.send("Undo")
    assert not Review.objects.exists()
    mine.open(deck.get_absolute_url())
    mine.send("Got it")
    assert "Mastered 1" in mine.text


def test_lessons_and_mindmaps_are_gone_through(mine: Paper, alice: User) -> None:
    owned = {"owner": alice, "workspace": alice.workspaces.get(), "title": "Lease"}
    branch = {"label": "Notice", "chunk": None, "quote": "", "children": []}
    document(owned["workspace"], "Lease.pdf", [SENTENCE])
    tree = {"label": "Lease", "chunk": None, "quote": "", "children": [branch]}
    Mindmap.objects.create(tree=tree, **owned)
    lesson = Lesson.objects.create(
        workshop=Workshop.objects.create(**owned | {"title": "Giving notice"}),
        ordinal=0,
        title="Notice",
        introduction=SENTENCE,
    )
    mine.open("/study/")
    mine.follow("Giving notice")
    mine.follow("Notice")
    mine.send("Write this lesson")
    assert mine.looks_again
    Lesson.objects.update(job=None, made_at="2026-11-30T00:00Z")
    mine.again()
    mine.send("Mark complete")
    assert Lesson.objects.get().completed_at
    mine.send("Undo")
    assert lesson.title in mine.text and not Lesson.objects.get().completed_at
    mine.open("/study/")
    mine.follow("Lease")
    mine.follow("List")
    mine.follow("Notice")
    mine.send("Rename", label="Giving notice")
    assert Mindmap.objects.get().branches == ["Giving notice"]
