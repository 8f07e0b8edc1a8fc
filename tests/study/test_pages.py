"""The pages of the study room ask the database little, however much is on them."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from apps.study import playing, scheduling
from apps.study.models import Card, Deck, Job, Lesson, Mindmap, Question, Quiz, Workshop

# Seven of them are asked by the shell around every page: session, person, workspace, rail.
MOST = {"home": 20, "review": 16, "deck": 14, "quiz": 13}
USUAL = 12  # one more where a session is prolonged


@pytest.fixture
def practice(alice, workspace):
    """One of each kind with a job that is done, a card that was graded."""
    made = {}
    for kind, model in (("quiz", Quiz), ("deck", Deck), ("workshop", Workshop)):
        job = Job.objects.create(owner=alice, workspace=workspace, kind=kind, state="done")
        made[kind] = model.objects.create(owner=alice, workspace=workspace, job=job, title=kind)
    tree = {"label": "Lease", "children": [{"label": "Notice", "chunk": None, "children": []}]}
    made["mindmap"] = Mindmap.objects.create(
        owner=alice, workspace=workspace, title="Map", tree=tree
    )
    for n in range(5):
        Question.objects.create(
            quiz=made["quiz"], ordinal=n, type="mcq", stem="?", options=["a", "b"], answer=0
        )
        Card.objects.create(deck=made["deck"], ordinal=n, front="?", back="!", guid=f"g{n}")
        Lesson.objects.create(workshop=made["workshop"], ordinal=n, title=f"Lesson {n}")
    scheduling.grade(made["deck"].cards.first(), 3, timezone.now())
    made["attempt"] = playing.begin(alice, made["quiz"])
    made["lesson"] = made["workshop"].lessons.first()
    return made


def test_a_page_asks_the_database_little(reader, practice):
    lists = ("home", "review", "quiz_list", "deck_list", "workshop_list", "mindmap_list")
    pages = {name: reverse(f"study:{name}") for name in lists}
    pages |= {name: each.get_absolute_url() for name, each in practice.items()}
    reader.get(pages["home"])  # what is made at the first visit is made
    asked = {}
    for name, url in pages.items():
        with CaptureQueriesContext(connection) as queries:
            assert reader.get(url).status_code == 200
        asked[name] = len(queries)
    assert {n: c for n, c in asked.items() if c > MOST.get(n, USUAL)} == {}
