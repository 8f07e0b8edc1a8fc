"""Each format gives the parts a reader would name, whatever its bytes look like."""

import io
import zipfile
import zlib
from pathlib import Path

import pymupdf
import pytest
from PIL import Image, ImageDraw, ImageFont

from apps.library import sandbox
from apps.library.parsing import Opened, ReadPart, Refusal, Skipped, tidying
from apps.library.parsing.encodings import decode
from apps.library.parsing.markdown import parts as markdown_parts
from apps.library.parsing.places import boxes
from apps.library.parsing.tidying import squeeze, tidy

GERMAN = "Die Brücke über die Würm ist für Fußgänger geöffnet. Größe: 5 m²\n"
RUSSIAN = "Это обычный русский текст, написанный в старой кодировке.\nМосква, 1998 год.\n"
JAPANESE = "番号,名前,住所\n1,山田太郎,東京都千代田区\n2,鈴木花子,大阪府大阪市北区\n"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def read(path: Path, name: str, data: bytes | str) -> tuple[Opened, list[ReadPart], list[Skipped]]:
    path = path / "file"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    opened, *pieces = sandbox.read(path, name)
    assert isinstance(opened, Opened)
    parts = [piece for piece in pieces if isinstance(piece, ReadPart)]
    return opened, parts, [piece for piece in pieces if isinstance(piece, Skipped)]


