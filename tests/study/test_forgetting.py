"""Delete means gone: none of a document's sentences is left in what was made from it."""

import pytest
from django.apps import apps as installed
from django.core.files.base import ContentFile
from django.urls import reverse

from apps.library import discarding
from apps.study import exporting, following, generation, playing
from apps.study.models import Card, Deck, Job, Lesson, Mindmap, Question, Quiz, Workshop
from tests.library.passages import document
from tests.study import lessons

SENTENCE = "The tenant must give notice of three months in writing."
GAPPED = SENTENCE.replace("three", "____")


@pytest.fixture
def lease(workspace, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    made = document(workspace, "Lease.pdf", lessons.PASSAGES)
    made.file.save("lease.pdf", ContentFile(b"%PDF"))
    return made


def sourced(lease):
    chunk = lease.chunks.first()
    return {"chunk": chunk, "document": lease, "document_name": lease.name, "quote": SENTENCE}


@pytest.fixture
def quiz(alice, workspace, lease):
    """A question in the model's words, and one that is a sentence of the lease."""
    quiz = Quiz.objects.create(owner=alice, workspace=workspace, title="Lease")
    told = {"quiz": quiz, "type": "mcq", "options": ["two", "three"], "answer": 1}
    stems = ["How long is the notice?", f"Fill the gap: {GAPPED}"]
    for ordinal, stem in enumerate(stems):
        Question.objects.create(
            ordinal=ordinal, stem=stem, explanation=SENTENCE, **told, **sourced(lease)
        )
    return quiz


@pytest.fixture
def deck(alice, workspace, lease):
    deck = Deck.objects.create(owner=alice, workspace=workspace, title="Lease")
    told = [("How long is the notice?", "Three months"), (GAPPED, "three")]
    for n, (front, back) in enumerate(told):
        Card.objects.create(
            deck=deck, ordinal=n, front=front, back=back, guid=f"{n}", **sourced(lease)
        )
    return deck


def test_questions_and_cards_stay_without_the_sentences(alice, reader, quiz, deck, lease):
    attempt = playing.begin(alice, quiz)
    discarding.discard(lease)
    assert [q.stem for q in quiz.questions.all()] == ["How long is the notice?"]
    assert [card.back for card in deck.cards.all()] == ["Three months"]
    playing.answer(attempt, quiz.questions.get(), 1)
    for url in (
        f"{attempt.get_absolute_url()}?question={quiz.questions.get().pk}",
        f"{reverse('study:review')}?card={deck.cards.get().pk}&side=back",
        reverse("study:deck_export", args=[deck.pk, "csv"]),
    ):
        page = reader.get(url)
        text = page.text if not page.streaming else b"".join(page).decode()
        assert "in writing" not in text
    assert (
        "its words with it"
        in reader.get(f"{reverse('study:review')}?card={deck.cards.get().pk}&side=back").text
    )
    assert "in writing" not in exporting.quiz_markdown(quiz, "answers")


def test_a_lesson_that_quotes_loses_the_sentences_and_says_so(
    alice, reader, workspace, lease, ollama
):
    for name in list(ollama.models):
        ollama.lacks(name)
    ollama.has("extractive", "completion", architecture="extractive")
    workshop = lessons.lease(alice, workspace)
    workshop.job.documents.add(lease)
    generation.work_next()
    lesson = workshop.lessons.first()
    following.write(lesson)
    generation.work_next()
    lesson.refresh_from_db()
    assert lesson.made_at and SENTENCE[:40] in lesson.core
    discarding.discard(lease)
    for model in (Workshop, Lesson):
        for row in model.objects.values():
            for passage in lessons.PASSAGES:
                assert not any(part[:45] in str(row) for part in passage.split(". "))
    page = reader.get(lesson.get_absolute_url())
    assert page.status_code == 200 and "three months in writing" not in page.text
    assert reader.get(workshop.get_absolute_url()).status_code == 200


def test_no_row_of_the_study_room_holds_a_sentence_any_more(
    alice, workspace, quiz, deck, lease, ollama
):
    job = Job.objects.create(owner=alice, workspace=workspace, kind="mindmap", everywhere=True)
    Mindmap.objects.create(owner=alice, workspace=workspace, job=job, title="Map")
    job.rejections.create(reason="vague", item={"question": SENTENCE})
    for _ in range(8):
        ollama.says("nothing that helps")
    generation.work_next()
    discarding.discard(lease)
    rows = [
        str(row)
        for model in installed.get_app_config("study").get_models()
        for row in model.objects.values()
    ]
    assert rows and not [row for row in rows if "notice of three months in writing" in row]
