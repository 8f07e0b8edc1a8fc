"""The guide's pages as they are shipped: Markdown, a folder for each language.

A page begins with its title (`# …`) and a paragraph; each section has a heading with the anchor
that links lead to, the same in every language: `## Locked files {#locked}`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.urls import reverse
from django.utils.safestring import SafeString

from apps.web import markdown

FOLDER = Path(__file__).parent
FALLBACK = "en"
PAGES = (
    "first-steps",
    "putting-in",
    "finding",
    "asking",
    "learning",
    "progress",
    "privacy",
    "models",
    "folders",
    "people",
    "backup",
    "trouble",
)
HEADING = re.compile(r"^## (.+?) \{#([a-z-]+)\}$", re.M)
MARKS = re.compile(r"[*`#|]|\{#[a-z-]+\}")
AROUND = 90  # characters of an excerpt on either side


@dataclass(frozen=True, slots=True)
class Section:
    anchor: str
    title: str
    text: str  # Markdown

    @property
    def html(self) -> SafeString:
        return markdown.render(self.text, {})


@dataclass(frozen=True, slots=True)
class Page:
    """A page in one language; `text` is all of it as Markdown, without anchors."""

    slug: str
    title: str
    lede: str
    text: str
    sections: tuple[Section, ...]

    def get_absolute_url(self) -> str:
        return reverse("vault:guide_page", args=[self.slug])


@dataclass(frozen=True, slots=True)
class Hit:
    """A section in which all that was looked for stands, and some words around it."""

    page: Page
    section: Section
    excerpt: str


@cache
def pages(language: str) -> tuple[Page, ...]:
    """All pages in their order, in English where the language is not known."""
    folder = FOLDER / language.partition("-")[0]
    folder = folder if language and folder.is_dir() else FOLDER / FALLBACK
    return tuple(_page(slug, (folder / f"{slug}.md").read_text()) for slug in PAGES)


def page(language: str, slug: str) -> Page:
    """The page of that name; raises LookupError."""
    for each in pages(language):
        if each.slug == slug:
            return each
    raise LookupError(slug)


def found(language: str, wanted: str) -> list[Hit]:
    """The sections that have every word of what is wanted, those with it in their titles first."""
    words = wanted.casefold().split()
    hits = [hit for each in pages(language) for hit in _hits(each, words)] if words else []
    return sorted(hits, key=lambda hit: words[0] not in hit.section.title.casefold())


def _hits(page: Page, words: list[str]) -> Iterator[Hit]:
    for section in page.sections:
        plain = " ".join(MARKS.sub("", section.text).split())
        told = f"{page.title} {section.title} {plain}".casefold()
        if all(word in told for word in words):
            at = max(0, plain.casefold().find(words[0]))
            begin, end = max(0, at - AROUND), at + AROUND
            excerpt = plain[begin:end]
            if begin:
                excerpt = excerpt.partition(" ")[2]
            if end < len(plain):
                excerpt = excerpt.rpartition(" ")[0]
            more = " …" if end < len(plain) else ""
            yield Hit(page, section, f"{'… ' if begin else ''}{excerpt}{more}")


def _page(slug: str, text: str) -> Page:
    head, *rest = HEADING.split(text)
    title, _line, lede = head.strip().partition("\n")
    sections = tuple(
        Section(anchor, heading, body.strip())
        for heading, anchor, body in zip(rest[::3], rest[1::3], rest[2::3], strict=True)
    )
    bare = HEADING.sub(r"## \1", text)
    return Page(slug, title.removeprefix("# "), lede.strip(), bare, sections)
