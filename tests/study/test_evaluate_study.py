"""`evaluate_study`: a folder in, figures out, nothing left behind."""

import io
import json

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from apps.library.models import Document
from apps.study import evaluating
from apps.study.models import Job

TEXT = (
    "# Lease\n\nThe tenant must give notice of three months in writing. The letter has to reach "
    "the office of the cooperative by the third working day of a month. An e-mail is not enough.\n"
)
ITEM = {
    "question": "How long is the notice a tenant must give?",
    "correct_answer": "Three months",
    "wrong_answers": ["One month", "Two weeks", "A year"],
    "explanation": "The tenant must give notice of three months in writing.",
}


@pytest.fixture
def folder(tmp_path, settings):
    settings.MEDIA_ROOT = tmp_path / "media"
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "lease.md").write_text(TEXT)
    return tmp_path / "in"


def ran(folder, **options):
    told = io.StringIO()
    call_command("evaluate_study", folder, json=True, stdout=told, **options)
    return json.loads(told.getvalue())


@pytest.mark.django_db(transaction=True)
def test_a_quiz_is_made_measured_and_removed(folder, ollama):
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    ollama.says(json.dumps(ITEM))
    ollama.says(json.dumps({"answer": ITEM["correct_answer"]}))
    report = ran(folder, count=1, kinds="quiz", items=True)
    broken, lease = report["documents"]
    assert broken["status"] == "refused"
    assert broken["reason"]
    quiz = lease["quiz"]
    assert (quiz["asked"], quiz["made"], quiz["exact"]) == (1, 1, True)
    assert (quiz["duplicates"], quiz["unsupported"], quiz["json_errors"]) == (0, 0, 0)
    assert sum(quiz["positions"]) == 1
    assert quiz["items"][0]["answer"] == "Three months"
    assert report["total"]["exact"] == 1.0
    assert report["model"] == "fake"
    assert not Job.objects.exists()
    assert not Document.objects.exists()
    assert not User.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_nonsense_is_counted_and_never_shown(folder, ollama):
    for _ in range(4):  # two looks, two tries each
        ollama.says("{not json")
    quiz = ran(folder, count=1, kinds="quiz")["documents"][0]["quiz"]
    assert (quiz["made"], quiz["exact"], quiz["json_errors"]) == (1, True, 0)
    assert quiz["by_rule"] == 1
    assert quiz["rejections"] == {"unreadable: no JSON object in it": 1}


def test_what_cannot_be_done_is_said(db, tmp_path, ollama):
    with pytest.raises(CommandError, match="holds no file"):
        call_command("evaluate_study", tmp_path)
    with pytest.raises(CommandError):
        call_command("evaluate_study", tmp_path / "nowhere")
    (tmp_path / "a.txt").write_text(TEXT)
    with pytest.raises(CommandError, match="not one of"):
        call_command("evaluate_study", tmp_path, kinds="poem")


def test_duplicates_and_proofs_are_counted_by_rule():
    assert evaluating.duplicates(["How long is the notice?", "How LONG is the notice", "Who?"]) == 1
    assert not evaluating.proven("anything", None)
