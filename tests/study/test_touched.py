"""What of a document a person has touched, and practice on the rest of it."""

import json

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.library import coverage
from apps.library.models import Coverage
from apps.study import generation, playing, scheduling
from apps.study.models import Card, Deck, Job, Question, Quiz
from tests.library.passages import document
from tests.study import lessons


@pytest.fixture
def lease(workspace):
    return document(workspace, "Lease.pdf", lessons.PASSAGES)


def marks(document):
    """The furthest mark of each passage, from the document's beginning."""
    return [segment.level for segment in coverage.strip(document)]


def test_each_act_marks_its_passage_and_the_strip_shows_the_furthest(alice, workspace, lease):
    first, second, third, *_ = lease.chunks.all()
    quiz = Quiz.objects.create(owner=alice, workspace=workspace, title="Lease")
    question = Question.objects.create(
        quiz=quiz, ordinal=0, type="mcq", stem="?", options=["a", "b"], answer=0, chunk=first
    )
    deck = Deck.objects.create(owner=alice, workspace=workspace, title="Lease")
    card = Card.objects.create(deck=deck, ordinal=0, front="?", back="!", guid="g", chunk=second)
    coverage.mark([third.pk], "read")
    coverage.mark([third.pk], "cited")
    assert marks(lease) == ["", "", "cited", "", ""]
    playing.answer(playing.begin(alice, quiz), question, 0)
    scheduling.grade(card, 3, timezone.now())
    assert marks(lease) == ["tested", "tested", "cited", "", ""]
    scheduling.mark(card, "mastered")
    coverage.mark([second.pk], "mastered")
    assert marks(lease)[1] == "mastered"
    coverage.unmark_mastered([second.pk])
    assert marks(lease)[1] == "tested", "a lapse takes only the mastery away"
    assert coverage.touched(coverage.strip(lease)) == {
        "read": 1,
        "cited": 1,
        "tested": 2,
        "mastered": 0,
    }


def test_long_documents_have_sixty_segments_and_empty_ones_none(workspace):
    long = document(workspace, "long.pdf", [f"Passage {n}." for n in range(200)])
    strip = coverage.strip(long)
    assert len(strip) == coverage.SEGMENTS == 60
    assert sum(segment.passages for segment in strip) == 200
    coverage.mark([long.chunks.last().pk], "read")
    assert [n for n, level in enumerate(marks(long)) if level] == [59]
    empty = document(workspace, "empty.pdf", [])
    assert coverage.strip(empty) == []
    assert coverage.touched([]) == dict.fromkeys(coverage.MARKS, 0)


def test_what_was_marked_goes_with_its_document(lease):
    coverage.mark(lease.chunks.values_list("pk", flat=True), "read")
    lease.chunks.all().delete()
    assert not Coverage.objects.exists()


def test_from_the_page_of_a_document_to_a_quiz_on_the_rest(reader, alice, lease, ollama):
    *known, left = lease.chunks.all()
    coverage.mark([chunk.pk for chunk in known], "read")
    page = reader.get(lease.get_absolute_url()).text
    assert "4 read" in page and 'data-level="read"' in page
    link = page.split("Quiz me on what I have not touched")[0].rsplit('href="', 1)[1]
    form = reader.get(link.split('"')[0].replace("&amp;", "&")).text
    assert f'value="d{lease.pk}"' in form
    assert 'name="untouched_only"' in form and form.count("checked") >= 3
    told = {"asked": 5, "types": ["mcq"], "difficulty": "beginner", "untouched_only": "on"}
    reader.post(reverse("study:quiz_new"), told | {"scope": [f"d{lease.pk}"]})
    job = Job.objects.get()
    item = {
        "question": "How long do the quiet hours last in the house?",
        "correct_answer": "From ten in the evening until six in the morning",
        "wrong_answers": ["All day", "At noon", "On Sundays"],
        "explanation": "",
    }
    job.asked = 1
    job.save()
    ollama.says(json.dumps(item))
    ollama.says(json.dumps({"answer": item["correct_answer"]}))
    generation.work_next()
    assert job.quiz.questions.get().chunk == left


def test_no_quiz_is_begun_on_the_rest_of_what_is_all_touched(reader, lease):
    coverage.mark(lease.chunks.values_list("pk", flat=True), "read")
    assert "Quiz me on what" not in reader.get(lease.get_absolute_url()).text
    told = {"asked": 5, "types": ["mcq"], "difficulty": "beginner", "untouched_only": "on"}
    page = reader.post(reverse("study:quiz_new"), told | {"scope": [f"d{lease.pk}"]})
    assert page.status_code == 422
    assert "You have touched all of what you chose" in page.text
    assert not Job.objects.exists() and not Quiz.objects.exists()


@pytest.mark.parametrize("kind", ["quiz", "deck", "workshop", "mindmap"])
def test_where_all_is_touched_it_says_so(kind, alice, workspace, lease, ollama):
    from apps.study.models import Mindmap, Workshop

    model = {"quiz": Quiz, "deck": Deck, "workshop": Workshop, "mindmap": Mindmap}[kind]
    coverage.mark(lease.chunks.values_list("pk", flat=True), "tested")
    job = Job.objects.create(
        owner=alice, workspace=workspace, kind=kind, everywhere=True, untouched_only=True, asked=5
    )
    model.objects.create(owner=alice, workspace=workspace, job=job, title="Rest")
    generation.work_next()
    job.refresh_from_db()
    assert job.state == "short"
    assert "You have touched all of what you chose" in job.reason
