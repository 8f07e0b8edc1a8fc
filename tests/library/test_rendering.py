"""Documents as HTML that does nothing, with the passage marked to the letter."""

import re

import pytest

from apps.library.rendering import rendered, typed

TEXT = """# Lease

The **tenant** pays. See [the law](https://example.org/a_b).

- first item
- second item

| Item | Price |
|------|-------|
| Bed  | 10    |
| Desk | 20    |

```
code = 1
```

> quoted
"""


def between(text: str, begin: str, end: str) -> tuple[int, int]:
    return text.index(begin), text.index(end) + len(end)


def marks(html: str) -> str:
    """The marked text, without the tags."""
    found = re.findall("<mark.*?>(.*?)</mark>", html, re.DOTALL)
    return "".join(re.sub("<.*?>", "", each) for each in found)


def test_markdown_is_rendered_below_the_heading_of_the_page():
    html = rendered(TEXT)
    assert "<h2>Lease</h2>" in html and "<h1" not in html
    assert "<strong>tenant</strong>" in html and "<td>Bed</td>" in html
    assert "mark" not in html


@pytest.mark.parametrize(
    ("begin", "end", "expected"),
    [
        ("# Lease", "pays.", "LeaseThe tenant pays."),
        ("tenant", "See", "tenant pays. See"),
        ("**tenant**", "pays.", "tenant pays."),
        ("- second", "item\n\n|", "second item"),
        ("| Bed", "10    |", "Bed10"),
        ("|---", "20    |", "Bed10Desk20"),
        ("| Desk", "```\n\n", "Desk20code = 1"),
        ("> quoted", "quoted\n", "quoted"),
        ("```\ncode", "code = 1", "code = 1"),
    ],
)
def test_the_passage_is_marked_to_the_letter(begin, end, expected):
    html = rendered(TEXT, *between(TEXT, begin, end))
    assert marks(html) == expected
    assert html.count('id="passage"') == 1
    assert re.sub('<mark( id="passage")?>|</mark>', "", html) == rendered(TEXT), "nothing else"


def test_a_passage_that_ends_in_an_address_is_still_shown():
    start = TEXT.index("example")
    html = rendered(TEXT, start, start + 7)
    assert "example" in marks(html) and 'id="passage"' in html


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "![x](http://evil.test/pixel.png)",
        "[x](javascript:alert(1))",
        "<iframe src='//evil.test'></iframe>",
        "<style>@import 'http://evil.test'</style>",
        "<a href='data:text/html,x'>x</a>",
        '"><svg onload=alert(1)>',
    ],
)
def test_nothing_runs_and_nothing_is_fetched(hostile):
    for html in (rendered(hostile), rendered(hostile, 0, len(hostile)), typed(hostile, 0, 5)):
        assert not re.search(r"<(script|img|iframe|svg|style|object|link)\b", html)
        assert not re.search(r"<[^>]+\s(on\w+|src|style)=", html)
        assert 'href="javascript' not in html and 'href="data' not in html


def test_front_matter_is_no_heading():
    text = "---\ntitle: A & B\n---\n# One\n"
    html = rendered(text, 4, text.index("One") + 3)
    assert "<pre>---\n" in html and "A &amp; B" in html and "<h2>" in html
    assert marks(html) == "title: A &amp; B\n---\nOne"


def test_the_signs_themselves_may_stand_in_a_text():
    assert "mark" not in rendered("a\U00016fe2b\U0001bc9fc")


def test_lines_of_cells_become_a_table():
    text = "Prices\nBed | 10\nDesk | 20\nThank you"
    html = typed(text, *between(text, "10", "Desk"))
    assert html.startswith("<p>Prices</p><table>") and html.endswith("<p>Thank you</p>")
    assert '<td><mark id="passage">10</mark></td></tr><tr><td><mark>Desk</mark></td>' in html


def test_any_ends_are_survived():
    for start in range(len(TEXT)):
        for end in (start, start + 1, start + 40, len(TEXT)):
            html = rendered(TEXT, start, min(end, len(TEXT)))
            assert html.count("<mark") == html.count("</mark>")


def test_the_cited_sentence_has_a_mark_of_its_own():
    whole, said = between(TEXT, "# Lease", "second item"), between(TEXT, "The **", "pays.")
    html = rendered(TEXT, *whole, said)
    assert marks(html) == marks(rendered(TEXT, *whole)), "no more and no less is marked"
    assert re.findall('<mark class="sentence">(.*?)</mark>', html) == ["The ", "tenant", " pays."]
    assert html.count('id="passage"') == 1 and html.index("passage") < html.index("sentence")
    html = typed("Bed | 10\nOne. Two & three.", 0, 26, (14, 26))
    assert '<p><mark>One. </mark><mark class="sentence">Two &amp; three.</mark></p>' in html