def office(**members: str) -> bytes:
    """A small Office package; names with double underscores for slashes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("[Content_Types].xml", "<Types/>")
        for name, text in members.items():
            package.writestr(name.replace("__", "/") + ".xml", text)
    return out.getvalue()


def picture(text: str, turned: float = 0) -> Image.Image:
    page = Image.new("L", (1654, 1100), 255)
    font = ImageFont.load_default(size=38)
    ImageDraw.Draw(page).multiline_text((120, 120), text, fill=0, font=font, spacing=24)
    return page.rotate(turned, expand=True, fillcolor=255)


LETTER = "\n".join(
    [
        "The lease of flat twelve begins on the first of May.",
        "It can be ended with three months notice in writing.",
        "Dogs and cats need the consent of the cooperative.",
        "The heating costs are shared by use and by floor area.",
        "Reference number LH-2207-4471, signed by the board.",
    ]
)


# --- bytes and letters -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN, "utf-8-sig"),
        (GERMAN, "latin-1"),
        ("Prüfbericht: Gebühr 12 Pfund = £12.\n", "latin-1"),
        ("L’été dernier, à la plage où il faisait chaud — c’était agréable.\n", "cp1252"),
        (GERMAN, "cp850"),
        (GERMAN, "utf-16"),
        (GERMAN, "utf-16-be"),
        (GERMAN, "utf-16-le"),
        (RUSSIAN, "cp866"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8_r"),
        (RUSSIAN, "utf-16-be"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc_jp"),
        (JAPANESE, "iso2022_jp"),
        (JAPANESE, "utf-16-le"),
    ],
)
def test_text_is_read_in_the_encoding_it_is_in(text, encoding):
    assert decode(text.encode(encoding))[0] == text


def test_one_broken_byte_does_not_change_the_encoding():
    data = (GERMAN * 20).encode() + b"\xff" + GERMAN.encode()
    assert decode(data)[0].startswith(GERMAN)


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(Refusal, match="not text"):
        decode(bytes(range(256)) * 40)


def test_tidied_text_has_one_spelling_and_keeps_its_lines():
    assert (
        tidy("Bru\u0308cke\r\nSilben\u00adtrennung\u200b\x00 \ufb01n")
        == "Brücke\nSilbentrennung  fin"
    )
    assert squeeze(" a \n\n \n\nb\ud800 ") == "a\n\nb\ufffd"


# --- tables ------------------------------------------------------------------------------------


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_a_table_has_its_header_and_numbers_its_rows(tmp_path, separator):
    lines = [separator.join(["name", "town", "rent in euros"])]
    lines += [separator.join([f"flat {n}", "Magdeburg", f"{400 + n}"]) for n in range(2, 31)]
    _, (part,), _ = read(tmp_path, "a.csv", "\n".join(lines))
    assert part.header == "name | town | rent in euros"
    assert (part.kind, part.label, part.first_line) == ("sheet", "rows 2–30", 2)
    assert part.text.startswith("flat 2 | Magdeburg | 402\n")


def test_a_table_without_names_of_columns_has_no_header(tmp_path):
    _, (part,), _ = read(tmp_path, "a.csv", "1,2\n3,4\n")
    assert (part.header, part.text, part.label) == ("", "1 | 2\n3 | 4", "rows 1–2")


def test_a_cell_of_several_lines_is_one_row(tmp_path):
    _, (part,), _ = read(tmp_path, "a.csv", 'name,note\nx,"one\ntwo"\ny,three\n')
    assert part.text.split("\n") == ["x | one two", "y | three"]


def test_a_workbook_shows_dates_and_skips_the_rows_it_only_claims(tmp_path):
    sheet = (
        '<worksheet><dimension ref="A1:XFD1048576"/><sheetData>'
        '<row r="1"><c r="A1" t="s"><v>0</v></c>'
        '<c r="B1" t="inlineStr"><is><t>due</t></is></c></row>'
        '<row r="2"><c r="A2"><v>12.5</v></c><c r="B2" s="1"><v>43363</v></c></row>'
        '<row r="1048576"><c r="A1048576" t="str"><v>the end</v></c></row></sheetData></worksheet>'
    )
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    data = office(
        xl__workbook=f'<workbook xmlns:r="{relation}"><sheet name="Budget" r:id="a"/></workbook>',
        xl__sharedStrings="<sst><si><t>amount</t></si></sst>",
        xl__styles='<a><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></a>',
        xl__worksheets__sheet1=sheet,
    )
    out = io.BytesIO(data)
    with zipfile.ZipFile(out, "a") as package:
        package.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<R><r Id="a" Type="{relation}/worksheet" Target="worksheets/sheet1.xml"/></R>',
        )
    _, (first, second), _ = read(tmp_path, "a.xlsx", out.getvalue())
    assert (first.header, first.text) == ("amount | due", "12.5 | 2018-09-20")
    assert second.label == "sheet Budget, row 1048576"


# --- sections ----------------------------------------------------------------------------------


def test_markdown_sections_have_breadcrumbs_and_code_has_no_headings():
    text = "before\n# A\n## B\nbody\n```\n# no heading\n```\n# C\nmore\nD\n===\nlast"
    found = [(part.label, part.text) for part in markdown_parts(text.split("\n"))]
    assert [label for label, _ in found] == ["Beginning", "A › B", "C"]
    assert found[1][1].startswith("# A\n## B\nbody")


def test_a_long_table_in_markdown_is_a_part_with_its_header():
    rows = "\n".join(f"| {n} | x |" for n in range(40))
    text = f"# T\n\nintro\n\n| n | v |\n|---|---|\n{rows}\n\nend"
    found = list(markdown_parts(text.split("\n")))
    assert [part.header for part in found] == ["", "| n | v |", ""]
    assert found[1].text == rows


def test_a_docx_keeps_order_headings_tables_boxes_and_notes(tmp_path):
    def paragraph(text: str, style: str = "") -> str:
        return f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'

    cells = "".join(f"<w:tc>{paragraph(text)}</w:tc>" for text in ("rent", "428,40"))
    body = (
        paragraph("Lease", "H1") + paragraph("Two parties.") + paragraph("Costs", "H2")
        + f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>" + paragraph("After the table.")
        + "<w:p><w:r><w:txbxContent>" + paragraph("In a box.") + "</w:txbxContent></w:r>"
        + "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>"
    )  # fmt: skip
    styles = "".join(
        f'<w:style w:styleId="H{n}"><w:name w:val="heading {n}"/></w:style>' for n in (1, 2)
    )
    data = office(
        word__document=f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>',
        word__styles=f'<w:styles xmlns:w="{WORD}">{styles}</w:styles>',
        word__footnotes=f'<w:footnotes xmlns:w="{WORD}">{paragraph("A note.")}</w:footnotes>',
    )
    _, parts, _ = read(tmp_path, "a.docx", data)
    assert [(part.label, part.text) for part in parts] == [
        ("Lease", "Lease\n\nTwo parties."),
        ("Lease › Costs", "Costs\n\nrent | 428,40\n\nAfter the table.\n\nIn a box."),
        ("footnotes", "A note."),
    ]


def test_a_copied_chapter_of_a_docx_keeps_its_headings_without_styles(tmp_path):
    def paragraph(text: str, level: int | None = None) -> str:
        outline = f'<w:pPr><w:outlineLvl w:val="{level}"/></w:pPr>' if level is not None else ""
        return f"<w:p>{outline}<w:r><w:t>{text}</w:t></w:r></w:p>"

    chapter = [
        ("Duties", 0),
        ("Audits", 1),
        ("Once a year.", None),
        ("Removal", 1),
        ("Rare.", None),
    ]
    body = "".join(paragraph(text, level) for text, level in chapter)
    body += "".join(paragraph(text) for text, _level in chapter)
    data = office(
        word__document=f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'
    )
    _, parts, _ = read(tmp_path, "a.docx", data)
    assert [part.label for part in parts] == ["Duties › Audits", "Duties › Removal"] * 2


def test_a_web_page_without_an_article_is_read_whole_but_no_script(tmp_path):
    page = (
        "<html lang=de><title>T</title><script>evil()</script><style>p{}</style>"
        "<h2>Kosten</h2><table><tr><td>Miete<td>5</table>"
    )
    opened, parts, _ = read(tmp_path, "a.html", page)
    text = "\n".join(part.text for part in parts)
    assert (opened.title, opened.language) == ("T", "de")
    assert "Miete" in text
    assert "evil" not in text


# --- pictures ----------------------------------------------------------------------------------


@pytest.mark.parametrize("turned", [0, 90, 180, 8])
def test_a_picture_is_read_whatever_way_it_lies(tmp_path, turned):
    out = io.BytesIO()
    picture(LETTER, turned).save(out, "PNG")
    _, (part,), notices = read(tmp_path, "scan.png", out.getvalue())
    assert "three months notice" in part.text
    assert "LH-2207-4471" in part.text
    assert part.ocr
    assert not notices
    assert (part.confidence or 0) > 0.8


def test_a_page_that_is_a_picture_is_read_and_its_words_are_found_on_it(tmp_path):
    out = io.BytesIO()
    picture(LETTER).save(out, "PNG")
    document = pymupdf.open()
    document.new_page().insert_text(
        (72, 72), "A first page with a text of more than fifty characters."
    )
    document.new_page(width=595, height=396).insert_image((0, 0, 595, 396), stream=out.getvalue())
    _, (first, second), _ = read(tmp_path, "a.pdf", document.tobytes())
    assert (first.ocr, second.ocr) == (False, True)
    assert "three months notice" in second.text
    found = sandbox.passage_boxes(tmp_path / "file", "a.pdf", 2, "Dogs and cats need the consent")
    assert len(found) == 1
    assert 0.2 < found[0][1] < 0.5


# --- PDF ---------------------------------------------------------------------------------------


def locked(**options: object) -> bytes:
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), "Behind a lock, yet readable for everyone.")
    return document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, **options)


def test_a_pdf_that_needs_its_password_is_refused(tmp_path):
    with pytest.raises(Refusal, match="needs its password"):
        read(tmp_path, "a.pdf", locked(user_pw="secret", owner_pw="more"))


def test_a_pdf_that_only_its_owner_may_change_is_read(tmp_path):
    _, (part,), _ = read(tmp_path, "a.pdf", locked(owner_pw="more"))
    assert "readable for everyone" in part.text


def test_what_was_filled_in_and_noted_is_read(tmp_path):
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 72), "An application with enough words on the page to count as text.")
    field = pymupdf.Widget()
    field.field_type, field.field_name = pymupdf.PDF_WIDGET_TYPE_TEXT, "surname"
    field.field_value, field.rect = "Petrow", pymupdf.Rect(72, 100, 200, 120)
    page.add_widget(field)
    page.add_text_annot((300, 300), "Ask her about flat twelve.")
    _, (part,), _ = read(tmp_path, "a.pdf", document.tobytes())
    assert "surname: Petrow" in part.text
    assert "Ask her about flat twelve." in part.text


def test_an_empty_page_keeps_its_number(tmp_path):
    document = pymupdf.open()
    document.new_page()
    document.new_page().insert_text(
        (72, 72), "Only the second page has something to say to readers."
    )
    _, parts, notices = read(tmp_path, "a.pdf", document.tobytes())
    assert [(part.label, bool(part.text)) for part in parts] == [
        ("page 1", False),
        ("page 2", True),
    ]
    assert notices == [Skipped("page 1", "The page is empty.")]


def test_a_passage_is_found_across_a_hyphen_and_a_line_break():
    words = [((0, 0, 9, 9), "co-", 1), ((0, 20, 9, 29), "operative", 2), ((12, 20, 20, 29), "x", 2)]
    assert boxes("cooperative", words) == [(0, 0, 9, 9), (0, 20, 9, 29)]


# --- what is not what it says ------------------------------------------------------------------


def bomb() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("[Content_Types].xml", "<Types/>")
        package.writestr("word/document.xml", b" " * 60_000_000)
    return out.getvalue()


def huge_png() -> bytes:
    """A picture of 900 million pixels, as its head says."""
    out = io.BytesIO()
    Image.new("1", (8, 8)).save(out, "PNG")
    data = bytearray(out.getvalue())
    data[16:24] = (30_000).to_bytes(4, "big") * 2
    data[29:33] = zlib.crc32(data[12:29]).to_bytes(4, "big")
    return bytes(data)


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.txt", b"", "empty"),
        ("a.txt", b" \n\n", "no text"),
        ("a.pdf", b"MZ\x90\x00" + bytes(600), "Windows program"),
        ("a.pdf", b"just words", "not that"),
        ("a.pdf", b"%PDF-1.7\nnothing", "damaged"),
        ("a.mp3", b"ID3\x04" + bytes(500), "recording is damaged"),
        ("a.m4a", b"\0\0\0\x20ftypM4A " + bytes(500), "recording is damaged"),
        ("a.heic", b"\0\0\0\x20ftypheic" + bytes(500), "HEIC"),
        ("a.svg", b"<svg onload='x()'/>", "SVG"),
        ("a.docx", b"PK\x03\x04" + bytes(200), "damaged or cut off"),
        ("a.docx", bomb(), "bomb"),
        ("a.docx", office(word__document='<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'), "entities"),
        ("a.zip", office(other="<x/>"), "ZIP archive"),
        ("a.png", huge_png(), "million"),
        ("a.png", b"\x89PNG\r\n\x1a\n" + bytes(100), "damaged"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "97–2003"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_with_the_reason(tmp_path, name, data, reason):
    with pytest.raises(Refusal, match=reason):
        read(tmp_path, name, data)


@pytest.mark.parametrize("name", ["letter.docx", "letter.txt", "letter"])
def test_the_content_decides_what_a_file_is(tmp_path, name):
    document = pymupdf.open()
    document.new_page().insert_text(
        (72, 72), "This is a PDF, whatever its name says about it, really."
    )
    opened, _, _ = read(tmp_path, name, document.tobytes())
    assert opened.format == "pdf"


@pytest.mark.parametrize("name", ["a.yaml", "a.py", "a.json", "a.rst", "notes"])
def test_other_text_is_read_as_lines_and_never_loaded(tmp_path, name):
    _, (part,), _ = read(tmp_path, name, "!!python/object/apply:os.system ['touch pwned']\nx: 1\n")
    assert part.kind == "lines"
    assert "touch pwned" in part.text


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("about:blank", ""),
        ("Untitled-1", ""),
        ("Unbenannt 2", ""),
        ("PowerPoint-Präsentation", ""),
        ("file:///home/user/report.html", ""),
        ("Microsoft Word - Lease 2021.doc", "Lease 2021.doc"),
        ("Titles and\nnames", "Titles and names"),
        ("Document 7 of the court", "Document 7 of the court"),
    ],
)
def test_a_title_that_only_a_program_wrote_is_none(written, title):
    assert tidying.title(written) == title


CORE = "<coreProperties><modified>{}</modified><description>{}</description></coreProperties>"


@pytest.mark.parametrize(
    ("description", "changed"), [("", "2024-03-15T09:30:00Z"), ("generated by python-docx", "")]
)
def test_an_office_file_says_when_it_was_changed_if_it_knows(tmp_path, description, changed):
    body = f'<w:document xmlns:w="{WORD}"><w:p><w:t>The heron stood.</w:t></w:p></w:document>'
    core = CORE.format("2024-03-15T09:30:00Z", description)
    made = office(word__document=body, docProps__core=core)
    assert read(tmp_path, "a.docx", made)[0].changed == changed


@pytest.mark.parametrize(
    ("metadata", "changed"),
    [
        ({"modDate": "D:20240315103000+01'00'"}, "2024-03-15T10:30:00+01:00"),
        ({"modDate": "D:20240315093000Z"}, "2024-03-15T09:30:00+00:00"),
        ({"modDate": "", "creationDate": "D:202403"}, "2024-03-01T00:00:00"),
        ({"modDate": "yesterday"}, ""),
        ({}, ""),
    ],
)
def test_a_pdf_says_when_it_was_changed_if_it_knows(tmp_path, metadata, changed):
    with pymupdf.open() as made:
        made.new_page().insert_text((72, 72), "The heron stood at the weir.")
        made.set_metadata(metadata)
        data = made.tobytes()
    assert read(tmp_path, "a.pdf", data)[0].changed == changed
