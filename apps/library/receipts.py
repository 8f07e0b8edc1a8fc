"""The receipt of a document, part by part: what was read, and what was left out and why."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, QuerySet
from django.db.models.functions import Length

from apps.library.models import Document, Part
from apps.web.telling import restored


@dataclass(frozen=True, slots=True)
class Line:
    """One part: how much was read of it, how sure that is (0 to 1), and what was left out."""

    label: str
    characters: int
    passages: int
    ocr: bool
    confidence: float | None
    notice: str
    address: str


def parts(document: Document) -> QuerySet[Part]:
    """The parts as they were read last, in order, with their figures."""
    found = document.parts.filter(revision=document.revision).order_by("ordinal")
    return found.annotate(characters=Length("text"), passages=Count("chunks")).defer("text")


def lines(document: Document, found: Iterable[Part]) -> list[Line]:
    """Some of those parts as people read them."""
    told = _notices(document)
    return [
        Line(
            label=part.label,
            characters=getattr(part, "characters"),  # noqa: B009
            passages=getattr(part, "passages"),  # noqa: B009
            ocr=part.ocr,
            confidence=part.confidence,
            notice=told.get(part.label, ""),
            address=f"?page={part.number}" if part.kind == "page" else f"?part={part.ordinal}",
        )
        for part in found
    ]


def elsewhere(document: Document) -> list[str]:
    """What was left out of the file and belongs to none of its parts."""
    named = document.parts.filter(revision=document.revision, label__in=_notices(document))
    labels = set(named.values_list("label", flat=True))
    return [line for line in document.notice.splitlines() if line.partition(": ")[0] not in labels]


def _notices(document: Document) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in document.notice.splitlines():
        label, _, kept = line.partition(": ")
        reason = restored(kept)
        found[label] = f"{found[label]} {reason}" if label in found else reason
    return found
