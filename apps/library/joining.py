"""Passages that stand side by side become one again: they were cut apart only to be found."""

from collections.abc import Sequence

from django.conf import settings

from apps.library.models import Chunk

MOST = 3  # passages put together; more is a page, not an answer


def runs(chunks: Sequence[Chunk]) -> list[list[int]]:
    """The places of `chunks` in groups of neighbours of one part, at most MOST each.

    Groups stand where their first member stood, members in the order they were given: the first of
    a group is the best of it where the best come first.
    """
    groups: list[list[int]] = []
    for n, chunk in enumerate(chunks):
        for group in groups:
            if len(group) < MOST and any(_side_by_side(chunks[m], chunk) for m in group):
                group.append(n)
                break
        else:
            groups.append([n])
    return groups


def text(chunks: Sequence[Chunk]) -> str:
    """The text of neighbours in reading order: what two of them share is said once."""
    first, *others = chunks
    told, end = first.text, first.end
    for chunk in others:
        body = _body(chunk)
        shared = max(end - chunk.start, 0)
        between = chunk.part.text[end : chunk.start] if chunk.start > end else ""
        told += (between if not between.strip() else "\n") + body[shared:]
        end = max(end, chunk.end)
    return told


def _body(chunk: Chunk) -> str:
    """The passage without its table's header row, which it repeats."""
    header = chunk.part.header[: settings.CHUNK_SIZE // 2]
    repeats = bool(header) and chunk.text.startswith(header)
    return chunk.text[len(header) :].lstrip("\n") if repeats else chunk.text


def _side_by_side(one: Chunk, other: Chunk) -> bool:
    return one.part_id == other.part_id and abs(one.ordinal - other.ordinal) == 1
