"""The admin tells how jobs stand and lets them be cancelled and continued."""

import pytest

from apps.study.models import Job, Rejection

JOBS = "/admin/study/job/"


@pytest.fixture
def job(alice, workspace):
    return Job.objects.create(owner=alice, workspace=workspace, kind="quiz", asked=5, made=2)


def act(reader, name, job):
    reader.post(JOBS, {"action": name, "_selected_action": [job.pk]})
    job.refresh_from_db()
    return job.state


def test_jobs_are_listed_with_state_counts_and_rejections(reader, job):
    Rejection.objects.create(job=job, reason="two options say the same", item={"question": "?"})
    page = reader.get(JOBS).content.decode()
    assert "2 of 5" in page
    assert "Waiting" in page
    assert reader.get(f"{JOBS}{job.pk}/change/").status_code == 200
    rejections = reader.get("/admin/study/rejection/").content.decode()
    assert "two options say the same" in rejections
    assert reader.get("/admin/study/rejection/add/").status_code == 403


def test_a_waiting_job_is_cancelled_and_continued(reader, job):
    assert act(reader, "cancel", job) == "cancelled"
    assert act(reader, "go_on", job) == "queued"


def test_what_is_done_is_not_begun_again(reader, job):
    job.state = Job.State.DONE
    job.save()
    assert act(reader, "go_on", job) == "done"
