"""The second look: what a long question and the first passages have in common."""

import numpy as np
import pytest

from apps.library import rereading
from apps.library.models import EmbeddingSet
from apps.library.ranking import Ranked
from tests.library.passages import document, vectors

FIRST, LIKE_IT, OTHER = [1.0, 1.0, 0.1], [0.2, 1.0, 0.1], [0.3, -1.0, 0.1]
ASKED = "What is known of the flow of air about a thin wing at great speed when it is slightly bent"


@pytest.fixture
def looked(workspace):
    used = EmbeddingSet.objects.create(model="toy", dimensions=3, state="active")
    made = document(workspace, "wings.txt", ["first", "other", "like it", "bees", "rain"])
    vectors(made, used, [FIRST, OTHER, LIKE_IT, [-1.0, 0.0, 0.1], [-0.9, 0.1, -0.1]])
    chunks = list(made.chunks.order_by("ordinal"))

    def look(question: str) -> list[str]:
        found = [
            Ranked(chunk.pk, score, n + 1, n + 1, 0.5, 0.5, 0.9, 0.0, 0.0)
            for n, (chunk, score) in enumerate(zip(chunks, (0.9, 0.5, 0.48, 0.1, 0.1), strict=True))
        ]
        again = rereading.reread(
            workspace,
            question,
            found,
            vector="[1,0.1,0.1]",
            model="toy",
            embedding_set=used.pk,
            languages=["en"],
            passages=5,
        )
        assert [one.score for one in again] == [one.score for one in found]
        texts = {chunk.pk: chunk.text for chunk in chunks}
        return [texts[one.chunk_id] for one in again]

    return look


def test_what_is_like_the_first_gains_where_a_topic_is_described(looked):
    assert looked(ASKED)[:3] == ["first", "like it", "other"]


def test_a_question_for_a_fact_is_left_as_it_is(looked):
    assert looked("How fast is the air?")[:3] == ["first", "other", "like it"]
    assert len(ASKED.split()) >= rereading.TOPIC > rereading.FACT


def test_without_all_vectors_nothing_is_moved(looked, workspace):
    workspace.documents.get().chunks.get(text="other").vectors.all().delete()
    assert looked(ASKED)[:2] == ["first", "other"]


def test_what_another_language_lacks_is_made_up_for_where_nothing_at_home_is_near():
    away = np.array([False, True])
    covered = np.array([0.0, 0.0])
    poor = rereading._forgiven(np.array([0.2, 0.3]), covered, away)
    assert np.allclose(poor, ([0.2, 0.4], [0.0, 0.3]))
    good = rereading._forgiven(np.array([0.45, 0.3]), covered, away)
    assert np.allclose(good, ([0.45, 0.3], [0.0, 0.0]))
    between = rereading._forgiven(np.array([0.39, 0.3]), covered, away)
    assert np.allclose(between, ([0.39, 0.35], [0.0, 0.15]))
