"""kill -9 of the worker in the middle of a generation: it goes on with the item at hand."""

import json
import os
import signal
import threading
import time

import pytest

from apps.study import following
from apps.study.models import Deck, Job, Mindmap, Quiz
from tests.library.passages import document
from tests.study import lessons, test_flashcards, test_mindmap, test_quiz
from tests.study.worker import started

pytestmark = [pytest.mark.crash, pytest.mark.django_db(transaction=True)]


def chosen(item):
    """A question of the model, and its own answer to it."""
    return [json.dumps(item), json.dumps({"answer": item["correct_answer"]})]


def quiz_told(job):
    return [(q.ordinal, q.stem, bool(q.quote)) for q in job.quiz.questions.all()]


def deck_told(job):
    return [(card.ordinal, card.front, bool(card.quote)) for card in job.deck.cards.all()]


def mindmap_told(job):
    return [
        (n, branch["label"], bool(branch["quote"]))
        for n, branch in enumerate(job.mindmap.tree["children"])
    ]


ITEMS = test_quiz.NOTICE, test_quiz.SERVICE
CARDS = test_flashcards.NOTICE, test_flashcards.SERVICE
TOPICS = list(test_mindmap.BRANCHES)
# What is made, what the model says before the kill and after it, and what there is in the end.
KINDS = {
    "quiz": (Quiz, [chosen(ITEMS[0])], [chosen(ITEMS[1])], quiz_told),
    "deck": (Deck, [[json.dumps(CARDS[0])]], [[json.dumps(CARDS[1])]], deck_told),
    "mindmap": (
        Mindmap,
        [[test_mindmap.branch(TOPICS[0])]],
        [[test_mindmap.branch(topic)] for topic in TOPICS[1:]],
        mindmap_told,
    ),
}
NAMES = {
    "quiz": [item["question"] for item in ITEMS],
    "deck": [card["front"] for card in CARDS],
    "mindmap": test_mindmap.BRANCHES,
}


def killed(ollama, asked):
    """Start a worker, and kill it while the model speaks for the time `asked`."""
    child = started(ollama.url)
    try:
        until = time.monotonic() + 30
        while len(ollama.asked) < asked and time.monotonic() < until:
            time.sleep(0.02)
        os.killpg(child.pid, signal.SIGKILL)
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def finished(ollama):
    """Start a worker and wait until nothing is left to do."""
    child = started(ollama.url)
    child.wait(60)
    child.stdout.close()


@pytest.mark.parametrize("kind", KINDS)
def test_a_killed_worker_costs_the_item_at_hand_and_makes_none_twice(
    kind, alice, workspace, ollama
):
    model, before, after, told = KINDS[kind]
    lease = document(workspace, "Lease.pdf", test_mindmap.PASSAGES)
    job = Job.objects.create(owner=alice, workspace=workspace, kind=kind, asked=2, everywhere=True)
    if kind != "mindmap":
        job.plan = list(lease.chunks.values_list("pk", flat=True))[:2]
        job.save()
    model.objects.create(owner=alice, workspace=workspace, job=job, title="Lease")
    said = [each for item in before for each in item]
    for each in said:
        ollama.says(each)
    ollama.says('{"').holds(threading.Event())
    killed(ollama, len(said) + 1)
    job.refresh_from_db()
    assert (job.state, job.made, job.tried) == ("running", 1, 1)
    assert len(told(job)) == 1

    rest = [each for item in after for each in item]
    for each in rest:
        ollama.says(each)
    finished(ollama)
    job = Job.objects.get(pk=job.pk)
    wanted = len(before) + len(after)
    assert (job.state, job.made, job.tried) == ("done", wanted, wanted)
    names = [test_mindmap.BRANCHES[name][0] if kind == "mindmap" else name for name in NAMES[kind]]
    assert told(job) == [(n, name, True) for n, name in enumerate(names)]
    assert not job.rejections.exists()
    assert len(ollama.asked) == len(said) + 1 + len(rest), "only the item at hand was asked twice"


def test_a_killed_worker_costs_the_part_of_a_lesson_at_hand(alice, workspace, ollama):
    lesson = lessons.planned(alice, workspace)
    job = following.write(lesson)
    ollama.says(lessons.introduced())
    ollama.says(lessons.explained(0))
    ollama.says('{"heading": ').holds(threading.Event())
    killed(ollama, 3)
    job.refresh_from_db()
    assert (job.state, job.made) == ("running", 2)

    for said in (lessons.explained(1), lessons.remembered(), lessons.questions()):
        ollama.says(said)
    finished(ollama)
    job.refresh_from_db()
    lesson.refresh_from_db()
    assert (job.state, job.made) == ("done", 5)
    assert lesson.core.count("### ") == 2 and lesson.sources.count() == 2
    assert lesson.takeaways and lesson.self_check and lesson.made_at
    assert len(ollama.asked) == 6, "only the part at hand was asked for twice"
