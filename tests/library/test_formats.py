"""What files of one kind have that others have not: number formats, pictures, layers, code."""

import io
import json
import zipfile
from importlib import import_module
from pathlib import Path

import pymupdf
import pytest
from django.utils.translation import override
from PIL import Image, ImageDraw, ImageFont

from apps.library import labels
from apps.library.chunking import cut
from apps.library.parsing import Opened, ReadPart, Skipped, Source
from apps.library.parsing.cellformats import shown
from apps.library.parsing.layers import is_apart, is_garbled

LINES = [
    "The committee approved the budget of 1987",
    "for the northern lighthouse and its keeper.",
    "Payments are due on the first of March.",
]
Pieces = list[ReadPart | Skipped]


def pieces(folder: Path, format: str, data: bytes | str, name: str = "") -> Pieces:
    """What a parser gives, in this process: the sandbox has tests of its own."""
    path = folder / f"a.{name or format}"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    found = import_module(f"apps.library.parsing.{format}").read(Source(path, path.name, format))
    return [piece for piece in found if not isinstance(piece, Opened)]


def parts(folder: Path, format: str, data: bytes | str, name: str = "") -> list[ReadPart]:
    found = pieces(folder, format, data, name)
    return [piece for piece in found if isinstance(piece, ReadPart)]


def picture(lines: list[str], size: tuple[int, int] = (1240, 1754)) -> bytes:
    page = Image.new("L", size, 255)
    font = ImageFont.load_default(size=34)
    ImageDraw.Draw(page).multiline_text((100, 100), "\n".join(lines), font=font, spacing=24)
    out = io.BytesIO()
    page.save(out, "PNG")
    return out.getvalue()


# --- spreadsheets --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "code", "words"),
    [
        ("0.175", "0%", "17.5%"), ("0.1753", "0.00%", "17.53%"), ("0.5", "0.0%", "50.0%"),
        ("-0.07", "0%", "-7%"), ("1234567", "#,##0", "1234567"), ("1234.5", "#,##0.00", "1234.50"),
        ("1234.5", '#,##0.00\\ "€"', "1234.50 €"), ("1234.5", "#,##0.00 [$€-407]", "1234.50 €"),
        ("-1234.5", "[$$-409]#,##0.00;[Red]\\-[$$-409]#,##0.00", "-$1234.50"),
        ("1599.99", '"$"#,##0.00_);[Red]\\("$"#,##0.00\\)', "$1599.99"),
        ("0.5", "h:mm", "12:00"), ("0.604178240740741", "h:mm:ss", "14:30:01"),
        ("1.5", "[h]:mm", "36:00"), ("45992", "dd/mm/yyyy", "2025-12-01"),
        ("45992.25", 'dd.mm.yyyy hh:mm', "2025-12-01 06:00:00"), ("1234", "00000", "01234"),
        ("12", '0" kg"', "12 kg"), ("3.14159", "0.00", "3.14159"), ("2.5", "# ?/?", "2.5"),
        ("198356388", "0.00E+00", "198356388"), ("0.30000000000000004", "", "0.3"),
        ("7", "General", "7"), ("7", "@", "7"), ("x", "0%", "x"), ("-1", "0%", "-100%"),
    ],
)  # fmt: skip
def test_a_number_is_shown_as_its_format_says_and_loses_no_digit(value, code, words):
    assert shown(value, code) == words


def sheet(*rows: list[str | int]) -> bytes:
    """A workbook of one sheet with these rows, whose cells stand from A on."""
    lines = []
    for number, row in enumerate(rows, 1):
        cells = [
            f'<c r="{chr(65 + place)}{number}"><v>{cell}</v></c>'
            if isinstance(cell, int)
            else f'<c r="{chr(65 + place)}{number}" t="inlineStr"><is><t>{cell}</t></is></c>'
            for place, cell in enumerate(row)
            if cell != ""
        ]
        lines.append(f'<row r="{number}">{"".join(cells)}</row>')
    space = 'xmlns="x" xmlns:r="r"'
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        package.writestr(
            "xl/workbook.xml",
            f'<workbook {space}><sheets><sheet name="S" r:id="a"/></sheets></workbook>',
        )
        package.writestr(
            "xl/_rels/workbook.xml.rels",
            '<R><Relationship Id="a" Type="x/worksheet" Target="s.xml"/></R>',
        )
        package.writestr("xl/s.xml", f"<worksheet {space}>{''.join(lines)}</worksheet>")
    return out.getvalue()


