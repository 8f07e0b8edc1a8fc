"""A passage among the results is shown as what it is: rows, code, a list, prose."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.library import excerpts, shapes
from apps.library.models import Chunk, Document, Part
from apps.library.search import Hit
from apps.library.shapes import Line

TABLE = "service | host | port\npayd | pay-01 | 8443\nredis | cache-01 | 6379"
SCRIPT = 'def rotate(name):\n    path = folder / name\n    return "<b>" + path\n'
RUNBOOK = """## Drain a node

1. Cordon it: `kubectl cordon node-07`
2. Drain it.

| Week | Person |
|------|-------:|
| 49   | **Jonas** |

```sh
df -h /var/log   # below 80 %
```

Things that
go wrong."""
LETTER = "Dear Mira, the **lease** of the flat ends at the end of\nMarch, as you wrote."


def seen(text, words=(), *, format="markdown", kind="section", header="", name="", start=0):
    """What the results show of a text."""
    part = Part(text=text, kind=kind, header=header)
    document = Document(name=name or f"a.{format}", format=format)
    chunk = Chunk(part=part, document=document, text=text, start=start)
    return excerpts.shown(shapes.of((chunk,), text), words)


def test_rows_are_rows_below_the_names_of_their_columns():
    shown = seen(TABLE, ("redis", "port"), format="csv", kind="sheet", header=TABLE.split("\n")[0])
    assert '<th scope="col"><mark>port</mark></th>' in shown
    row = '<tr><td class="brief"><mark>redis</mark></td><td class="brief">cache-01</td>'
    assert f'{row}<td class="brief">6379</td></tr>' in shown
    assert shown.count("<tr>") == 3


def test_a_table_keeps_its_header_where_only_some_rows_are_shown():
    rows = [f"host-{n:02} | {n} | a remark that takes some room" for n in range(20)]
    text = "\n".join(["host | number | remark", *rows])
    shown = seen(text, ("host-09",), format="xlsx", kind="sheet", header="host | number | remark")
    assert '<th scope="col">remark</th>' in shown
    assert "<mark>host-09</mark>" in shown
    assert "host-02" not in shown
    assert shown.count("<tr>") <= excerpts.LINES + 1
    assert shown.endswith('<p class="more">…</p>') and not shown.startswith("<p")


def test_code_stands_line_by_line_and_as_far_in_as_it_did():
    shown = seen(SCRIPT, ("path",), format="code", kind="lines")
    assert shown.startswith("<pre><code>def rotate(name):</code>\n<code>    <mark>path</mark> = ")
    assert "&quot;&lt;b&gt;&quot; + <mark>path</mark></code></pre>" in shown


def test_the_first_line_of_code_is_as_far_in_as_it_was():
    text = "class A:\n    def b(self):\n        return 1"
    part, document = Part(text=text, kind="lines"), Document(name="a.py", format="code")
    chunk = Chunk(part=part, document=document, text=text[13:], start=13)
    cells = [line.cells[0] for line in shapes.of((chunk,), chunk.text)]
    assert cells == ["    def b(self):", "        return 1"]


def test_markdown_is_what_its_marks_say():
    shown = seen(RUNBOOK, ("Jonas", "wrong"))
    assert "<p><b>Drain a node</b></p>" in shown
    assert '<ul class="items"><li><span>1.</span><span>Cordon it: <code>kubectl' in shown
    assert '<th scope="col">Person</th>' in shown
    assert '<td class="brief"><mark>Jonas</mark></td>' in shown
    assert "<pre><code>df -h /var/log   # below 80 %</code></pre>" in shown
    assert "<p>Things that go <mark>wrong</mark>.</p>" in shown
    assert "|" not in shown and "```" not in shown


NIGHT = """## Lag

First look at the lag:

    psql -h db-primary

    \\q

If it grows,
    stop the *export*.

1. Call Ines:

    She knows the **bank**.

Then wait.

