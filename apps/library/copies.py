"""Of two versions of a contract, say, the newer stands on top, and the older one says that it is.

Passages that say the same, word for word, are shown once. Those that say nearly the same, in
documents that do so as a whole, are all shown.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from django.utils import timezone

from apps.library import dating, likeness
from apps.library.models import Chunk, Document
from apps.library.search import Hit

TELLING = 80  # letters; what is shorter says the same only under the same heading
NEAR = 0.75  # of the better score; what is further away is asked for by its name, or its year
SAME = 0.7  # of the better score, of passages that say the same: a place or two set them apart
ALIKE = 0.8  # of their words two versions of a passage have in common
BANDS = ("weak", "check", "strong")
WORD = re.compile(r"\w+")

Age = Callable[[Document], tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Told:
    """A passage that is shown, and what else is to be said of it."""

    hit: Hit
    same: list[Chunk]  # others that say it word for word
    newer: Chunk | None = None  # says nearly the same in a newer version of the document


def folded(hits: Sequence[Hit]) -> list[Told]:
    """Each text once, where its best hit stands, with the other passages that say the same.

    Of several that are about as good the one of the newest document is shown: what has a newer
    version is mostly asked for in that one. So does a newer version stand above an older one.
    """
    groups: dict[str, list[Hit]] = {}
    for hit in hits:
        groups.setdefault(_said(hit), []).append(hit)
    return _versions([_newest_first(group) for group in groups.values()])


def _newest_first(group: list[Hit]) -> Told:
    age = _age([hit.chunk.document for hit in group])
    group_by_age = sorted(group, key=lambda hit: age(hit.chunk.document), reverse=True)
    best = group[0]
    newest = next(hit for hit in group_by_age if hit.score >= SAME * best.score)
    others = [hit.chunk for hit in group_by_age if hit is not newest]
    return Told(replace(newest, band=best.band), others)


def _versions(shown: list[Told]) -> list[Told]:
    """The same, each that is an older version marked, and the newer above it if it is as good."""
    near = _nearly_same(shown)
    if not near:
        return shown
    alike = likeness.alike({told.hit.chunk.document_id for pair in near for told in pair})
    order = {id(told): float(place) for place, told in enumerate(shown)}
    newest: dict[int, Told] = {}
    for pair in near:
        documents = [told.hit.chunk.document for told in pair]
        if frozenset(document.pk for document in documents) not in alike:
            continue
        age = _age(documents, sure=True)
        older, newer = sorted(pair, key=lambda told: age(told.hit.chunk.document))
        if age(older.hit.chunk.document) < age(newer.hit.chunk.document):
            known = newest.get(id(older))
            newest[id(older)] = newer if known is None else _newest(known, newer)
    for told in shown:
        above = newest.get(id(told))
        if above and order[id(above)] > order[id(told)] and _is_as_good(above.hit, told.hit):
            order[id(above)] = order[id(told)] - 0.5
    return [
        replace(told, newer=newest[id(told)].hit.chunk) if id(told) in newest else told
        for told in sorted(shown, key=lambda told: order[id(told)])
    ]


def _newest(one: Told, other: Told) -> Told:
    age = _age([one.hit.chunk.document, other.hit.chunk.document])
    return max(one, other, key=lambda told: age(told.hit.chunk.document))


def _is_as_good(newer: Hit, older: Hit) -> bool:
    """Whether a newer version answers about as well: it lacks no word that the older one has."""
    has = {word.casefold() for word in newer.words}
    lacks = any(word.casefold() not in has for word in older.words)
    as_strong = BANDS.index(newer.band) >= BANDS.index(older.band)
    return as_strong and not lacks and newer.score >= NEAR * older.score


def _nearly_same(shown: Sequence[Told]) -> list[tuple[Told, Told]]:
    """The pairs of passages, of two documents, that have most of their words in common."""
    words = [Counter(WORD.findall(told.hit.chunk.text.casefold())) for told in shown]
    kinds, totals = [frozenset(each) for each in words], [each.total() for each in words]
    found = []
    for one, other in combinations(range(len(shown)), 2):
        pair, enough = (shown[one], shown[other]), ALIKE * (totals[one] + totals[other]) / 2
        if pair[0].hit.chunk.document_id == pair[1].hit.chunk.document_id:
            continue
        if not enough or min(totals[one], totals[other]) < enough:
            continue
        # Different words are quickly counted, and few in common are too few in any case.
        if 4 * len(kinds[one] & kinds[other]) < len(kinds[one]) + len(kinds[other]):
            continue
        if (words[one] & words[other]).total() >= enough:
            found.append(pair)
    return found


def _age(documents: Sequence[Document], *, sure: bool = False) -> Age:
    """What tells the newer of these documents from the older, by which they are sorted.

    The day on which they were changed; on the same day, or where that is not known of all, a date
    in all of their names; else, if it need not be `sure`, when they came in. Of the same bytes
    the first are the original.
    """
    known = all(document.changed_at for document in documents)
    names = {document.pk: dating.named(document.name) for document in documents}
    dated = all(names.values())
    same = bool(documents[0].sha256) and len({document.sha256 for document in documents}) == 1

    def age(document: Document) -> tuple[Any, ...]:
        changed = document.changed_at
        day = timezone.localdate(changed).toordinal() if known and changed else 0
        name = names[document.pk] if dated else None
        if sure:
            return day, name or ()
        came = changed or document.ready_at or document.created_at
        if same:
            first = changed or document.created_at
            return -first.timestamp(), -document.pk
        return day, name or (), came.timestamp(), document.pk

    return age


def _said(hit: Hit) -> str:
    text = " ".join(hit.text.split())
    return text if len(text) >= TELLING else f"{hit.chunk.heading}\n{text}"
