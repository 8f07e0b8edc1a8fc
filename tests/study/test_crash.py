"""kill -9 of the worker in the middle of a lesson: it goes on with the part at hand."""

import os
import signal
import threading
import time

import pytest

from apps.study import following
from tests.study import lessons
from tests.study.worker import started

pytestmark = [pytest.mark.crash, pytest.mark.django_db(transaction=True)]


def test_a_killed_worker_costs_the_part_at_hand_and_nothing_else(alice, workspace, ollama):
    lesson = lessons.planned(alice, workspace)
    job = following.write(lesson)
    ollama.says(lessons.introduced())
    ollama.says(lessons.explained(0))
    ollama.says('{"heading": ').holds(threading.Event())
    child = started(ollama.url)
    try:
        until = time.monotonic() + 30
        while len(ollama.asked) < 3 and time.monotonic() < until:
            time.sleep(0.05)
        os.killpg(child.pid, signal.SIGKILL)
    finally:
        child.kill()
        child.wait()
        child.stdout.close()
    job.refresh_from_db()
    assert (job.state, job.made) == ("running", 2)

    for said in (lessons.explained(1), lessons.remembered(), lessons.questions()):
        ollama.says(said)
    child = started(ollama.url)
    child.wait(60)
    child.stdout.close()
    job.refresh_from_db()
    lesson.refresh_from_db()
    assert (job.state, job.made) == ("done", 5)
    assert lesson.core.count("### ") == 2 and lesson.sources.count() == 2
    assert lesson.takeaways and lesson.self_check and lesson.made_at
    assert len(ollama.asked) == 6, "only the part at hand was asked for twice"
