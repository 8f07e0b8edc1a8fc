"""The viewer: pages with the passage marked, lines, tables, sections, and nothing that runs."""

import json

import pymupdf
import pytest
from django.core.files.base import ContentFile
from django.test import Client

from apps.library import picturing, pointing, viewing
from apps.library.models import Chunk, Document, LocatorKind, Part, Workspace

HTMX = {"HX-Request": "true"}
CITED = "The notice period is three months."
State = Document.State


def pdf(*pages: str) -> bytes:
    paper = pymupdf.open()
    for text in pages:
        paper.new_page().insert_text((72, 200), text)
    return paper.tobytes()


def document(workspace: Workspace, format_name: str, content: bytes = b"", **fields) -> Document:
    return Document.objects.create(
        workspace=workspace,
        name=f"Lease.{format_name}",
        format=format_name,
        file=ContentFile(content, "x"),
        state=State.READY,
        **fields,
    )


def part(made: Document, ordinal: int, text: str, kind=LocatorKind.PAGE, **fields) -> Part:
    fields = {"number": ordinal + 1, "label": f"{kind} {ordinal + 1}"} | fields
    return Part.objects.create(
        document=made, revision=made.revision, ordinal=ordinal, kind=kind, text=text, **fields
    )


def cite(place: Part, text: str) -> Chunk:
    start = place.text.index(text)
    return Chunk.objects.create(
        document=place.document,
        part=place,
        revision=place.revision,
        ordinal=place.ordinal,
        text=text,
        kind=place.kind,
        number=place.number,
        label=place.label,
        start=start,
        end=start + len(text),
        digest="0" * 64,
    )


@pytest.fixture
def lease(workspace: Workspace) -> Document:
    pages = ["First page.", f"Article 9. {CITED}", "Last page."]
    made = document(workspace, "pdf", pdf(*pages), part_count=3)
    for ordinal, text in enumerate(pages):
        part(made, ordinal, text)
    return made


@pytest.fixture
def passage(lease: Document) -> Chunk:
    return cite(lease.parts.get(number=2), CITED)


def test_a_passage_opens_on_its_page_with_its_place_marked(reader, passage):
    page = reader.get(passage.get_absolute_url()).text
    assert "/pages/2.png" in page and '<rect class="mark"' in page and f">{CITED}</mark>" in page
    [(x0, y0, x1, y1)] = picturing.boxes(passage)
    assert 0.1 < x0 < x1 < 0.9 and 0.2 < y0 < 200 / 842 < y1 + 0.01 < 0.3


def test_the_side_panel_gets_the_viewer_alone(reader, passage):
    part_ = reader.get(passage.get_absolute_url(), headers=HTMX).text
    assert part_.lstrip().startswith('<div class="viewer" id="viewer">')
    assert "data-close-panel" in part_ and 'id="receipt"' not in part_


def test_turning_a_page_brings_the_outline_along(reader, lease):
    target = HTMX | {"HX-Target": "section#reading"}
    part_ = reader.get(lease.get_absolute_url(), {"page": 3}, headers=target).text
    assert part_.lstrip().startswith("<section") and 'id="outline"' in part_
    assert "/pages/3.png" in part_ and "?page=2" in part_ and "?page=4" not in part_


@pytest.mark.parametrize("page", ["0", "-1", "99999999999999999999", "x", ""])
def test_a_page_that_is_not_there_opens_a_near_one(reader, lease, page):
    assert reader.get(lease.get_absolute_url(), {"page": page}).status_code == 200


def test_a_page_is_drawn_once_and_kept_for_its_owner_only(reader, lease, client: Client, bob):
    address = f"/library/documents/{lease.pk}/pages/1.png"
    answer = reader.get(address, {"width": 300})
    assert answer.content.startswith(b"\x89PNG") and answer["Content-Type"] == "image/png"
    assert "private" in answer["Cache-Control"]
    lease.file.storage.delete(lease.file.name)
    assert reader.get(address, {"width": 300}).content == answer.content
    client.force_login(bob)
    assert client.get(address, {"width": 300}).status_code == 404


@pytest.mark.parametrize("number", [0, 4, 10**12])
def test_a_page_image_beyond_the_document_is_not_found(reader, lease, number):
    assert reader.get(f"/library/documents/{lease.pk}/pages/{number}.png").status_code == 404


def test_a_scanned_page_shows_its_text_and_how_sure_it_is(reader, lease):
    lease.parts.filter(number=1).update(ocr=True, confidence=0.87)
    page = reader.get(lease.get_absolute_url()).text
    assert "Text recognised on this page (87 % sure)" in page
    assert '<details class="fold page-text" open>' in page


def test_a_long_pdf_lists_only_pages_around(reader, workspace):
    made = document(workspace, "pdf", part_count=1500)
    Part.objects.bulk_create(
        Part(
            document=made, revision=1, ordinal=n, kind="page", number=n + 1, label="", text="Text."
        )
        for n in range(1500)
    )
    page = reader.get(made.get_absolute_url(), {"page": 700})
    assert len(page.context["outline"]) == 2 * viewing.PAGES_AROUND + 1
    assert "of 1,500" in page.text


def test_lines_are_numbered_and_the_cited_ones_marked(reader, workspace):
    made = document(workspace, "text")
    place = part(made, 0, "one\ntwo\nthree\nfour", LocatorKind.LINES, number=11)
    page = reader.get(cite(place, "two\nthree").get_absolute_url()).text
    assert '<li value="12" class="cited" id="passage">' in page
    assert '<li value="13" class="cited">' in page and '<li value="14">' in page


