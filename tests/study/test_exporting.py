"""What is taken along: complete, escaped, and readable as a PDF."""

import pymupdf
import pytest
from django.urls import reverse

from apps.study import exporting, printing, wording
from apps.study.models import Question, Quiz
from apps.web import markdown
from tests.study import lessons
from tests.study.test_workshop import following, run

HOSTILE = (
    "<script>alert(1)</script> [click](javascript:alert(1)) ![x](http://evil.example/x.png) "
    "*bold* _it_ `code` # no heading &lt;b&gt; | ~~gone~~ \\"
)


@pytest.fixture
def quiz(alice, workspace):
    made = Quiz.objects.create(
        owner=alice, workspace=workspace, title="Prüfung <b>Größe</b>", scope_label="Lease.pdf"
    )
    Question.objects.create(
        quiz=made,
        ordinal=0,
        type="mcq",
        stem=f"Wie lange? {HOSTILE}",
        options=["Zwölf Tage", HOSTILE, "2. nothing", "- a"],
        answer=0,
        explanation="Die Frist beträgt zwölf Tage.",
        quote="Die Frist beträgt\nzwölf Tage für alle Mieter.",
        document_name=HOSTILE,
        label="page 3",
    )
    return made


def text_of(pdf):
    with pymupdf.open("pdf", pdf) as document:
        return "\n".join(page.get_text() for page in document), document.page_count


@pytest.mark.parametrize(
    ("level", "there", "absent"),
    [
        ("questions", "Zwölf Tage", "Answer"),
        ("answers", "**Answer: A) Zwölf Tage**", "Die Frist"),
        ("explanations", "> Die Frist beträgt zwölf Tage für alle Mieter.", "None"),
    ],
)
def test_a_quiz_has_three_levels(quiz, level, there, absent):
    text = exporting.quiz_markdown(quiz, level)
    assert there in text and absent not in text


def test_what_others_wrote_shows_and_does_nothing(quiz):
    html = str(markdown.render(exporting.quiz_markdown(quiz, "explanations"), {}))
    for each in ("<script", "<a", "<img", "<em", "<code", "<s>", "<b>"):
        assert each not in html
    shown = wording.plain(wording.escaped(HOSTILE))
    assert shown == HOSTILE
    assert html.count("alert(1)&lt;/script&gt;") == 3
    assert html.count("<h2>") == 1 and html.count("<li>") == 4
    assert "&amp;lt;b&amp;gt;" in html


@pytest.mark.parametrize(
    "text", ["# a", "1. a", "12) a", "- a", "+ a", "=== a", "> a", "    a", "a\n\n# b"]
)
def test_a_line_never_becomes_a_block(text):
    html = str(markdown.render(wording.escaped(text), {}))
    assert html == f"<p>{' '.join(text.split()).replace('>', '&gt;')}</p>\n"


def test_the_pdf_says_it_all_with_umlauts_and_page_numbers(quiz):
    text, pages = text_of(exporting.pdf(quiz.title, exporting.quiz_markdown(quiz, "explanations")))
    for each in ("Prüfung <b>Größe</b>", "Zwölf Tage", "für alle Mieter", "<script>", "1 / 1"):
        assert each in text
    assert pages == 1


def test_a_long_text_gets_more_pages_and_its_fonts_along():
    made = exporting.pdf("Long", "\n\n".join(f"Absatz {n} über Größe. " * 20 for n in range(40)))
    text, pages = text_of(made)
    with pymupdf.open("pdf", made) as document:
        numbers = [page.search_for(f"{n} / {pages}") for n, page in enumerate(document, 1)]
    assert all(found[-1].y0 > 780 for found in numbers), "they stand at the foot"
    assert pages > 2 and f"{pages} / {pages}" in text and "Absatz 39" in text
    with pymupdf.open("pdf", made) as document:
        fonts = {font[3]: document.extract_font(font[0])[3] for font in document[0].get_fonts()}
    assert fonts and all(fonts.values()), "every font is embedded"
    assert len(made) < 200_000


def test_a_pdf_that_cannot_be_made_says_what_to_do(monkeypatch):
    monkeypatch.setattr(printing, "SECONDS", 0.001)
    with pytest.raises(printing.NotPrinted, match="Take the Markdown"):
        printing.printed("x", "<p>x</p>")


def test_a_workshop_has_three_levels(alice, workspace, ollama):
    lesson = lessons.planned(alice, workspace)
    lessons.lesson(ollama)
    run(following.write(lesson))
    workshop = lesson.workshop
    workshop.objectives, workshop.key_points = ["Give notice"], ["Three months."]
    outline = exporting.workshop_markdown(workshop, "outline")
    assert "1. Notice and service" in outline and "Introduction" not in outline
    whole = exporting.workshop_markdown(workshop, "lessons")
    assert "### Key takeaways" in whole and "[1]" not in whole and "in writing." in whole
    assert "#### Giving notice" in whole
    sources = exporting.workshop_markdown(workshop, "sources")
    assert "in writing [1]." in sources and "\\[2\\] Lease.pdf, page 2" in sources
    lesson.refresh_from_db()
    lesson.made_at = None
    lesson.save()
    assert "not written yet" in exporting.workshop_markdown(workshop, "sources")


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Prüfung: Größe/Maß", "Prüfung Größe Maß.pdf"),
        ("../../etc/passwd", "etc passwd.pdf"),
        ('a"b\r\nX: y', "a b X y.pdf"),
        ("...", "export.pdf"),
        ("x" * 300, "x" * 80 + ".pdf"),
    ],
)
def test_a_file_name_is_safe(title, name):
    assert exporting.file_name(title, "pdf") == name


def test_it_comes_as_a_download(reader, quiz):
    url = reverse("study:quiz_export", args=[quiz.pk])
    answer = reader.get(url, {"form": "pdf", "level": "answers"})
    assert answer.headers["Content-Type"] == "application/pdf"
    assert answer.headers["Content-Disposition"].startswith("attachment; filename")
    assert answer.content.startswith(b"%PDF")
    answer = reader.get(url)
    assert answer.headers["Content-Type"].startswith("text/markdown")
    assert "Die Frist" in answer.text
    for wrong in ({"form": "exe"}, {"level": "x"}):
        assert reader.get(url, wrong).status_code == 404
    assert url in reader.get(quiz.get_absolute_url()).text
