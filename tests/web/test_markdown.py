"""A model's Markdown, made safe."""

import random

import pytest

from apps.web.markdown import Growing, render

CHIPS = {1: "<i>1</i>", 2: "<i>2</i>"}
REL = 'rel="noopener noreferrer"'
SAFE = [
    ("See [1].", "<p>See <i>1</i>.</p>"),
    ("See [01][2].", "<p>See <i>1</i><i>2</i>.</p>"),
    ("See [9].", "<p>See [9].</p>"),
    ("`[1]`", "<p><code>[1]</code></p>"),
    ("[1](https://a.b)", f'<p><a href="https://a.b" {REL}>1</a> <small>(https://a.b)</small></p>'),
    ("[x](//a.b)", f'<p><a href="//a.b" {REL}>x</a> <small>(//a.b)</small></p>'),
    ("<https://a.b>", f'<p><a href="https://a.b" {REL}>https://a.b</a></p>'),
    ("[x](#citation-1)", f'<p><a href="#citation-1" {REL}>x</a></p>'),
    ("<b hx-get='/x'>b</b>", "<p>&lt;b hx-get='/x'&gt;b&lt;/b&gt;</p>"),
    ("![a **x**](https://a.b/?secret)", "<p>a **x**</p>"),
    ("![<img src=x>](https://a.b)", "<p>&lt;img src=x&gt;</p>"),
    ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
    ("<hx-partial>", "<p>&lt;hx-partial&gt;</p>"),
    ("a  b", "<p>a  b</p>"),
    ("From $5 to $10, or 5$ and 10$.", "<p>From $5 to $10, or 5$ and 10$.</p>"),
    ("`$x^2$` [1]", "<p><code>$x^2$</code> <i>1</i></p>"),
    (
        "$x^2$ [1]",
        '<p><math display="inline"><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow></math>'
        " <i>1</i></p>",
    ),
    (
        r"\[ \frac{1}{n} \]",
        '<p><math display="block"><mrow><mfrac><mrow><mn>1</mn></mrow><mrow><mi>n</mi></mrow>'
        "</mfrac></mrow></math></p>",
    ),
    (
        r"$\href{https://a.b}{x}$",
        '<p><math display="inline"><mrow><mrow><mrow><mi>x</mi></mrow></mrow></mrow></math></p>',
    ),
    (r"$\frac{$", "<p><code>$\\frac{$</code></p>"),
]


@pytest.mark.parametrize(("text", "html"), SAFE)
def test_safe(text, html):
    assert render(text, CHIPS).strip() == html


TEXT = """# Tides

Why they **rise** [1][2]:

1. the moon

   as said
2. the sun
- #1 and # 2

```python
a = [1]

b = 2
```

| a | b |
|---|---|
| 1 | [2] |

> and so
on

$$a_1 =
\\frac{1}{2}$$ and \\(b\\) cost $5

Setext
---
last line #tag
#tag
# Heading
    code

    more [1]
end"""


def test_growing_gives_what_the_whole_gives():
    """At every length, for every way of cutting."""
    for seed in range(20):
        growing, chance, at = Growing(), random.Random(seed), 0
        while at < len(TEXT):
            at = min(len(TEXT), at + chance.randint(1, 9))
            part = TEXT[:at]
            if part.rpartition("[")[2].rstrip("0123456789"):  # no half citation at the end
                assert growing.html(part, CHIPS) == render(part, CHIPS), part
            else:
                growing.html(part, CHIPS)
        assert growing.html(TEXT, CHIPS) == render(TEXT, CHIPS)


def test_half_a_citation_is_not_shown():
    assert Growing().html("So [1", CHIPS) == "<p>So</p>\n"
