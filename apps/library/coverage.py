"""What of a document a person has touched: read, cited, tested, mastered."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from django.db import connection

from apps.library.models import Document

Mark = Literal["read", "cited", "tested", "mastered"]
MARKS: tuple[Mark, ...] = ("read", "cited", "tested", "mastered")
SEGMENTS = 60  # of the strip drawn along a document

# The column is one of MARKS, never a person's words.
MARK = """
INSERT INTO library_coverage (chunk_id, document_id, {mark}_at)
SELECT id, document_id, now() FROM library_chunk WHERE id = ANY(%(chunks)s) ORDER BY id
ON CONFLICT (chunk_id) DO UPDATE
SET {mark}_at = coalesce(library_coverage.{mark}_at, excluded.{mark}_at)
"""
MARK_PAGE = MARK.format(mark="read").replace(
    "id = ANY(%(chunks)s)", "document_id = %(document)s AND kind = 'page' AND number = %(page)s"
)
STRIP = """
SELECT least(ordinal * %(segments)s / greatest(%(count)s, 1), %(segments)s - 1) AS segment,
       count(*), count(v.read_at), count(v.cited_at), count(v.tested_at), count(v.mastered_at),
       count(*) FILTER (WHERE coalesce(v.read_at, v.cited_at, v.tested_at) IS NULL)
FROM library_chunk c LEFT JOIN library_coverage v ON v.chunk_id = c.id
WHERE c.document_id = %(document)s
GROUP BY 1 ORDER BY 1
"""


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a document: how many passages, and how many of them were touched."""

    passages: int
    read: int
    cited: int
    tested: int
    mastered: int
    untouched: int  # never read, cited or asked about

    @property
    def level(self) -> str:
        """The furthest mark that at least one passage has; "" for none."""
        return next((mark for mark in reversed(MARKS) if getattr(self, mark)), "")


def mark(chunk_ids: Iterable[int], what: Mark) -> None:
    """Note that these passages were touched; the first time counts, unknown ids are skipped."""
    if what not in MARKS:
        raise ValueError(f"{what!r} is not one of {', '.join(MARKS)}.")
    with connection.cursor() as cursor:
        cursor.execute(MARK.format(mark=what), {"chunks": list(chunk_ids)})


def mark_page(document: Document, page: int) -> None:
    """Note that the passages of a page were read."""
    with connection.cursor() as cursor:
        cursor.execute(MARK_PAGE, {"document": document.pk, "page": page})


def unmark_mastered(chunk_ids: Iterable[int]) -> None:
    """A lapse: what was mastered is not any more."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE library_coverage SET mastered_at = NULL WHERE chunk_id = ANY(%(chunks)s)",
            {"chunks": list(chunk_ids)},
        )


def strip(document: Document) -> list[Segment]:
    """At most 60 segments from the document's beginning to its end."""
    count = document.chunk_count
    segments = max(1, min(SEGMENTS, count))
    with connection.cursor() as cursor:
        asked = {"document": document.pk, "count": count, "segments": segments}
        cursor.execute(STRIP, asked)
        return [Segment(*row[1:]) for row in cursor.fetchall()]


def touched(segments: Iterable[Segment]) -> dict[Mark, int]:
    """How many passages have each mark."""
    found = list(segments)
    return {mark: sum(getattr(segment, mark) for segment in found) for mark in MARKS}