def test_a_passage_deep_in_a_long_text_is_shown_with_the_lines_above_it(workspace):
    made = document(workspace, "text", character_count=10**6)
    text = "\n".join(f"line number {n}" for n in range(1, 2001))
    chunk = cite(part(made, 0, text, LocatorKind.LINES, number=1), "line number 1500")
    sight = viewing.open_at(made, chunk=chunk)
    lines = sight.leaves[0].lines
    assert lines[0].number == 1500 - viewing.BEFORE and len(lines) == viewing.WINDOW
    assert [line.number for line in lines if line.cited] == [1500]
    assert sight.previous and sight.next


def test_walking_forward_shows_every_line_once(workspace):
    made = document(workspace, "text", character_count=10**6)
    text = "\n".join(f"line {n}" for n in range(1, 1001))
    part(made, 0, text, LocatorKind.LINES, number=1)
    part(made, 1, "last", LocatorKind.LINES, number=1001)
    seen, ordinal, line = [], 0, 0
    for _ in range(9):
        sight = viewing.open_at(made, ordinal=ordinal, line=line)
        seen += [each.number for leaf in sight.leaves for each in leaf.lines]
        if not sight.next:
            break
        asked = dict(pair.split("=") for pair in sight.next[1:].split("&"))
        ordinal, line = int(asked["part"]), int(asked.get("line", 0))
    assert seen == list(range(1, 1002))


def test_a_table_has_its_header_and_the_cited_rows_marked(reader, workspace):
    made = document(workspace, "csv")
    place = part(
        made,
        0,
        "Ada | 36\nBob | 41",
        LocatorKind.SHEET,
        number=2,
        header="Name | Age",
        label="rows",
    )
    page = reader.get(cite(place, "Bob | 41").get_absolute_url()).text
    assert '<th scope="col">Name</th><th scope="col">Age</th>' in page
    assert '<tr class="cited" id="passage"><th scope="row" class="line-number">3</th>' in page
    assert "<td>Bob</td><td>41</td>" in page


def test_sections_are_shown_together_and_the_passage_marked(reader, workspace):
    made = document(workspace, "markdown", character_count=60)
    part(made, 0, "# Lease", LocatorKind.SECTION, label="Lease")
    place = part(made, 1, f"Before. {CITED} After.", LocatorKind.SECTION, label="Lease › Notice")
    page = reader.get(cite(place, CITED).get_absolute_url()).text
    assert f'Before. <mark id="passage">{CITED}</mark> After.' in page
    assert "<h2>Lease</h2>" in page and 'href="#part-0"' in page


def at(passage: Chunk, sentence: str) -> str:
    """The address of a sentence of a passage."""
    return f"{passage.get_absolute_url()}?sentence={pointing.pointer(sentence)}"


def test_the_cited_sentence_is_marked_more_strongly(reader, workspace, lease):
    said = f'<mark class="sentence">{CITED}</mark>'
    made = document(workspace, "markdown", character_count=60)
    place = part(made, 0, f"## Notice\nBefore. {CITED} After.", LocatorKind.SECTION)
    passage = cite(place, place.text)
    page = reader.get(at(passage, CITED)).text
    assert f"<mark>Before. </mark>{said}<mark> After.</mark>" in page
    panel = reader.get(at(passage, CITED), headers=HTMX).text
    assert f'href="{at(passage, CITED)}"' in panel, "the whole document opens there, too"
    for nothing in ("Nobody wrote this.", ""):
        page = reader.get(at(passage, nothing)).text
        assert f"<mark>Before. {CITED} After.</mark>" in page and '"sentence"' not in page
    place = lease.parts.get(number=2)
    page = reader.get(at(cite(place, place.text), CITED)).text
    assert f"<mark>Article 9. </mark>{said}" in page  # of the text beside the picture
    assert page.count('<rect class="mark sentence"') == 1
    made = document(workspace, "text")
    place = part(made, 0, "one\ntwo\nthree", LocatorKind.LINES, number=1)
    page = reader.get(at(cite(place, place.text), "two")).text
    assert '<li value="1" class="cited" id="passage">' in page
    assert page.count("cited sentence") == 1 and '<li value="2" class="cited sentence">' in page


@pytest.mark.parametrize("kind", [LocatorKind.SECTION, LocatorKind.LINES, LocatorKind.SHEET])
def test_what_is_hostile_is_only_text(reader, workspace, kind):
    made = document(workspace, "html")
    hostile = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    chunk = cite(part(made, 0, hostile, kind, label=hostile, header=hostile), hostile)
    page = reader.get(chunk.get_absolute_url()).text
    assert "<script>alert" not in page and "<img src=x" not in page and "&lt;script&gt;" in page


def test_a_document_that_could_not_be_read_says_why(reader, workspace):
    made = document(workspace, "docx")
    Document.objects.update(state=State.REFUSED, reason="It needs its password.")
    assert "It needs its password." in reader.get(made.get_absolute_url()).text


def test_a_document_page_costs_few_queries(reader, passage, django_assert_max_num_queries):
    reader.get(passage.get_absolute_url())
    with django_assert_max_num_queries(10):  # with the two that note what was read
        reader.get(passage.get_absolute_url())


def test_a_document_of_many_sections_costs_no_more(
    reader, workspace, django_assert_max_num_queries
):
    made = document(workspace, "markdown")
    for n in range(12):
        part(made, n, f"What stands in section {n}.", label=f"Rules › Section {n}")
    reader.get(made.get_absolute_url())
    with django_assert_max_num_queries(10):
        reader.get(made.get_absolute_url())


def test_places_that_were_found_are_kept(passage, settings):
    found = picturing.boxes(passage)
    [kept] = (settings.DERIVED_DIR / str(passage.document_id)).glob("*-passage-*")
    assert json.loads(kept.read_text()) == [list(box) for box in found]
