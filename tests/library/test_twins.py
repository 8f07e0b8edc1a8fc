"""Of passages that say the same in two languages, that in the question's own goes first."""

import numpy as np
import pytest

from apps.library import twins
from apps.library.ranking import Ranked

ENGLISH, GERMAN = np.array([1.0, 0, 0], np.float32), np.array([0, 1.0, 0], np.float32)
DOG, CAT = np.array([0.2, 0, 1.0], np.float32), np.array([0, 0.2, -1.0], np.float32)
MEANS = {"": np.zeros(3, np.float32), "en": ENGLISH, "de": GERMAN}


def passage(chunk_id: int, language: str) -> Ranked:
    return Ranked(chunk_id, 0.5, None, chunk_id, 0.0, 0.5, 0.9, 0.0, 0.0, language=language)


BEST = [passage(1, "de"), passage(2, "en"), passage(3, "en")]
VECTORS = {1: GERMAN + DOG, 2: ENGLISH + CAT, 3: ENGLISH + DOG}


def ordered(order: list[float], abroad: set[int], vectors=VECTORS, means=MEANS) -> list[int]:
    led = twins.led(BEST, np.array(order, float), abroad, vectors, means)
    return [BEST[n].chunk_id for n in np.argsort(-led, kind="stable")]


@pytest.mark.parametrize(
    ("order", "abroad", "led"),
    [
        ([3, 2, 1], {1}, [3, 1, 2]),  # it is taken along by its twin, past the cat
        ([2, 3, 1], {1}, [2, 3, 1]),  # no further
        ([2, 1, 3], {1}, [3, 1, 2]),  # it is before its twin already
        ([1, 3, 2], {2, 3}, [2, 1, 3]),  # the one at home goes before, whichever that is
        ([3, 2, 1], set(), [1, 2, 3]),
    ],
)
def test_a_passage_goes_right_before_its_translation(order, abroad, led):
    assert ordered(order, abroad) == led


def test_passages_that_say_nothing_are_no_twins():
    silent = dict.fromkeys(VECTORS, np.zeros(3, np.float32))
    near = {"": MEANS[""], "en": ENGLISH, "de": ENGLISH}
    assert ordered([3, 2, 1], {1}, vectors=silent, means=near) == [1, 2, 3]


def test_without_vectors_or_means_nothing_is_moved():
    assert ordered([3, 2, 1], {1}, vectors={}) == [1, 2, 3]
    assert ordered([3, 2, 1], {1}, means={"": MEANS[""]}) == [1, 2, 3]
    assert ordered([3, 2, 1], {1}, vectors={1: VECTORS[1]}) == [1, 2, 3]
