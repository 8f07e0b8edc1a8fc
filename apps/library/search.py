"""Finds passages in a workspace by words and by meaning, and says how good they are."""

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from apps.library import (
    abroad,
    analysis,
    beginnings,
    compounds,
    fusing,
    graphs,
    joining,
    ranking,
    relevance,
    rereading,
)
from apps.library.asking import NOTHING_ASKED, has_words, says_something, side_by_side, storable
from apps.library.meaning import EMBEDDED_CHARACTERS, Meaning
from apps.library.meaning import of as meaning_of
from apps.library.models import (
    Category,
    Chunk,
    Document,
    DocumentQuerySet,
    WordStatistic,
    Workspace,
)
from apps.library.own_rule import of as rule_of
from apps.library.ranking import Ranked
from apps.library.spelling import Slip, corrected, mended, shared
from apps.llm import client

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Scope:
    """Where to look: ids of categories and documents, together; everywhere if both are empty."""

    categories: tuple[int, ...] = ()
    documents: tuple[int, ...] = ()


EVERYTHING = Scope()


@dataclass(frozen=True, slots=True)
class Place:
    """A workspace, and the part of it to look at."""

    workspace: Workspace
    scope: Scope = EVERYTHING


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that was found, and why."""

    chunk: Chunk  # with its document and part
    score: float  # 0 to 1, comparable within one search only
    place_by_words: int | None  # from 1; None where that leg did not find it
    place_by_meaning: int | None
    similarity: float | None  # cosine
    band: str  # "strong", "check" or "weak"
    words: tuple[str, ...]  # of the question, as they are spelled in the passage
    joined: tuple[Chunk, ...] = ()  # with its neighbours found too, in reading order

    @property
    def text(self) -> str:
        """What the passage says, together with the neighbours that were found too."""
        return joining.text(self.joined or (self.chunk,))


@dataclass(frozen=True, slots=True)
class Findings:
    """What a search brings back, best first."""

    hits: list[Hit]
    answerable: bool  # whether the passages bear on the question at all
    sure: bool  # whether to rely on that; if not, warn instead of refusing
    notice: str  # what the reader should know about this search, "" if nothing
    embed_ms: float
    search_ms: float
    judged_by: str = ""  # where the rule of that verdict comes from
    slips: tuple[Slip, ...] = ()  # words of the question that no passage has
    unheard: bool = False  # none of its words stands in a passage, nor one near it
    hopeless: bool = False  # surely not answerable by what is learned so far
    # Of the workspace, ISO 639-1, other than a question's whose answer they might have.
    tongues: tuple[str, ...] = ()


def search(
    workspace: Workspace,
    question: str,
    *,
    scope: Scope = EVERYTHING,
    limit: int = 10,
    phrases: Sequence[str] = (),
    without: Sequence[str] = (),
    along: Sequence[str] = (),
) -> Findings:
    """The passages of a workspace that bear on a question, at most `limit` (and at most 50).

    Every one of `phrases` stands in what is found, and nothing of `without` does. Words alone are
    used, with a notice, where no embedder answers. Neighbours of one part are put together, so
    there may be fewer than `limit`. Any text may be asked. Other wordings of it in `along` are
    searched too and bring passages; whether it can be answered is judged by the question alone.
    """
    began = time.perf_counter()
    question = storable(question)
    phrases, without = [*map(storable, phrases)], [*map(storable, without)]
    along = [each for each in map(storable, along) if each]
    documents = _documents(workspace, scope)
    statistic = WordStatistic.of(workspace)
    if not question or not statistic or documents == []:
        return Findings([], False, True, "", 0.0, _since(began))
    if not any(map(says_something, question)):
        return Findings([], False, True, str(NOTHING_ASKED), 0.0, _since(began))
    question, asked, slips = _understood(workspace, question, phrases, statistic)
    before_embedding = time.perf_counter()
    meanings = [meaning_of(workspace, each) for each in (question, *along)]
    embed_ms = _since(before_embedding)
    meaning = meanings[0]
    rule = rule_of(meaning.model, workspace.owner_id)
    others = [_taken_apart(workspace, other, statistic) for other in along]
    literally = analysis.condition(phrases, without, statistic.languages)
    where: dict[str, Any] = {
        "usual": rule.usual,
        "documents": documents,
        "literally": literally,
        "languages": meaning.languages,
        "graph": documents is None and not literally and _has_graph(statistic, meaning),
    }
    ranked = [
        ranking.rank(workspace, q, vector=m.vector, embedding_set=m.embedding_set, **where)
        for q, m in zip((asked, *others), meanings, strict=True)
    ]
    found = fusing.fused(ranked[0], ranked[1:])
    away = abroad.passages(found, abroad.spoken(ranked[0], asked.language))
    length = _length(asked, question, phrases)
    found = _reread(workspace, question, found, meaning, statistic, away)
    its_own = [one for one in found if one.place_by_words or one.place_by_meaning]
    verdict = relevance.judge(its_own, rule, abroad=away, **_spoken(asked, question), **length)
    hits = _together(_hits(found[:limit], asked, rule, away, length, question))
    by, took = str(rule.source), _since(began) - embed_ms
    unheard = not slips and not any(one.coverage for one in ranked[0])
    told = slips, unheard, verdict.refuses, abroad.untried(found, asked, meaning.languages)
    sure = verdict.sure and not meaning.notice  # not while something is missing
    return Findings(hits, verdict.answerable, sure, meaning.notice, embed_ms, took, by, *told)


def _understood(
    workspace: Workspace, question: str, phrases: Sequence[str], statistic: WordStatistic
) -> tuple[str, analysis.Question, tuple[Slip, ...]]:
    """A question with its misspelled words as they were meant, taken apart; and what was meant."""
    asked, slips = mended(workspace, _taken_apart(workspace, question, statistic), phrases)
    if slips:
        question = corrected(question, slips)
        asked, _none = mended(workspace, _taken_apart(workspace, question, statistic))
    if len(question.split()) <= relevance.FEW:  # "Skonto?" means what "Skonto" does
        question = question.strip("?!., ") or question
    return question, asked, slips


def _taken_apart(workspace: Workspace, text: str, statistic: WordStatistic) -> analysis.Question:
    asked = compounds.question(workspace, text, statistic.languages, statistic.spoken)
    return beginnings.widened(workspace, asked)


def search_all(
    places: Sequence[Place],
    question: str,
    *,
    limit: int = 10,
    phrases: Sequence[str] = (),
    without: Sequence[str] = (),
    along: Sequence[str] = (),
) -> Findings:
    """As `search`, in several workspaces of one person; nothing is found in no place.

    Each workspace judges by its own statistics. Scores are shares of what could be reached there,
    so they are compared as they are.
    """
    found = [
        search(
            place.workspace,
            question,
            scope=place.scope,
            limit=limit,
            phrases=phrases,
            without=without,
            along=along,
        )
        for place in places
    ]
    if len(found) == 1:
        return found[0]
    hits = sorted((hit for one in found for hit in one.hits), key=lambda hit: -hit.score)[:limit]
    good = [one for one in found if one.answerable]
    return Findings(
        hits,
        bool(good),
        any(one.sure for one in good) if good else all(one.sure for one in found),
        next((one.notice for one in found if one.notice), ""),
        round(sum((one.embed_ms for one in found), 0.0), 2),
        round(sum((one.search_ms for one in found), 0.0), 2),
        next((one.judged_by for one in found if one.judged_by), ""),
        shared([one.slips for one in found]),
        all(one.unheard for one in found),
        all(one.hopeless for one in found),
        tuple(dict.fromkeys(each for one in found for each in one.tongues)),
    )


def scope_named(workspace: Workspace, names: Sequence[str]) -> Scope:
    """The scope of categories and documents by name; LookupError says which is unknown."""
    categories: list[int] = []
    documents: list[int] = []
    for name in names:
        in_category = Category.objects.filter(workspace=workspace, name=name)
        as_document = Document.objects.filter(workspace=workspace, name=name)
        found = list(in_category.values_list("pk", flat=True))
        categories += found
        if not found:
            found = list(as_document.values_list("pk", flat=True))
            documents += found
        if not found:
            raise LookupError(
                _(
                    "There is no category or document called “%(name)s” in %(workspace)s."
                    " Names are spelled as the library shows them."
                )
                % {"name": name, "workspace": workspace.name}
            )
    return Scope(tuple(categories), tuple(documents))


def _documents(workspace: Workspace, scope: Scope) -> list[int] | None:
    """The ids of the documents in scope, whose own they are; None is all."""
    if scope == EVERYTHING:
        return None
    return list(in_scope(workspace, scope).values_list("pk", flat=True))


def in_scope(workspace: Workspace, scope: Scope) -> DocumentQuerySet:
    """The documents of a workspace that a scope names; all of them where it names nothing."""
    mine = Document.objects.filter(workspace=workspace)
    if scope == EVERYTHING:
        return mine
    return mine.filter(category__in=scope.categories) | mine.filter(pk__in=scope.documents)


def _has_graph(statistic: WordStatistic, meaning: Meaning) -> bool:
    """Whether the workspace is so large that its vectors have a graph; few are asked about it."""
    if meaning.embedding_set is None or statistic.passages <= graphs.MANY:
        return False
    return graphs.is_there(statistic.workspace_id, meaning.embedding_set)


def _reread(
    workspace: Workspace,
    question: str,
    found: list[Ranked],
    meaning: Meaning,
    statistic: WordStatistic,
    away: frozenset[int],
) -> list[Ranked]:
    if meaning.embedding_set is None or meaning.vector is None:
        return found
    try:
        return rereading.reread(
            workspace,
            question[:EMBEDDED_CHARACTERS],
            found,
            vector=meaning.vector,
            model=meaning.model,
            embedding_set=meaning.embedding_set,
            languages=statistic.languages,
            passages=statistic.passages,
            abroad=away,
        )
    except client.ModelError as error:
        logger.warning("not reading the best again: %s", error)
        return found


def _spoken(asked: analysis.Question, question: str) -> dict[str, bool]:
    """What is known of the question's language, as the rule wants to know it."""
    untold = (asked.supposed or not asked.language) and has_words(question)
    return {"foreign": asked.foreign, "unknown": untold}


