"""Operators in the search field: what they are, what they are not, and what they leave to find."""

from datetime import UTC, date, datetime

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.library import analysis
from apps.library.asking import Asked, read
from apps.library.models import Category, Document, Workspace
from apps.library.narrowing import narrowed, places
from apps.library.search import Place, Scope, search
from tests.library.passages import document

# What people type, and what nobody does: operators, quotes that do not pair, marks without width.
LINE = st.text(
    st.one_of(
        st.characters(), st.sampled_from("\"“”„«»':-−()&|!<>*\\\u200b\u200d\0\ud800\u0301 aßЖ字ع")
    ),
    max_size=80,
)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("plain words", Asked("plain words")),
        ('say "exact words" now', Asked("say exact words now", phrases=("exact words",))),
        ("„genau so“", Asked("genau so", phrases=("genau so",))),
        ("bridge -wood", Asked("bridge", without=("wood",))),
        ('bridge -"old wood"', Asked("bridge", without=("old wood",))),
        ('a in:"Lease 2021.pdf"', Asked("a", names=("Lease 2021.pdf",))),
        ("a category:Law type:.PDF", Asked("a", categories=("Law",), types=("pdf",))),
        ("a after:2024-05", Asked("a", after=date(2024, 5, 1))),
        ("a lang:DE before:2024", Asked("a", languages=("de",), before=date(2024, 1, 1))),
        ('a workspace:all workspace:"My own"', Asked("a", workspaces=("all", "My own"))),
        ("a typ:pdf kategorie:Recht", Asked("a", categories=("Recht",), types=("pdf",))),
        ("a nach:2024 Vor:2025", Asked("a", after=date(2024, 1, 1), before=date(2025, 1, 1))),
        ("Weg nach:Hause Nach:mittag vor:Ort", Asked("Weg nach:Hause Nach:mittag vor:Ort")),
        ("a sprache:Deutsch", Asked("a", languages=("deutsch",))),
        ("a arbeitsbereich:alle", Asked("a", workspaces=("alle",))),
        ("In: Nature, page 3", Asked("In: Nature, page 3")),
        ('what is "put in:" there', Asked("what is put in: there", phrases=("put in:",))),
        ('an unpaired " quote', Asked('an unpaired " quote')),
        ("well-known re-entry", Asked("well-known re-entry")),
        ("set --max-count to -5", Asked("set --max-count to -5")),
        ("note: begin: here", Asked("note: begin: here")),
        ("-wood", Asked("wood", turned=True)),
        ('""', Asked("")),
    ],
)
def test_a_line_is_taken_apart(line, wanted):
    assert read(line) == wanted


@pytest.mark.parametrize("value", ["yesterday", "2024-13", "24-05-01"])
def test_a_date_that_is_none_is_told_with_its_form(value):
    with pytest.raises(LookupError, match="2024-05"):
        read(f"a after:{value}")


@pytest.mark.parametrize("line", ["a nach:24-05-01", 'a vor:"gestern"'])
def test_what_may_be_a_date_is_told_in_german_too(line):
    with pytest.raises(LookupError, match="2024-05"):
        read(line)


@pytest.mark.parametrize("line", ["in:", "a nach:", "a typ:", "type: in:x", 'in: "Lease 2021.pdf"'])
def test_an_operator_without_its_value_is_told(line):
    with pytest.raises(LookupError, match="is followed by nothing"):
        read(line)


@pytest.mark.parametrize("line", ['in:"Lease 2021', "a category:„Law b", "typ:“x", "in:»y"])
def test_an_operator_with_an_open_quote_is_told(line):
    with pytest.raises(LookupError, match="is not closed"):
        read(line)


@given(LINE)
def test_any_line_may_be_typed(line):
    try:
        asked = read(line)
    except LookupError:
        return
    assert asked.text == " ".join(asked.text.split())
    assert all((*asked.phrases, *asked.without))


@given(st.lists(st.from_regex(r"[a-z]{1,8}", fullmatch=True), min_size=1, max_size=8))
def test_words_without_operators_are_left_alone(words):
    assert read(" ".join(words)) == Asked(" ".join(words))


@pytest.fixture
def connected(db) -> None:
    """One transaction for all examples."""


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(phrase=LINE, other=LINE)
def test_postgresql_takes_every_condition(connected, phrase, other):
    query = analysis.condition([phrase, other], [other], ["en", "de"])
    storable = query.encode("utf-8", "ignore").decode().replace("\0", "")
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::tsquery", [storable])


@pytest.fixture
def bridges(workspace):
    texts = ["A bridge of old stone.", "An old bridge of stone.", "A bridge of wood.", "Rain."]
    return document(workspace, "one.txt", [*texts, *[f"River {n}." for n in range(30)]])


def found(workspace, line: str) -> list[str]:
    asked = read(line)
    scope = narrowed(workspace, asked)
    if not scope:
        return []
    hits = search(
        workspace, asked.text, scope=scope, phrases=asked.phrases, without=asked.without
    ).hits
    return [hit.chunk.text for hit in hits]


