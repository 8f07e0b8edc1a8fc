"""A lesson as a reader sees it: sections with ids to link to, each with its sources beside it."""

import re
from dataclasses import dataclass

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from apps.library import labels
from apps.study import quality, wording
from apps.study.models import Lesson, LessonSource
from apps.study.outlining import smooth
from apps.web import markdown

CORE_HEADING = re.compile(r"^### (.*)$", re.M)
CITED = re.compile(r"\[(\d{1,2})\]")
LONGEST = 360  # characters of a quote in the margin


@dataclass(frozen=True, slots=True)
class Margin:
    """A source beside the text: its quote, with the sentence that is meant marked."""

    source: LessonSource
    before: str
    marked: str
    after: str


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of the lesson under one heading."""

    slug: str
    title: str
    level: int  # 2 or 3
    html: SafeString
    margin: list[Margin]


def sections(lesson: Lesson) -> list[Section]:
    """What is written of the lesson so far.

    Each source stands beside the section that explains it, else the first one that cites it.
    Sentences that follow each other with the same source show it once, after the last.
    """
    sources = {source.number: source for source in lesson.sources.all()}
    chips = {number: _chip(source) for number, source in sources.items()}
    pieces = _pieces(lesson)
    homes: dict[int, str] = {}
    for slug, _title, _level, text in sorted(
        pieces, key=lambda piece: not piece[0].startswith("core")
    ):
        for number in map(int, CITED.findall(text)):
            homes.setdefault(number, slug)
    made = []
    for slug, title, level, text in pieces:
        here = [n for n in sources if homes.get(n) == slug]
        margin = [_margin(sources[number], text) for number in here]
        html = markdown.render(wording.once(text), chips)
        made.append(Section(slug, title, level, html, margin))
    return made


def _pieces(lesson: Lesson) -> list[tuple[str, str, int, str]]:
    """Slug, title, level and Markdown of each section that is written."""
    found = [("introduction", _("Introduction"), 2, lesson.introduction)]
    head, *rest = CORE_HEADING.split(lesson.core)
    if head.strip() or rest:
        found.append(("core", _("Core content"), 2, head or " "))
    for n, (title, text) in enumerate(zip(rest[::2], rest[1::2], strict=True), 1):
        found.append((f"core-{n}", wording.plain(title), 3, text))
    found.append(("takeaways", _("Key takeaways"), 2, lesson.takeaways))
    found.append(("self-check", _("Check yourself"), 2, lesson.self_check))
    return [piece for piece in found if piece[3]]


def _chip(source: LessonSource) -> SafeString:
    return format_html(
        '<a class="chip" href="#source-{}" aria-label="{}">{}</a>',
        source.number,
        _("Source %(number)s: %(document)s, %(place)s")
        % {
            "number": source.number,
            "document": source.document_name,
            "place": labels.said(source.label),
        },
        source.number,
    )


def _margin(source: LessonSource, text: str) -> Margin:
    """The quote around the sentence that the text is nearest to."""
    quote = " ".join(smooth(source.quote).split())
    meant = quality.best_quote(quote, wording.plain(text))
    at = quote.find(meant) if meant else -1
    if at < 0:
        return Margin(source, quote[:LONGEST], "", "")
    room = max(0, LONGEST - len(meant)) // 2
    before, after = quote[:at], quote[at + len(meant) :]
    if len(before) > room:
        before = "… " + before[-room:].partition(" ")[2] if room else "… "
    if len(after) > room:
        after = after[:room].rpartition(" ")[0] + " …"
    return Margin(source, before, meant, after)
