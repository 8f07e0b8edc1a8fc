"""A quiz or workshop to take along, as Markdown; `printing` makes a PDF of that.

What documents, models and people wrote is data: escaped, so that it shows and does nothing.
"""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.library import labels
from apps.study import printing
from apps.study.models import Lesson, Question, Quiz, Workshop
from apps.study.wording import escaped, once
from apps.web import markdown

FORMS = {"md": "Markdown", "pdf": "PDF"}
QUIZ_LEVELS = {
    "questions": gettext_lazy("Questions only"),
    "answers": gettext_lazy("With answers"),
    "explanations": gettext_lazy("With explanations and sources"),
}
WORKSHOP_LEVELS = {
    "outline": gettext_lazy("Outline only"),
    "lessons": gettext_lazy("With lessons"),
    "sources": gettext_lazy("With lessons and sources"),
}
LETTERS = "ABCDEFGHIJ"
LONGEST_NAME = 80
UNSAFE = re.compile(r"[^\w\- ,().]+")
UNCITED = re.compile(r" \[\d{1,2}\]")


def quiz_markdown(quiz: Quiz, level: str) -> str:
    """The quiz at a level of QUIZ_LEVELS."""
    questions = list(quiz.questions.all())
    made_of = ngettext(
        "%(count)s question from %(scope)s", "%(count)s questions from %(scope)s", len(questions)
    ) % {"count": len(questions), "scope": escaped(quiz.scope_label)}
    blocks = [f"# {escaped(quiz.title)}", f"{quiz.get_difficulty_display()}, {made_of}"]
    for number, question in enumerate(questions, 1):
        blocks += _question(number, question, level)
    return _joined(blocks)


def workshop_markdown(workshop: Workshop, level: str) -> str:
    """The workshop at a level of WORKSHOP_LEVELS; lessons not written yet say so."""
    lessons = list(workshop.lessons.prefetch_related("sources"))
    blocks = [f"# {escaped(workshop.title)}", escaped(workshop.summary)]
    for title, points in (
        (_("You will be able to"), workshop.objectives),
        (_("Key points"), workshop.key_points),
    ):
        if points:
            blocks += [f"## {title}", "\n".join(f"- {escaped(point)}" for point in points)]
    if level == "outline":
        lines = [
            f"{n}. {escaped(x.title)} ({_('%(minutes)s min') % {'minutes': x.minutes}})"
            for n, x in enumerate(lessons, 1)
        ]
        return _joined([*blocks, f"## {_('Lessons')}", "\n".join(lines)])
    for number, lesson in enumerate(lessons, 1):
        blocks += [f"## {number}. {escaped(lesson.title)}", *_lesson(lesson, level)]
    return _joined(blocks)


def pdf(title: str, text: str) -> bytes:
    """The Markdown as a PDF. Raises printing.NotPrinted."""
    return printing.printed(title, str(markdown.render(text, {})))


def file_name(title: str, form: str) -> str:
    """A name any file system takes, made of the title."""
    bare = " ".join(UNSAFE.sub(" ", title).split())[:LONGEST_NAME].strip(" .")
    return f"{bare or 'export'}.{form}"


def _question(number: int, question: Question, level: str) -> Iterator[str]:
    yield f"## {number}. {escaped(question.stem)}"
    options = zip(LETTERS, question.choices, strict=False)
    yield "\n".join(f"- {letter}) {escaped(text)}" for letter, text in options)
    if level == "questions":
        return
    right = f"{LETTERS[question.answer]}) {escaped(question.choices[question.answer])}"
    yield f"**{_('Answer: %(answer)s') % {'answer': right}}**"
    if level == "explanations":
        yield escaped(question.explanation)
        yield _quote(question.quote)
        yield _place(question.document_name, labels.said(question.label))


def _lesson(lesson: Lesson, level: str) -> Iterator[str]:
    if not lesson.made_at:
        yield f"*{_('This lesson is not written yet.')}*"
        return
    with_sources = level == "sources"
    for title, text in (
        (_("Introduction"), lesson.introduction),
        (_("Core content"), lesson.core.replace("### ", "#### ")),
        (_("Key takeaways"), lesson.takeaways),
        (_("Check yourself"), lesson.self_check),
    ):
        if text.strip():
            yield f"### {title}"
            yield once(text).strip() if with_sources else UNCITED.sub("", text).strip()
    if with_sources:
        yield f"### {_('Sources')}"
        for source in lesson.sources.all():
            yield f"\\[{source.number}\\] {_place(source.document_name, labels.said(source.label))}"
            yield _quote(source.quote)


def _quote(text: str) -> str:
    return f"> {escaped(text)}" if text.strip() else ""


def _place(name: str, label: str) -> str:
    return escaped(", ".join(filter(None, [name, label])))


def _joined(blocks: list[str]) -> str:
    return "\n\n".join(filter(None, blocks)) + "\n"