def test_a_title_above_a_table_is_not_its_header(tmp_path):
    title, table = parts(tmp_path, "xlsx", sheet(["Fees 2025"], [], ["Ship", "Fee"], ["Ark", 17]))
    assert title.text.strip() == "Fees 2025" and title.label == "sheet S, rows 1–2"
    assert (table.header, table.text, table.label) == ("Ship | Fee", "Ark | 17", "sheet S, row 4")


def test_two_rows_of_a_header_become_one(tmp_path):
    groups = ["", "Q1", "", "Q2"]
    columns = ["Port", "in", "out", "in", "out"]
    above, table = parts(tmp_path, "xlsx", sheet(groups, columns, ["Whitby", 1, 2, 3, 4]))
    assert "Q2" in above.text
    assert table.header == "Port | Q1 in | Q1 out | Q2 in | Q2 out"
    assert (table.text, table.first_line) == ("Whitby | 1 | 2 | 3 | 4", 3)


def test_rows_that_are_ragged_or_all_data_keep_their_numbers(tmp_path):
    (table,) = parts(tmp_path, "xlsx", sheet([7, 11, "a"], [14, "", "", "b"], [21]))
    assert (table.header, table.text) == ("", "7 | 11 | a\n14 |  |  | b\n21")


def test_a_larger_table_is_read_by_the_process_that_read_a_smaller_one(tmp_path):
    """The limit of the csv module is one of the process."""
    parts(tmp_path, "csv", "a,b\n1,2\n")
    long = f'id,text\n1,"{"word " * 50}\nsecond line"\n'
    assert parts(tmp_path, "csv", long)[0].text.endswith("word second line")


# --- pictures and charts in Office files ---------------------------------------------------------


