"""The life of a job, with a maker that needs no model."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from apps.llm.client import ModelError
from apps.study import generation
from apps.study.generation import Maker, Rejected
from apps.study.models import Job, Rejection
from tests.fake_ollama import FakeOllama
from tests.library.passages import document
from tests.study.test_quiz import PASSAGES


@pytest.fixture
def makes():
    """Install a maker for quizzes that yields what it is told; the real one comes back after."""
    before = generation.MAKERS.get("quiz")
    finished = []

    def install(*outcomes):
        def make(job, stop_when):
            for outcome in outcomes[job.tried :]:
                if isinstance(outcome, Exception) and not isinstance(outcome, Rejected):
                    raise outcome
                yield outcome if isinstance(outcome, Rejected) else lambda: None

        generation.MAKERS["quiz"] = Maker(make, finished.append, lambda job: "Too little text.")

    yield install
    if before:
        generation.MAKERS["quiz"] = before
    else:
        generation.MAKERS.pop("quiz", None)


@pytest.fixture
def job(alice, workspace):
    return Job.objects.create(owner=alice, workspace=workspace, kind="quiz", asked=2)


def state(job):
    job.refresh_from_db()
    return job.state, job.made, job.tried


def test_items_are_counted_until_there_are_enough(job, makes):
    makes("a", Rejected("vague", {"stem": "?"}), "b", "c")
    assert generation.work_next()
    assert state(job) == ("done", 2, 3)
    assert Rejection.objects.get(job=job).reason == "vague"
    assert generation.work_next() == ""


def test_too_little_is_said_and_can_go_on(job, makes):
    makes("a")
    generation.work_next()
    assert state(job) == ("short", 1, 1)
    assert job.reason == "Too little text."
    makes("a", "b")
    generation.go_on(job)
    generation.work_next()
    assert state(job) == ("done", 2, 2)


def test_a_model_that_is_gone_fails_with_its_words_and_keeps_what_is_made(job, makes):
    makes("a", ModelError("No model server answers."))
    generation.work_next()
    assert state(job) == ("failed", 1, 1)
    assert job.reason == "No model server answers."


def test_a_fault_of_ours_never_shows_its_inside(job, makes):
    makes(ZeroDivisionError("secret"))
    generation.work_next()
    assert state(job)[0] == "failed"
    assert "secret" not in job.reason


def test_cancelled_stays_cancelled(job, makes):
    makes("a", "b")
    generation.cancel(job)
    assert generation.work_next() == ""
    assert state(job) == ("cancelled", 0, 0)


@pytest.mark.django_db(transaction=True)
def test_cancelling_hangs_up_on_a_silent_model(
    reader, alice, workspace, ollama: FakeOllama
) -> None:
    lease = document(workspace, "Lease.pdf", PASSAGES)
    ollama.answer().holds(threading.Event())  # it would be silent for half a minute
    told = {"asked": 5, "types": ["mcq"], "difficulty": "beginner", "scope": [f"d{lease.pk}"]}
    reader.post("/study/quizzes/new/", told)
    job = Job.objects.get()
    with ThreadPoolExecutor(1) as worker:
        working = worker.submit(in_a_thread, generation.work_next)
        until(lambda: ollama.asked)
        asked = time.monotonic()
        page = reader.post(f"/study/jobs/{job.pk}/cancel/", headers={"HX-Request": "true"})
        assert page.content.decode().count("Cancelling…") == 2
        assert '<button class="small quiet" disabled>' in page.content.decode()
        working.result(20)
    until(lambda: ollama.hung_up)
    assert ollama.hung_up[0] - asked < 10, "long before the model would have spoken"
    assert state(job) == ("cancelled", 0, 0)


def test_a_job_to_be_cancelled_does_not_wait_for_its_turn(alice, workspace, job, makes):
    makes("a", "b")
    Job.objects.filter(pk=job.pk).update(state="running", cancel_asked=True)
    Job.objects.create(owner=alice, workspace=workspace, kind="lesson")
    generation.work_next()
    assert state(job) == ("cancelled", 0, 0)


def in_a_thread(act):
    """Do it, and give the thread's connection back."""
    try:
        return act()
    finally:
        connection.close()


def until(happens):
    """Wait for it, half a minute at most."""
    end = time.monotonic() + 30
    while not happens():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_job_that_kills_its_worker_is_given_up(job, makes):
    makes("a", "b")
    Job.objects.filter(pk=job.pk).update(attempts=generation.MOST_ATTEMPTS)
    generation.work_next()
    assert state(job)[0] == "failed"


def test_one_job_at_a_time_for_a_person(job, makes, alice, bob, transactional_db):
    import psycopg

    makes("a", "b")
    with psycopg.connect(**connection.get_connection_params()) as other:
        keys = [generation.ROOM, alice.pk]
        other.execute("SELECT pg_advisory_lock(%s, %s)", keys)
        assert generation.work_next() == ""
        # A connection that is closed lets go of it a moment later.
        other.execute("SELECT pg_advisory_unlock(%s, %s)", keys)
    assert generation.work_next()
    assert state(job)[0] == "done"


def test_a_lesson_somebody_waits_for_goes_before_what_was_asked_for_earlier(alice, workspace, job):
    lesson = Job.objects.create(owner=alice, workspace=workspace, kind="lesson")
    later = Job.objects.create(owner=alice, workspace=workspace, kind="deck", asked=9)
    assert [generation.ahead_of(each) for each in (lesson, job, later)] == [0, 1, 2]
    assert generation.work_next() == str(lesson)
    assert list(Job.objects.unfinished().in_turn()) == [job, later]


def test_what_has_little_left_does_not_wait_for_what_has_much(alice, workspace, job):
    Job.objects.filter(pk=job.pk).update(asked=40, made=10)
    short = Job.objects.create(owner=alice, workspace=workspace, kind="quiz", asked=5)
    assert list(Job.objects.unfinished().in_turn()) == [short, job]
    Job.objects.filter(pk=job.pk).update(made=37)
    assert list(Job.objects.unfinished().in_turn()) == [job, short], "it is nearly done"
