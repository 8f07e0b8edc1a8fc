"""The second look: what a long question and the first passages have in common."""

import numpy as np
import pytest

from apps.library import rereading
from apps.library.models import EmbeddingSet
from apps.library.ranking import Ranked
from apps.llm.sketching import Wording
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


def passage(chunk_id: int, among: int | None = None) -> Ranked:
    return Ranked(chunk_id, 0.5, None, chunk_id, 0.0, 0.5, 0.9, 0.0, 0.0, among=among)


@pytest.mark.parametrize(
    ("near", "made_up_for"),
    [
        ([0.2, 0.3], ([0.2, 0.4], [0.0, 0.3], [0.0, 1.0])),
        ([0.5, 0.3], ([0.5, 0.3], [0.0, 0.0], [0.0, 0.0])),
        ([0.43, 0.3], ([0.43, 0.35], [0.0, 0.15], [0.0, 0.5])),
    ],
    ids=["nothing at home is near", "something is", "between"],
)
def test_what_another_language_lacks_is_made_up_for(near, made_up_for):
    made = rereading._forgiven(np.array(near), np.zeros(2), [passage(1, 1), passage(2, 1)], {2})
    assert np.allclose(made, made_up_for)


def test_the_first_of_a_language_are_lifted_most():
    best = [passage(1, 1), *(passage(n + 2, n + 1) for n in range(6)), passage(9)]
    abroad = {one.chunk_id for one in best[1:]}
    lifted = rereading._forgiven(np.full(8, 0.1), np.zeros(8), best, abroad)[2]
    assert np.allclose(lifted, [0, 1, 0.8, 0.6, 0.4, 0.2, 0, 0])


def test_a_word_that_stands_nowhere_may_be_of_any_language():
    lifted = rereading._forgiven(np.full(2, 0.1), np.zeros(2), [passage(1, 1), passage(2, 2)], ())
    assert np.allclose(lifted[2], [1, 0.8])


def test_a_passage_without_a_sketch_counts_as_the_mean():
    wording = Wording(np.ones((1, 8), np.float32), ["wing"], [0])
    sketches = {1: b"\xff", 3: b"\x00"}
    best, near = rereading._looked_at(
        [passage(1), passage(2), passage(3)], wording, np.ones(1, np.float32), sketches
    )
    assert near[1] == pytest.approx((near[0] + near[2]) / 2) and near[0] > near[2]
    assert best[0].nearness == pytest.approx(near[0]) and best[1].nearness is None
