"""Puts together what was found for a question and for other wordings of it."""

from collections.abc import Sequence
from dataclasses import replace

from apps.library.ranking import DEPTH, Ranked, foremost

ALONG = 0.5  # what all other wordings of a question count together, against itself


def fused(found: Sequence[Ranked], others: Sequence[Sequence[Ranked]]) -> list[Ranked]:
    """What was found for a question and for other wordings of it, by the sum of their scores.

    Those are reciprocal ranks. Of a passage that only another wording has found nothing is known
    but how strong its meaning is.
    """
    if not others:
        return list(found)
    votes: dict[int, float] = {}
    made = {passage.chunk_id: passage for passage in found}
    for passage in (each for other in others for each in other):
        votes[passage.chunk_id] = votes.get(passage.chunk_id, 0.0) + passage.score / len(others)
        stranger = replace(
            passage,
            score=0.0,
            place_by_words=None,
            place_by_meaning=None,
            coverage=0.0,
            literal=0.0,
            similarity=None,
            identified=found[0].identified if found else 0.0,
            missing=found[0].missing if found else 0.0,
        )
        made.setdefault(passage.chunk_id, stranger)
    scored = [
        replace(one, score=(one.score + ALONG * votes.get(one.chunk_id, 0.0)) / (1 + ALONG))
        for one in made.values()
    ]
    return foremost(sorted(scored, key=lambda one: (-one.score, one.chunk_id)), DEPTH)