def test_pictures_in_a_document_are_read_below_their_heading(tmp_path):
    pictures = picture(LINES, (1000, 400)), picture([], (40, 40))  # and an icon
    shown = "".join(f'<w:p><w:r><a:blip r:embed="r{n}"/></w:r></w:p>' for n in range(2))
    heading = '<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>Licences</w:t></w:r></w:p>'
    links = "".join(
        f'<Relationship Id="r{n}" Type="x/image" Target="media/{n}.png"/>' for n in range(2)
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        body = f"<w:body>{heading}{shown}</w:body>"
        spaces = 'xmlns:w="w" xmlns:a="a" xmlns:r="r"'
        package.writestr("word/document.xml", f"<w:document {spaces}>{body}</w:document>")
        package.writestr("word/_rels/document.xml.rels", f"<R>{links}</R>")
        for number, data in enumerate(pictures):
            package.writestr(f"word/media/{number}.png", data)
    *_, last = parts(tmp_path, "docx", out.getvalue())
    assert last.label == "Licences › picture" and last.ocr and (last.confidence or 0) > 0.8
    assert "northern lighthouse" in last.text


def slides(*shapes: str, **members: bytes | str) -> bytes:
    spaces = 'xmlns:a="a" xmlns:p="p" xmlns:r="r" xmlns:c="c"'
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        ids = "".join(f'<p:sldId r:id="r{n}"/>' for n in range(len(shapes)))
        package.writestr("ppt/presentation.xml", f"<p:presentation {spaces}>{ids}</p:presentation>")
        links = "".join(
            f'<Relationship Id="r{n}" Type="x/slide" Target="s{n}.xml"/>'
            for n in range(len(shapes))
        )
        package.writestr("ppt/_rels/presentation.xml.rels", f"<R>{links}</R>")
        links = "".join(
            f'<Relationship Id="{name}" Type="x/{name}" Target="{name}.png"/>' for name in members
        )
        for number, shape in enumerate(shapes):
            package.writestr(f"ppt/s{number}.xml", f"<p:sld {spaces}>{shape}</p:sld>")
            package.writestr(f"ppt/_rels/s{number}.xml.rels", f"<R>{links}</R>")
        for name, data in members.items():
            package.writestr(f"ppt/{name}.png", data)
    return out.getvalue()


def test_a_chart_is_the_table_it_was_drawn_from(tmp_path):
    def side(kind: str, *values: str) -> str:
        points = (f'<c:pt idx="{n}"><c:v>{v}</c:v></c:pt>' for n, v in enumerate(values))
        return f"<c:{kind}>{''.join(points)}</c:{kind}>"

    series = f"<c:ser>{side('tx', 'Tonnes')}{side('cat', 'Hull', 'Ayr')}{side('val', '4', '3')}"
    chart = f'<c:chart xmlns:c="c" xmlns:a="a"><a:t>Landings</a:t>{series}</c:ser></c:chart>'
    (slide,) = parts(tmp_path, "pptx", slides("<p:x/>", chart=chart))
    assert slide.text == "Landings\n | Tonnes\nHull | 4\nAyr | 3"


def test_a_slide_that_is_a_picture_is_read(tmp_path):
    deck = slides('<a:blip r:embed="image"/>', image=picture(LINES, (1000, 400)))
    (slide,) = parts(tmp_path, "pptx", deck)
    assert slide.ocr and "lighthouse" in slide.text and slide.label == "slide 1"


# --- text layers of PDFs -------------------------------------------------------------------------


def scan(hidden: str, size: float = 8) -> bytes:
    """A page that is a picture of LINES, with a text nobody sees."""
    document = pymupdf.open()
    page = document.new_page(width=595, height=842)
    page.insert_image(page.rect, stream=picture(LINES))
    writer = pymupdf.TextWriter(page.rect)
    for number, line in enumerate(hidden.split("\n")):
        writer.append((40, 80 + 14 * number), line, fontsize=size)
    writer.write_text(page, render_mode=3)
    return bytes(document.tobytes())


@pytest.mark.parametrize(
    ("hidden", "why"),
    [
        ("Thc cornrnittcc npprovcd thc budqct ot l9B7 lor thc northcrn liqhthousc\n"
         "nnd its kccpcr Pnyrncnts nrc duc on thc lirst ot Mnrch Thc kccpcr", "made of words"),
        (" ".join("Thecommitteeapprovedthebudget"), "stand apart"),
    ],
)  # fmt: skip
def test_a_poor_layer_is_read_again_by_ocr_and_the_receipt_says_so(tmp_path, hidden, why):
    page, notice = pieces(tmp_path, "pdf", scan(hidden))
    assert isinstance(page, ReadPart) and page.ocr and "northern lighthouse" in page.text
    assert isinstance(notice, Skipped) and why in notice.reason and "by OCR" in notice.reason


def test_a_good_layer_is_left_alone(tmp_path):
    (page,) = pieces(tmp_path, "pdf", scan("\n".join([*LINES, "as Zarathustra said to the lamp"])))
    assert isinstance(page, ReadPart) and not page.ocr and "Zarathustra" in page.text


def test_gaps_between_letters_are_no_spaces(tmp_path):
    document = pymupdf.open()
    page = document.new_page()
    for place, letter in enumerate("àÀâÂäÄçÇéÉèÈ"):
        page.insert_text((60 + 14 * place, 80), letter)
    (found,) = parts(tmp_path, "pdf", document.tobytes())
    assert "àÀâÂäÄçÇéÉèÈ" in found.text


def test_what_is_apart_and_what_is_garbled():
    assert (
        is_apart(" ".join("lighthouses")) and not is_apart("a b c") and not is_apart("灯 台 " * 9)
    )
    assert is_garbled("\ufffd\ue001 und") and is_garbled("Ã¼ber die BrÃ¼cke â€œheute")
    assert not is_garbled("Ärger über Flüsse, 30 °C, SÃO PAULO") and not is_garbled("")


# --- text and code -------------------------------------------------------------------------------


def test_letters_that_json_writes_by_number_are_letters(tmp_path):
    data = json.dumps({"place": "Köln 😀", "path": "C:\\u00fc", "bell": "\x07"}, indent=1)
    (part,) = parts(tmp_path, "text", data, "json")
    assert "Köln 😀" in part.text and "C:\\\\u00fc" in part.text and "\\u0007" in part.text


def test_tables_in_tables_keep_their_rows(tmp_path):
    inner = "<table><tr><th>Ship<th>Fee<tr><td>Barge<td>17</table>"
    page = f"<h1>Tariffs</h1><table><tr><td>{inner}</td><td>Outer</td></tr></table>"
    text = "\n".join(part.text for part in parts(tmp_path, "html", page))
    assert "Ship | Fee" in text and "Barge | 17" in text and "Outer" in text


CODE = {
    "py": "import os\n{pad}\n\nclass Harbour:\n    '''Of ships.'''\n{pad}\n    # Docks.\n"
    "    @quick\n    def dock(self):\n        yield from ships(1)\n",
    "java": "package x;\n{pad}\npublic class Harbour extends Place {{\n{pad}\n    // Docks.\n"
    "    public Ship dock(Ship ship) {{\n        if (ship == null) {{ }}\n    }}\n}}\n",
    "ts": "import x from 'y';\n{pad}\nexport class Harbour {{\n{pad}\n  /** Docks. */\n"
    "  async function dock(ship) {{\n    while (true) {{ }}\n  }}\n}}\n",
}


@pytest.mark.parametrize("ending", CODE)
def test_code_is_cut_at_its_definitions_which_name_the_passages(tmp_path, ending):
    pad = "\n".join(f"    x{n} = {n};" for n in range(60))
    source = CODE[ending].format(pad=pad)
    found = parts(tmp_path, "code", source, ending)
    assert [part.label.partition(", ")[2] for part in found] == ["", "Harbour", "Harbour › dock"]
    assert "\n".join(part.text for part in found) == source.rstrip("\n"), "not a line is lost"
    assert "Docks." in found[2].text, "a comment belongs to what it stands above"
    first, *_ = cut(found[2])
    assert first.heading == "Harbour › dock" and first.label.endswith(", Harbour › dock")
    with override("de"):
        assert labels.said("lines 4–9, Harbour › dock") == "Zeilen 4–9, Harbour › dock"
        assert labels.said("Fees › picture") == "Fees › Bild"


@pytest.mark.parametrize(
    "line",
    ["class of ships", "function of the lamp is to shine", "    return ships(1)", "x = dock(ship)",
     "if (a) {", "type 'a' to go on", "else foo(x) {"],
)  # fmt: skip
def test_prose_and_statements_are_no_definitions(line):
    from apps.library.parsing.code import _definition

    assert _definition(line) is None


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("pub(crate) fn add_tides(a: i32) -> i32 {", "add_tides"), ("impl Lamp {", "Lamp"),
        ("func (h *Harbour) Dock(s Ship) error {", "Dock"), ("static int add(int a, int b)", "add"),
        ("CREATE TABLE IF NOT EXISTS ships (", "ships"), ("const dock = async (ship) => {", "dock"),
        ("greet() {", "greet"), ("std::string Harbour::name() const {", "name"),
        ("module Lamp", "Lamp"), ("fun main() {", "main"), ("type Port struct {", "Port"),
    ],
)  # fmt: skip
def test_definitions_of_many_languages(line, name):
    from apps.library.parsing.code import _definition

    found = _definition(line)
    assert found is not None and found[1].rpartition(":")[2] == name