def _length(asked: analysis.Question, question: str, phrases: Sequence[str]) -> dict[str, Any]:
    """How much is asked for, as the rule wants to know it."""
    slots = relevance.things(asked) or len(phrases)
    looked_up = 0 < slots <= relevance.FEW and len(question.split()) <= slots + 1
    return {"slots": slots, "looked_up": looked_up}


def _together(hits: list[Hit]) -> list[Hit]:
    """The hits, each with the neighbours that were found too; the best of them stands for all."""
    made = []
    for group in joining.runs([hit.chunk for hit in hits]):
        best = hits[group[0]]
        if len(group) > 1:
            near = sorted((hits[n] for n in group), key=lambda hit: hit.chunk.ordinal)
            words = dict.fromkeys(word for n in group for word in hits[n].words)
            chunks = tuple(hit.chunk for hit in near)
            best = replace(best, words=tuple(words), joined=chunks)
        made.append(best)
    return made


def _hits(
    found: Sequence[Ranked],
    asked: analysis.Question,
    rule: relevance.Calibration,
    away: frozenset[int],
    length: dict[str, Any],
    question: str,
) -> list[Hit]:
    literal = side_by_side(question) if length["looked_up"] else None
    chunks = (
        Chunk.objects.select_related("document__workspace", "part", "words")
        .defer("words__lexemes")
        .in_bulk([passage.chunk_id for passage in found])
    )
    highest = relevance.highest(found, rule, slots=length["slots"])
    return [
        Hit(
            chunk,
            round(passage.score, 4),
            passage.place_by_words,
            passage.place_by_meaning,
            passage.similarity and round(passage.similarity, 4),
            relevance.band(
                passage,
                rule,
                foreign=asked.foreign or passage.chunk_id in away,
                verbatim=bool(literal and literal.search(f"{chunk.heading}\n{chunk.text}")),
                highest=highest,
                **length,
            ),
            _words(asked, chunk),
        )
        for passage in found
        # Gone since, where a document is just deleted; as good as gone, where many are.
        if (chunk := chunks.get(passage.chunk_id))
        and chunk.document.state != Document.State.DELETING
    ]


def _words(asked: analysis.Question, chunk: Chunk) -> tuple[str, ...]:
    return analysis.words_found(asked, f"{chunk.heading}\n{chunk.text}", _language(chunk))


def _language(chunk: Chunk) -> str:
    return chunk.words.language if hasattr(chunk, "words") else chunk.document.language


def _since(moment: float) -> float:
    return round((time.perf_counter() - moment) * 1000, 2)
