"""Divide a scope into lessons: neighbouring passages, cut where documents or sections change."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from apps.library.models import Chunk
from apps.study import quality, sampling
from apps.study.models import Job
from apps.study.windows import is_prose, sentences

LOOKED = 400  # passages of the scope that are read to see whether they hold prose
EXCERPT = 800  # characters of a passage that are given to the model
LEAST_EXCERPT = 150
CRUMB = " › "
HEADINGS = re.compile(r"^(?:\s*#{1,6}\s[^\n]*(?:\n|$))+")  # Markdown's, in front
FRAGMENT = re.compile(r"^[a-zäöüß][^.!?]{0,300}[.!?]\s+")  # a sentence's tail in front
HYPHENATED = re.compile(r"(?<=[^\W\d_])-\n(?=[a-zäöüß])")
# Lines of a page that belong to no sentence: an address, a number, "94 FREE CULTURE".
FURNITURE = re.compile(
    r"^[ \t]*(?:<?https?://\S+>?|\d{1,4}(?:[ \t]+[A-ZÄÖÜ][^a-zäöüß\n]{2,60})?"
    r"|[A-ZÄÖÜ][^a-zäöüß\n]{2,60}[ \t]+\d{1,4})[ \t]*$",
    re.M,
)


@dataclass(frozen=True, slots=True)
class Place:
    """A passage of the scope, as far as dividing needs it."""

    chunk: int
    document: int
    section: str


def groups(job: Job, lessons: int) -> list[list[int]]:
    """Chunk ids for each lesson, in reading order over the whole scope; only passages with prose.

    Fewer lists than `lessons` where there are fewer such passages.
    """
    rows = sampling.candidates(job)
    rows = (
        [rows[int(n * len(rows) / LOOKED)] for n in range(LOOKED)] if len(rows) > LOOKED else rows
    )
    texts = dict(Chunk.objects.filter(pk__in=[r.chunk for r in rows]).values_list("pk", "text"))
    places = [
        Place(row.chunk, row.document, row.section)
        for row in rows
        if excerpt(texts.get(row.chunk, ""))
    ]
    return [[place.chunk for place in group] for group in divide(places, lessons)]


def divide(places: Sequence[Place], lessons: int) -> list[list[Place]]:
    """Even groups of neighbours, each cut moved to the next change of document or section."""
    lessons = min(lessons, len(places))
    if not lessons:
        return []
    size = len(places) / lessons
    cuts = [0]
    for n in range(1, lessons):
        ideal = round(n * size)
        least, most = cuts[-1] + 1, len(places) - (lessons - n)
        near = range(max(least, round(ideal - size / 3)), min(most, round(ideal + size / 3)) + 1)
        cuts.append(min(near, key=lambda at: (_change(places, at), abs(at - ideal)), default=least))
    return [
        list(places[start:end]) for start, end in zip(cuts, [*cuts[1:], len(places)], strict=True)
    ]


def pick(ids: Sequence[int], most: int, take: int = 0) -> list[int]:
    """At most so many of the ids, evenly over all of them; another take begins further on."""
    if len(ids) <= most:
        return list(ids)
    step = len(ids) / most
    shift = take % max(1, int(step))
    return [ids[int(n * step) + shift] for n in range(most)]


def excerpt(text: str) -> str:
    """The whole sentences a passage begins with, at most 800 characters, word for word.

    "" where there is no prose in it.
    """
    text = FRAGMENT.sub("", HEADINGS.sub("", text).strip(), count=1)
    end = 0
    for sentence in sentences(text):
        at = text.find(sentence, end)
        if at + len(sentence) > EXCERPT:
            break
        end = at + len(sentence)
    cut = text[:end] or text[:EXCERPT].rpartition(" ")[0]
    return cut if len(cut) >= LEAST_EXCERPT and is_prose(cut) else ""


def smooth(text: str) -> str:
    """The text to read and to compare words with: no hyphens of lines, no furniture of pages."""
    return HYPHENATED.sub("", FURNITURE.sub("", text))


def best_sentences(text: str, most: int) -> list[str]:
    """The first sentences of prose in a text: what stands in when no model may be trusted."""
    told: list[str] = []
    for sentence in sentences(smooth(text)):
        line = " ".join(sentence.split())
        good = 20 <= len(line) <= 400 and line[-1] in ".!?…" and is_prose(line)
        if good and not quality.repeats(line, told):
            told.append(line)
    return told[:most]


def crumb(section: str) -> str:
    """The innermost heading of a breadcrumb."""
    return section.rpartition(CRUMB)[2].strip(" .:")


def _change(places: Sequence[Place], at: int) -> int:
    """How good a place is to cut before: 0 another document, 1 another section, 2 neither."""
    before, after = places[at - 1], places[at]
    return 0 if before.document != after.document else 1 if before.section != after.section else 2