def test_quoted_words_stand_side_by_side(workspace, bridges):
    assert found(workspace, '"old stone"') == ["A bridge of old stone."]
    assert len(found(workspace, "old stone")) == 2


def test_a_minus_leaves_out(workspace, bridges):
    assert "A bridge of wood." not in found(workspace, "bridge -wood")
    assert found(workspace, 'bridge -"of stone" -"old stone"') == ["A bridge of wood."]


def test_operators_name_documents(workspace, bridges):
    law = Category.objects.create(workspace=workspace, name="Law")
    inside = document(workspace, "inside.md", ["A bridge of law."], category=law)
    assert found(workspace, "bridge in:law") == ["A bridge of law."]
    assert found(workspace, "bridge category:Law") == ["A bridge of law."]
    assert found(workspace, "bridge in:inside.md") == ["A bridge of law."]
    assert found(workspace, "bridge type:md") == ["A bridge of law."]
    assert len(found(workspace, f"bridge after:{inside.created_at:%Y-%m-%d}")) == 4
    assert found(workspace, "bridge after:2999") == []


@pytest.mark.parametrize("line", ["a in:Nowhere", "a category:one.txt", "a type:docx"])
def test_an_unknown_name_is_told(workspace, bridges, line):
    with pytest.raises(LookupError, match="There is no"):
        found(workspace, line)


def test_an_empty_category_is_known_and_holds_nothing(workspace, bridges):
    Category.objects.create(workspace=workspace, name="Empty")
    assert found(workspace, "bridge in:Empty") == []


@pytest.mark.parametrize(
    "line",
    [
        "water " * 833,
        "the of and",
        '"unpaired',
        "\u200bbrid\u200bge\u200d",
        "мост bridge 橋 جسر γέφυρα",
        "-" * 5000,
        'in:"' + "x" * 5000,
        '"the of"',
    ],
)
def test_bad_lines_get_an_answer(workspace, bridges, line):
    try:
        assert len(found(workspace, line)) <= 10
    except LookupError as reason:
        assert "There is no" in str(reason) or "is not closed" in str(reason)


def test_days_and_languages_narrow(workspace):
    old = document(workspace, "alt.txt", ["Ein Fluss."], language="de")
    Document.objects.filter(pk=old.pk).update(created_at=datetime(2020, 5, 1, tzinfo=UTC))
    new = document(workspace, "new.txt", ["A river."])
    assert narrowed(workspace, read("x before:2021")) == Scope(documents=(old.pk,))
    assert narrowed(workspace, read("x after:2021")) == Scope(documents=(new.pk,))
    for name in ("de", "german", "Deutsch", "de-AT"):
        assert narrowed(workspace, read(f"x lang:{name}")) == Scope(documents=(old.pk,))
    assert narrowed(workspace, read("x lang:de after:2021")) is None
    with pytest.raises(LookupError, match="There are: de, en"):
        narrowed(workspace, read("x lang:fr"))


def test_a_type_and_a_language_go_by_what_their_filters_are_called(workspace):
    made = document(workspace, "letter.docx", ["A letter."])
    Document.objects.filter(pk=made.pk).update(format="docx")
    sheet = document(workspace, "plan.csv", ["A plan."], language="de")
    Document.objects.filter(pk=sheet.pk).update(format="csv")
    assert narrowed(workspace, read("x type:word")) == Scope(documents=(made.pk,))
    for line in ("x typ:Tabelle", "x type:table", "x sprache:deutsch", "x lang:german"):
        assert narrowed(workspace, read(line)) == Scope(documents=(sheet.pk,))
    assert narrowed(workspace, read("x sprache:Englisch")) == Scope(documents=(made.pk,))
    with pytest.raises(LookupError, match=r"There are: Table, Word\."):
        narrowed(workspace, read("x typ:exe"))


def test_workspaces_are_named_or_all_of_ones_own(workspace, bob):
    other = Workspace.objects.create(owner=workspace.owner, name="Work")
    here = [place.workspace for place in places(workspace, read("x"))]
    assert here == [workspace]
    assert [p.workspace for p in places(workspace, read("x workspace:work"))] == [other]
    both = {place.workspace for place in places(workspace, read("x workspace:all"))}
    assert both == {workspace, other}
    Workspace.objects.create(owner=bob, name="Theirs")
    with pytest.raises(LookupError, match="no workspace called “Theirs”"):
        places(workspace, read("x workspace:Theirs"))


def test_a_category_of_one_workspace_is_enough_in_all(workspace):
    other = Workspace.objects.create(owner=workspace.owner, name="Work")
    law = Category.objects.create(workspace=other, name="Law")
    inside = document(other, "law.txt", ["A law."], category=law)
    found = places(workspace, read("x workspace:all category:law"))
    assert found == [Place(other, Scope(documents=(inside.pk,)))]
