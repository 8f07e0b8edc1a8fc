"""The stretch of a passage that answers, with its words marked and everything escaped."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.library.marking import marked, plain

settings.register_profile("vault", deadline=None)
settings.load_profile("vault")


@pytest.mark.parametrize(
    ("text", "words", "wanted"),
    [
        ("A red bridge", ("bridge",), "A red <mark>bridge</mark>"),
        ("Bridges, a BRIDGE", ("bridge",), "Bridges, a <mark>BRIDGE</mark>"),
        ("see § 573  BGB", ("§ 573", "BGB"), "see <mark>§ 573</mark> <mark>BGB</mark>"),
        ("in C++ only", ("C++",), "in <mark>C++</mark> only"),
        ("call foo_bar() now", ("foo_bar()",), "call <mark>foo_bar()</mark> now"),
        ("東京都", ("東京",), "<mark>東京</mark>都"),
        ("a\n\nred\tbridge", (), "a red bridge"),
        ("", ("a",), ""),
    ],
)
def test_words_are_marked_as_whole_words(text, words, wanted):
    assert marked(text, words) == wanted


def test_markup_of_a_document_stays_text():
    text = "<script>alert('red')</script> & red"
    shown = marked(text, ("red", "script"))
    assert "<script" not in shown
    assert "&lt;<mark>script</mark>&gt;" in shown
    assert shown.endswith("&amp; <mark>red</mark>")


def test_a_word_that_is_markup_is_escaped_too():
    assert marked("x <b> y", ("<b>",)) == "x <mark>&lt;b&gt;</mark> y"


def test_the_stretch_with_most_words_is_shown():
    text = "red " + "filler " * 200 + "red bridge over the river " + "filler " * 200
    shown = marked(text, ("red", "bridge", "river"))
    assert "<mark>bridge</mark>" in shown
    assert shown.startswith("… ")
    assert shown.endswith(" …")
    assert len(shown) < 500


@given(st.text(max_size=900), st.lists(st.text(min_size=1, max_size=9), max_size=5))
def test_any_passage_may_be_shown(text, words):
    shown = marked(text, [word for word in words if word.strip()])
    assert "<" not in shown.replace("<mark>", "").replace("</mark>", "")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("## Notice **three** months", "Notice three months"),
        ("- [x] a *small* thing\n> said `so`", "a small thing\nsaid so"),
        ("| Name | Days |\n|---|---:|\n| Rent | 3 |", "Name · Days\n\nRent · 3"),
        ("a |  | b | | c", "a · b · c"),
        ("see [the lease](https://x.example/a_(b)) and ![plan](p.png)", "see the lease and plan"),
        ("def __init__(self): a * b * c  # 2 ** 3", "def __init__(self): a * b * c  # 2 ** 3"),
        (
            "snake_case_name, x[0](1), 5 - 3, C# and a|b",
            "snake_case_name, x[0](1), 5 - 3, C# and a|b",
        ),
    ],
)
def test_marks_of_markdown_are_left_out(text, told):
    assert plain(text) == told
