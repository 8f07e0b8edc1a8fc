"""What a generation is given that it can do nothing with; the rest is in each kind's own tests."""

import pytest

from apps.study import generation
from apps.study.models import Deck, Job, Mindmap, Quiz, Workshop
from tests.library.passages import document

MODELS = {"quiz": Quiz, "deck": Deck, "workshop": Workshop, "mindmap": Mindmap}
SCRIPTS = {
    "Japanese": "借主は三か月前に書面で解約を通知しなければならない。電子メールでは足りない。" * 6,
    "Arabic": "يجب على المستأجر أن يخطر كتابيا قبل ثلاثة أشهر والبريد الإلكتروني لا يكفي " * 4,
    "a table": "| 12 | 4,1 | 17 |\n| 13 | 4,2 | 19 |\n| 14 | 4,3 | 22 |\n" * 6,
}


def made(alice, workspace, kind, texts):
    document(workspace, "Strange.pdf", texts)
    job = Job.objects.create(owner=alice, workspace=workspace, kind=kind, everywhere=True, asked=5)
    MODELS[kind].objects.create(owner=alice, workspace=workspace, job=job, title="Strange")
    return job


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("kind", ["quiz", "deck"])
def test_without_sentences_no_model_is_asked_and_the_reason_is_told(
    kind, script, alice, workspace, ollama
):
    job = made(alice, workspace, kind, [SCRIPTS[script]] * 2)
    generation.work_next()
    job.refresh_from_db()
    assert (job.state, job.made) == ("short", 0)
    assert "no sentences" in job.reason
    assert ollama.asked == []


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("kind", ["workshop", "mindmap"])
def test_outlines_and_maps_of_strange_scripts_end_in_order(kind, script, alice, workspace, ollama):
    job = made(alice, workspace, kind, [SCRIPTS[script]] * 4)
    for name in list(ollama.models):  # what a model says of it is the kinds' own affair
        ollama.lacks(name)
    ollama.has("extractive", "completion", architecture="extractive")
    generation.work_next()
    job.refresh_from_db()
    assert job.state in ("done", "short")
    assert job.state == "done" or job.reason
