"""What is taken away holds the whole map, in letters of any script, and is counted once."""

import io
import xml.etree.ElementTree as ET
from datetime import date

import pymupdf
import pytest
from django.urls import reverse
from PIL import Image

from apps.progress.models import Event
from apps.study import mindmap_export
from apps.study.mindmap_layout import layout
from apps.study.models import Mindmap

TREE = {
    "label": "Wärmepumpe & <Größe>",
    "children": [
        {
            "label": "Kündigung: 3 Monate",
            "children": [
                {"label": "* not a bullet [x](y)", "children": []},
                {"label": "漢字テスト", "children": [{"label": "third level", "children": []}]},
            ],
        },
        {"label": "<script>alert(1)</script>", "children": [{"label": "1. first"}]},
        {"label": "مرحبا بالعالم", "children": []},
        {"label": "Привет ελληνικά", "children": []},
    ],
}


@pytest.fixture
def made(alice, workspace):
    return Mindmap.objects.create(
        owner=alice, workspace=workspace, title="Wärme/../pumpe “x”", tree=TREE
    )


def test_markdown_is_a_nested_list_in_which_nothing_is_a_mark():
    assert mindmap_export.markdown(TREE) == (
        "# Wärmepumpe \\& \\<Größe\\>\n\n"
        "- Kündigung: 3 Monate\n"
        "  - \\* not a bullet \\[x\\](y)\n"
        "  - 漢字テスト\n"
        "    - third level\n"
        "- \\<script\\>alert(1)\\</script\\>\n"
        "  - 1\\. first\n"
        "- مرحبا بالعالم\n"
        "- Привет ελληνικά\n"
    )


def test_the_svg_stands_alone():
    drawn = mindmap_export.svg(layout(TREE), "A <title>")
    tree = ET.fromstring(drawn.encode())
    tags = {element.tag.rpartition("}")[2] for element in tree.iter()}
    assert tags == {"svg", "title", "rect", "path", "g", "text"}
    names = {name for element in tree.iter() for name in element.attrib}
    assert not names & {"href", "style", "class", "onload"}
    text = " ".join(element.text or "" for element in tree.iter())
    assert "<script>alert(1)</script>" in text.replace("> <", "><")
    assert drawn.count("http") == 1  # the name of the language


def test_the_pdf_has_every_word_on_one_page():
    with pymupdf.open("pdf", mindmap_export.pdf(layout(TREE), "Title")) as document:
        assert document.page_count == 1
        assert document.metadata["title"] == "Title"
        text = " ".join(document[0].get_text().split())
        page = document[0].rect
        assert all(pymupdf.Rect(word[:4]) in page for word in document[0].get_text("words"))
    for label in ("Kündigung: 3", "third level", "漢字テスト", "Привет", "ελληνικά", "& <Größe>"):
        assert label in text


def test_the_png_is_2400_wide_and_shows_the_whole_map():
    placed = layout(TREE)
    with Image.open(io.BytesIO(mindmap_export.png(placed))) as picture:
        assert picture.width == 2400
        assert abs(picture.height - 2400 * placed.height / placed.width) <= 3
        colours = {colour for _, colour in picture.convert("RGB").getcolors(1 << 24)}
        assert (0xA1, 0x3C, 0x0B) in colours  # the root
        border = [picture.getpixel((x, y)) for x in range(0, 2400, 50) for y in (2, 5)]
        assert len(set(border)) == 1, "something is cut off at the top"


@pytest.mark.parametrize("suffix", ["md", "svg", "png", "pdf"])
def test_a_download_is_counted_and_a_look_is_not(reader, made, suffix):
    address = reverse("study:mindmap_export", args=[made.pk, suffix])
    assert reader.head(address).status_code == 200
    assert not Event.objects.exists()
    answer = reader.get(address)
    assert answer["Content-Disposition"].startswith('attachment; filename="warmepumpe-x-20')
    assert answer["Content-Disposition"].endswith(f'.{suffix}"')
    assert len(answer.content) > 100
    made.refresh_from_db()
    assert made.exports == 1
    assert Event.objects.get().facts == {"mindmap": made.pk, "format": suffix}


def test_other_formats_and_empty_maps_are_not_there(reader, made):
    assert reader.get(reverse("study:mindmap_export", args=[made.pk, "exe"])).status_code == 404
    made.tree = {}
    made.save()
    assert reader.get(reverse("study:mindmap_export", args=[made.pk, "svg"])).status_code == 404


def test_a_file_name_has_letters_that_every_system_takes(made):
    made.title = "漢字"
    assert mindmap_export.file_name(made, "md", date(2026, 11, 29)) == "mindmap-2026-11-29.md"
