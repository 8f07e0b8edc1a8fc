"""Frequent words of any language are known to be words, and misspelled ones are not."""

import pytest

from apps.llm import vocabulary


@pytest.mark.parametrize(
    "word", ["bread", "Bread", "Garten", "garten", "Heizung", "consultant", "refund", "précision"]
)
def test_words_are_known_with_a_capital_and_without(word):
    assert vocabulary.is_word(word)


@pytest.mark.parametrize(
    "word", ["", "Kauton", "recieve", "vaccum", "copyrigth", "Vorrauszahlung", "ead", "garte"]
)
def test_what_is_misspelled_or_a_piece_of_a_word_is_none(word):
    assert not vocabulary.is_word(word)


def test_without_the_weights_nothing_is_known(monkeypatch):
    def none() -> None:
        raise ImportError

    vocabulary._vocabulary.cache_clear()
    vocabulary.is_word.cache_clear()
    monkeypatch.setattr(vocabulary, "bundled_weights", none)
    assert not vocabulary.is_word("bread")
    vocabulary._vocabulary.cache_clear()
    vocabulary.is_word.cache_clear()
