"""What a page says of a job under way: how long it has been waited, and what is left."""

from datetime import timedelta

import pytest
from django.utils import timezone, translation

from apps.progress import ledger
from apps.progress.models import StudySession
from apps.study import generation, playing, watching
from apps.study.generation import Maker, Rejected
from apps.study.models import Job, Question, Quiz

NOW = timezone.now()


@pytest.fixture
def job(alice, workspace):
    return Job.objects.create(
        owner=alice, workspace=workspace, kind="quiz", asked=5, state="running", began_at=NOW
    )


def left(job, after=0):
    return watching.seconds_left(job, NOW + timedelta(seconds=after))


def test_the_time_left_falls_and_never_climbs_while_an_item_takes_long(job):
    job.made, job.tried, job.worked, job.pulse = 1, 1, 360, NOW
    told = [left(job, after) for after in range(0, 3600, 20)]
    assert told == sorted(told, reverse=True)
    assert told[0] - told[3] == 60, "it falls as the clock goes"
    assert told[-1] == told[18] > 0, "it waits where the item takes longer than its share"


def test_one_that_was_rejected_does_not_double_what_is_left(job):
    job.made, job.tried, job.worked, job.pulse = 1, 1, 300, NOW
    before = left(job)
    job.tried, job.worked = 2, 600
    assert before < left(job) < 1.3 * before


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, ""),
        (5, "less than a minute left"),
        (60, "about 1 minute left"),
        (170, "about 3 minutes left"),
        (1610, "about 30 minutes left"),
        (3301, "about an hour left"),
        (5000, "about 1.5 hours left"),
        (7000, "about 2 hours left"),
    ],
)
def test_it_is_said_no_more_exactly_than_it_is_known(seconds, words):
    assert watching.in_words(seconds) == words


def test_it_is_said_in_german():
    with translation.override("de"):
        assert watching.in_words(1610) == "noch etwa 30 Minuten"
        assert watching.in_words(5000) == "noch etwa 1,5 Stunden"


def test_before_the_first_item_the_page_counts_the_time(reader, job):
    Job.objects.filter(pk=job.pk).update(began_at=timezone.now() - timedelta(seconds=190))
    page = reader.get(f"/study/jobs/{job.pk}/", headers={"HX-Request": "true"}).content.decode()
    assert "Making question 1 of 5 · reading the passages" in page
    assert "3 min 1" in page


def test_the_time_a_quiz_was_waited_for_is_no_study_time(alice, workspace, job):
    now = timezone.now()
    Job.objects.filter(pk=job.pk).update(
        state="done", created_at=now - timedelta(minutes=11), ended_at=now - timedelta(minutes=1)
    )
    ledger.record(alice, "chat_message", now - timedelta(minutes=12))
    job.refresh_from_db()
    quiz = Quiz.objects.create(owner=alice, workspace=workspace, job=job, title="Lease")
    Question.objects.create(
        quiz=quiz, ordinal=0, type="mcq", stem="?", options=["a", "b"], answer=0
    )
    playing.begin(alice, quiz)
    seconds = StudySession.objects.get(person=alice).seconds
    assert 2 * 60 <= seconds < 5 * 60, "not twelve minutes"


def test_only_time_at_work_counts_and_continuing_begins_a_new_clock(job, monkeypatch):
    def make(job, stop_when):
        if job.tried:
            raise generation.ModelError("No model server answers.")
        yield Rejected("vague")
        yield Rejected("vague")
        raise generation.ModelError("No model server answers.")

    monkeypatch.setitem(generation.MAKERS, "quiz", Maker(make, lambda job: None, lambda job: ""))
    Job.objects.filter(pk=job.pk).update(began_at=timezone.now() - timedelta(days=1))
    generation.work_next()
    job.refresh_from_db()
    assert (job.state, job.tried) == ("failed", 2)
    assert 0 < job.worked < 600
    generation.go_on(job)
    generation.work_next()
    job.refresh_from_db()
    assert job.ended_at - job.began_at < timedelta(hours=1)
