"""Follow an answer, from any point, in any process."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from django.conf import settings
from django.db.models import Q

from apps.chat import step_writer, writing
from apps.chat.models import Answer, Citation, Step
from apps.chat.notifier import notifier
from apps.chat.steps import (
    Account,
    Asked,
    Checked,
    Ended,
    Found,
    Remembered,
    Row,
    Searched,
    ToolUse,
    placed,
)
from apps.library.models import Chunk
from apps.web.database import borrowed

CORE = 120  # characters
LOOK = 0.5  # seconds; for answers written in another process, and for dead writers


def told(answers: Sequence[Answer]) -> dict[int, Account]:
    """The account of each answer as it stands, by its key, in at most three queries."""
    sources: dict[int, list[Found]] = {answer.pk: [] for answer in answers}
    rows: dict[int, list[Row]] = {answer.pk: [] for answer in answers}
    writing_ones = [answer.pk for answer in answers if answer.state == Answer.State.WRITING]
    ended_ones = [answer.pk for answer in answers if answer.state != Answer.State.WRITING]
    if ended_ones:
        citations = list(Citation.objects.filter(answer__in=ended_ones))
        again = _found_again(citations)
        for citation in citations:
            citation.chunk_id = citation.chunk_id or again.get(citation.pk)
            sources[citation.answer_id].append(_source(citation))
    if writing_ones:
        kept = Step.objects.filter(answer__in=writing_ones).order_by("answer_id", "number")
        for answer_id, *row in kept.values_list("answer_id", "number", "kind", "body"):
            rows[answer_id].append((row[0], row[1], row[2]))
    return {
        answer.pk: _ended(answer, sources[answer.pk])
        if answer.state != Answer.State.WRITING
        else Account().and_then(rows[answer.pk])
        for answer in answers
    }


def _ended(answer: Answer, sources: list[Found]) -> Account:
    """An ended answer has its words and sources whole; its steps are not needed any more."""
    claims = tuple(Checked(**each) for each in answer.claims)
    return Account(
        sources=placed(sources, claims),
        searched=Searched(len(sources), answer.notice),
        asked=Asked(answer.model, answer.extractive) if answer.model else None,
        memory=Remembered(**answer.memory) if answer.memory else None,
        tools=tuple(ToolUse(**each) for each in answer.tools),
        thinking=answer.thinking,
        text=answer.text,
        refused=answer.refused,
        claims=claims,
        ended=Ended(answer.state, answer.reason),
    )


def _found_again(citations: Sequence[Citation]) -> dict[int, int]:
    """By citation, the passage that holds its quote now, where its document was read anew."""
    lost = [each for each in citations if not each.chunk_id and each.document_id and each.quote]
    if not lost:
        return {}
    wanted = Q()
    for each in lost:
        wanted |= Q(document=each.document_id, text__contains=_core(each.quote))
    chunks = Chunk.objects.filter(wanted).order_by("-ordinal")
    return {
        each.pk: chunk.pk
        for chunk in chunks
        for each in lost
        if chunk.document_id == each.document_id and _core(each.quote) in chunk.text
    }


def _core(quote: str) -> str:
    """Enough of a quote to know it by, without the marks of what was left out."""
    return quote.strip("… \n")[:CORE]


def _source(citation: Citation) -> Found:
    return Found(
        number=citation.number,
        chunk=citation.chunk_id,
        document=citation.document_id,
        title=citation.document_name,
        label=citation.label,
        kind=citation.kind,
        place=citation.place,
        quote=citation.quote,
        score=citation.score,
        used=citation.used,
        attachment=citation.attachment_id,
        url=citation.url,
    )


def follow(answer_id: int, after: int) -> Iterator[tuple[Account, Account] | None]:
    """Yield what was known and what is known now, each time the answer has grown.

    Starts with what has been told since step `after`, ends with the whole answer,
    or without an end where the answer was deleted.
    Yields None as a sign of life when there is nothing else to say.
    """
    news = notifier(answer_id)
    with borrowed():
        so_far = _read(answer_id, 0)
    known = Account().and_then(row for row in so_far if row[0] <= after)
    now = known.and_then(row for row in so_far if row[0] > after)
    yield None
    spoke = time.monotonic()
    while not now.ended:
        if now.number > known.number:
            yield known, now
            known, spoke = now, time.monotonic()
        elif time.monotonic() - spoke >= settings.HEARTBEAT:
            yield None
            spoke = time.monotonic()
        if heard := news.wait(now.number, LOOK):
            now = heard
        elif not step_writer.find(answer_id):  # it is written elsewhere, or by nobody any more
            with borrowed():
                writing.find_broken_off(Answer.objects.filter(pk=answer_id))
                if not Answer.objects.filter(pk=answer_id).exists():
                    return
                now = now.and_then(_read(answer_id, now.number))
    with borrowed():
        answer = Answer.objects.filter(pk=answer_id).first()
        whole = told([answer])[answer_id] if answer else now
    yield Account(), replace(whole, number=now.number)


def _read(answer_id: int, after: int) -> list[Row]:
    later = Step.objects.filter(answer_id=answer_id, number__gt=after).order_by("number")
    return list(later.values_list("number", "kind", "body"))