\tsystemctl stop payd"""


def test_code_of_markdown_may_stand_in_by_four_blanks():
    chunk = Chunk(part=Part(text=NIGHT, kind="section"), text=NIGHT, start=0)
    chunk.document = Document(name="a.md", format="markdown")
    lines = [(line.kind, line.cells[0]) for line in shapes.of((chunk,), NIGHT)]
    assert [cell for kind, cell in lines if kind == "code"] == [
        "psql -h db-primary", "", "\\q", "systemctl stop payd",
    ]  # fmt: skip
    prose = {cell for kind, cell in lines if kind == "prose"}
    assert prose >= {"If it grows, stop the export.", "She knows the bank."}
    assert lines[-2:] == [("prose", "Then wait."), ("code", "systemctl stop payd")]


@pytest.mark.parametrize(
    ("start", "kinds"), [("psql", "code prose"), ("She", "prose prose code"), ("syst", "code")]
)
def test_a_passage_may_begin_within_such_code_or_below_an_item(start, kinds):
    at = NIGHT.index(start)
    text = NIGHT[at:].split("\n\n    \\q")[0] if start == "psql" else NIGHT[at:]
    text += "\n\nThe end." if start == "psql" else ""
    chunk = Chunk(part=Part(text=NIGHT, kind="section"), text=text, start=at)
    chunk.document = Document(name="a.md", format="markdown")
    assert " ".join(line.kind for line in shapes.of((chunk,), text)) == kinds


def test_a_passage_may_begin_within_a_fence():
    text = "```\nfirst\nsecond | third\n```\nAnd prose."
    part, document = Part(text=text, kind="section"), Document(name="a.md", format="markdown")
    chunk = Chunk(part=part, document=document, text=text[10:], start=10)
    kinds = [line.kind for line in shapes.of((chunk,), chunk.text)]
    assert kinds == ["code", "prose"]


def test_a_table_of_an_office_document_has_its_first_row_as_header_where_it_names_columns():
    text = "All meters:\n\nMeter | Reading\nWater | 312,4\n\nFour keys."
    shown = seen(text, ("water",), format="docx")
    assert "<p>All meters:</p>" in shown
    assert '<thead><tr><th scope="col">Meter</th>' in shown
    assert "<p>Four keys.</p>" in shown
    assert "<thead>" not in seen("Anna | Chair\nBo | Treasurer", (), format="docx")


@pytest.mark.parametrize(
    ("text", "name", "kinds"),
    [
        (LETTER, "letter.txt", ["prose"]),
        ("Call Mira\nBring keys", "notes.txt", ["prose", "prose"]),
        ("Then:\n\n$ df -h\n$ docker system prune --force", "notes.txt", ["prose", "code", "code"]),
        ("a: 1\nb: 2", "settings.yaml", ["code", "code"]),
        ("- one\n- two", "notes.txt", ["item", "item"]),
    ],
)
def test_lines_of_a_text_are_prose_items_or_commands(text, name, kinds):
    part, document = Part(text=text, kind="lines"), Document(name=name, format="text")
    chunk = Chunk(part=part, document=document, text=text, start=0)
    assert [line.kind for line in shapes.of((chunk,), text)] == kinds


def test_short_lines_of_a_page_are_cells_of_a_row():
    long = "The display shows a code; write it down with date and time before you\npress Reset."
    text = f"Code\nMeaning\n\n{long}"
    shown = seen(text, (), format="pdf", kind="page")
    assert "<p>Code · Meaning</p>" in shown
    assert "time before you press Reset." in shown


@pytest.mark.parametrize(
    ("text", "words", "wanted"),
    [
        ("A red bridge", ("bridge",), "A red <mark>bridge</mark>"),
        ("Bridges, a BRIDGE", ("bridge",), "Bridges, a <mark>BRIDGE</mark>"),
        ("see § 573  BGB", ("§ 573", "BGB"), "see <mark>§ 573</mark>  <mark>BGB</mark>"),
        ("in C++ only", ("C++",), "in <mark>C++</mark> only"),
        ("call foo_bar() now", ("foo_bar()",), "call <mark>foo_bar()</mark> now"),
        ("東京都", ("東京",), "<mark>東京</mark>都"),
        ("run `df -h` now", ("df",), "run <code><mark>df</mark> -h</code> now"),
        ("x <b> y", ("<b>",), "x <mark>&lt;b&gt;</mark> y"),
    ],
)
def test_words_are_marked_as_whole_words(text, words, wanted):
    assert seen(text, words) == f"<p>{wanted}</p>"


def test_nothing_to_show_is_nothing():
    assert seen("", ("a",)) == "" == seen("---\n", ())


def test_markup_of_a_document_stays_text():
    shown = seen("<script>alert('red')</script> & red", ("red", "script"))
    assert "<script" not in shown
    assert "&lt;<mark>script</mark>&gt;" in shown
    assert shown.endswith("&amp; <mark>red</mark></p>")


def test_the_stretch_with_most_words_is_shown():
    text = "red " + "filler " * 200 + "red bridge over the river " + "filler " * 200
    shown = seen(text, ("red", "bridge", "river"))
    assert "<mark>bridge</mark>" in shown
    assert shown.startswith("<p>… ") and shown.endswith(" …</p>")
    assert len(shown) < 500


def test_a_phrase_over_a_line_break_is_marked_on_both_lines():
    shown = seen("Heads of the\n\nKaution der Mieter", ("the Kaution",), format="docx")
    assert "of <mark>the</mark></p><p><mark>Kaution</mark> der" in shown


KINDS = st.sampled_from(["prose", "heading", "item", "row", "code"])
FORMS = [("markdown", "section"), ("csv", "sheet"), ("code", "lines"), ("text", "lines"),
         ("pdf", "page"), ("docx", "section")]  # fmt: skip
TAG = re.compile(
    r"</?(?:p|b|br|ul|li|span|pre|code|mark|div|table|thead|tbody|tr|th|td)(?: [a-z =\"-]+)?>"
)


@pytest.mark.parametrize(("format", "kind"), FORMS)
@given(text=st.text(alphabet="ab |`*-#<>&\n1.\x02\x03\t\"", max_size=600) | st.text(max_size=300),
       words=st.lists(st.text(min_size=1, max_size=5).filter(str.strip), max_size=4))  # fmt: skip
def test_any_passage_may_be_shown(format, kind, text, words):
    shown = seen(text, words, format=format, kind=kind)
    assert "<" not in TAG.sub("", shown)
    for name in ("mark", "code", "p", "tr", "li"):
        assert len(re.findall(rf"<{name}[ >]", shown)) == shown.count(f"</{name}>")


@given(
    st.lists(st.builds(Line, KINDS, st.lists(st.text("ab ", max_size=9), min_size=1).map(tuple)))
)
def test_any_lines_may_be_shown(lines):
    excerpts.shown(lines, ("a", "b"))


def test_what_the_page_names_above_is_not_said_again():
    part = Part(text=RUNBOOK, kind="section")
    document = Document(name="a.md", format="markdown")
    chunk = Chunk(part=part, document=document, text=RUNBOOK, start=0, label="Ops › Drain a node")
    hit = Hit(chunk, 1.0, 1, 1, 0.9, "strong", ("cordon",))
    assert "Drain a node" not in excerpts.of(hit)
    assert "<mark>Drain</mark> a node" in excerpts.of(replace(hit, words=("Drain",)))


def test_a_table_too_wide_for_a_phone_says_the_name_of_each_column():
    head = "date | house | device | error code | what was done"
    row = "2025-06-07 | 4 | intercom |  | Bell of flat 12 repaired"
    shown = seen(f"{head}\n{row}", ("bell",), format="csv", kind="sheet", header=head)
    assert '<table class="wide">' in shown
    assert '<td class="brief" data-label="house">4</td>' in shown
    assert 'class="wide"' not in seen(TABLE, (), format="csv", kind="sheet", header=TABLE[:21])
