"""Where the words of a question stand in a passage, and what it says without marks of Markdown."""

import pytest

from apps.library.marking import excerpt, lined, plain


def test_the_stretch_with_most_words_is_found():
    text = "red " + "filler " * 200 + "red bridge over the river " + "filler " * 200
    assert "red bridge over the river" in excerpt(text, ("red", "bridge", "river"), 300)


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


def test_rows_stay_lines_and_prose_runs_on():
    text = "## Ports\nof our\nhosts:\n| host | port |\n|---|---|\n| db-01 | 6432 |\nAsk Mira."
    assert lined(text) == "Ports of our hosts:\nhost · port\ndb-01 · 6432\nAsk Mira."
    assert lined("# all\n\nls  -l", every=True) == "# all\nls -l"
    assert lined("") == ""
