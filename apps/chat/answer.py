"""Answer a question from the person's documents, telling what happens as it happens."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Self

from django.utils.translation import gettext as _

from apps.chat import (
    bringing,
    claims,
    memory,
    needs,
    preferring,
    prompt,
    relating,
    sentences,
    settling,
    small_talk,
    using,
    whole,
)
from apps.chat.bringing import Brought
from apps.chat.halting import Halt
from apps.chat.models import Answer, Turn
from apps.chat.prompt import Exchange, Language, Wish
from apps.chat.steps import AnyStep, Asked, Found, Queued, Searched, Settled, Using, Wrote
from apps.chat.tools import Toolbox
from apps.library import search
from apps.library.models import Category, Document, Workspace
from apps.library.search import EVERYTHING, Findings, Hit, Scope
from apps.llm import catalogue, client
from apps.web.database import borrowed

FETCHED = 16  # passages looked for; some may be the same text again
FRONT = 2  # passages that a document may begin with before it says something
NEAREST = 3  # passages shown beside a refusal
UNSURE: dict[Language, str] = {
    "en": "You asked for an answer although these passages may not hold one: check each sentence.",
    "de": "Auf Ihren Wunsch beantwortet, obwohl diese Textstellen die Antwort vielleicht nicht"
    " enthalten: prüfen Sie jeden Satz.",
}
ALONE: dict[Language, str] = {
    "en": "Answered without the web.",
    "de": "Ohne das Web beantwortet.",
}
GONE: dict[Language, str] = {
    "en": "The documents this question was asked of are no longer in the library.",
    "de": "Die Dokumente, zu denen gefragt wurde, sind nicht mehr in der Bibliothek.",
}
# A short question with such a word may mean what the question before was about.
REFERS_BACK = re.compile(
    r"^(and|und|why|warum|wieso)\b|\b(it|its|they|them|their|that|this|those|he|she|his|her|there"
    r"|er|es|ihn|ihm|ihr|ihre|sein|seine|das|dies|diese|dieser|davon|dazu|dafür|damit|dort|darin)\b",
    re.I,
)
SHORT = 8  # words


@dataclass(frozen=True, slots=True)
class Question:
    """All that an answer depends on."""

    text: str
    workspace: Workspace
    scope: Scope = EVERYTHING
    earlier: tuple[Exchange, ...] = ()
    model: str = ""  # empty: the best that is installed
    limit: int | None = None  # passages; None: as many as suit the model
    think: bool | None = None  # None: as the model is used to
    instructions: str = ""  # the reader's own, of the workspace
    gone: bool = False  # what it was asked of is no longer there
    files: tuple[int, ...] = ()  # attached to it
    web_query: str = ""  # what the web is asked; empty: nothing
    anyway: bool = False  # from the nearest passages, whether or not they seem to hold the answer
    notice: str = ""  # what the reader is told beside the sources

    @classmethod
    def of_turn(cls, turn_id: int, way: str = "") -> Self:
        """The question as it stands in its conversation; `way` is "", "anyway" or "alone"."""
        turn = Turn.objects.select_related("conversation__workspace__owner").get(pk=turn_id)
        scope = Scope(
            tuple(turn.scope_categories.values_list("pk", flat=True)),
            tuple(turn.scope_documents.values_list("pk", flat=True)),
        )
        web = turn.mode == Turn.Mode.WEB and way != "alone"
        told = {"anyway": UNSURE, "alone": ALONE}.get(way, {})
        return cls(
            text=turn.question,
            workspace=turn.conversation.workspace,
            scope=scope,
            earlier=_earlier(turn),
            model=turn.conversation.model,
            think=turn.think,
            instructions=preferring.instructions(turn.conversation.workspace),
            files=tuple(turn.attachments.values_list("pk", flat=True)),
            web_query=turn.web_query if web else "",
            anyway=way == "anyway",
            notice=told.get(prompt.language_of(turn.question), ""),
            gone=turn.scoped and scope == EVERYTHING,
        )


def _earlier(turn: Turn) -> tuple[Exchange, ...]:
    """The turns before this one that were answered, each with the answer that counts.

    A greeting is no part of what is talked about.
    """
    answers = Answer.objects.filter(
        turn__conversation=turn.conversation_id,
        turn__lt=turn,
        turn__replaced_by=None,
        state=Answer.State.FINISHED,
        refused=False,
    ).counting_last()
    newest = {answer.turn_id: answer for answer in answers.select_related("turn")}
    told = [(answer.turn.question, answer.text) for answer in newest.values()]
    return tuple(Exchange(*each) for each in told if not small_talk.heard(each[0]))


def answer_to(question: Question, halt: Halt, queue: Iterable[Queued] = ()) -> Iterator[AnyStep]:
    """Find sources, then have the model write from them; its text is checked at the end.

    Sources come before words. Where the search is sure that nothing holds the answer, the model
    is not asked; where it doubts, the model decides. What needs a tool and no document is left to
    a model that can use tools, and else answered without one. Raises Halted when stopped,
    ModelError when no model answers.
    """
    language = prompt.language_of(question.text)
    if known := _unasked(question, language):
        yield Searched(0)
        yield known
        return
    try:
        model: catalogue.Model | None = catalogue.chat_model(question.model)
        trouble = None
    except client.ModelError as error:
        model, trouble = None, error
    brought = Brought()
    if question.files or question.web_query:
        brought = yield from bringing.bring(
            question.text, question.files, question.web_query, model, halt
        )
    need = None if brought else needs.plain(question.text)
    if need and not (model and using.able(model)):
        yield from using.directly(need, _toolbox(question), language)
        return
    through = whole.wanted(question.text, question.workspace, question.scope)
    if through and not brought and (through.table or model):
        yield from whole.answer(through, question.text, language, model, halt, queue)
        return
    findings = _look_up(question)
    halt.check()
    empty = not (question.anyway and findings.hits) and relating.nothing(
        findings, question.text, model
    )
    if empty and not need and not brought:
        yield from _nearest(findings, question.notice)
        yield Settled(prompt.REFUSAL[language], refused=True)
        return
    if model is None:
        yield from _nearest(findings)  # what was found helps without a model, too
        raise trouble or client.ModelError(_("No model answers."))
    hits = [] if empty else _worth_reading(question, findings.hits, model)
    if brought and not findings.answerable:
        hits = []  # the vault has nothing to add
    about = [question.notice, brought.notice, findings.notice if hits else ""]
    notice = " ".join(filter(None, about))
    told = replace(findings, notice=notice)
    yield from _written(question, language, model, brought, hits, told, halt, queue)


def _unasked(question: Question, language: Language) -> Settled | None:
    """What is answered without looking anything up; None where there is something to look up."""
    if question.gone:
        return Settled(GONE[language], refused=True)
    alone = not (question.files or question.web_query)
    said = small_talk.heard(question.text) if alone else None
    return Settled(small_talk.reply(said, question.workspace)) if said else None


def _written(
    question: Question,
    language: Language,
    model: catalogue.Model,
    brought: Brought,
    hits: list[Hit],
    findings: Findings,
    halt: Halt,
    queue: Iterable[Queued],
) -> Iterator[AnyStep]:
    """The sources, and what the model makes of them."""
    box, tools = _toolbox(question), using.able(model)
    allowed = prompt.budget(model)
    first = len(brought.sources) + 1
    sources = [*brought.sources]
    sources += [
        prompt.source(first + place, hit, allowed.size(place)) for place, hit in enumerate(hits)
    ]
    wish = Wish(question.text, language, _names(question), question.instructions, tools)
    sent = memory.fitted(wish, sources, question.earlier, model)
    sent = bringing.with_images(sent, brought, model)
    box.sources += sent.sources
    yield from sent.sources
    yield Searched(len(sent.sources), " ".join(filter(None, [findings.notice, sent.notice])))
    yield from queue
    halt.check()
    yield Asked(model.name, model.extractive)
    yield sent.memory
    think = question.think if "thinking" in model.abilities else None
    text = ""
    for step in using.conversation(sent, box, model, think, halt, tools=tools):
        if isinstance(step, Wrote):
            text += step.text
        elif isinstance(step, Using):
            text = ""  # what was said before a tool is no part of the answer
        yield step
    sure = findings.sure and not brought and bool(hits) and hits[0].band == "strong"
    end = settling.settled(
        question.text, text, box.sources, language, model, sure=sure, anyway=question.anyway
    )
    yield end
    if not end.refused:
        yield from claims.check(end.text, box.sources)


def _toolbox(question: Question) -> Toolbox:
    return Toolbox(question.workspace, question.scope)


def _names(question: Question) -> tuple[str, ...]:
    """What the question is asked of, by name."""
    if question.scope == EVERYTHING:
        return ()
    with borrowed():
        categories = Category.objects.filter(pk__in=question.scope.categories)
        documents = Document.objects.filter(pk__in=question.scope.documents)
        return (
            *categories.values_list("name", flat=True),
            *documents.values_list("name", flat=True),
        )


def _nearest(findings: Findings, notice: str = "") -> Iterator[Found | Searched]:
    sources = [prompt.source(n, hit) for n, hit in enumerate(findings.hits[:NEAREST], start=1)]
    yield from sources
    yield Searched(len(sources), " ".join(filter(None, [notice, findings.notice])))


def _look_up(question: Question) -> Findings:
    """Search for the question; one that refers back and finds nothing takes the last one along."""
    with borrowed():
        findings = search.search(
            question.workspace, question.text, scope=question.scope, limit=FETCHED
        )
        if findings.answerable or not question.earlier or not _refers_back(question.text):
            return findings
        wider = f"{question.earlier[-1].question} {question.text}"
        again = search.search(question.workspace, wider, scope=question.scope, limit=FETCHED)
        return again if again.answerable else findings


def _refers_back(text: str) -> bool:
    return len(text.split()) <= SHORT and bool(REFERS_BACK.search(text))


def _worth_reading(question: Question, hits: list[Hit], model: catalogue.Model) -> list[Hit]:
    """The hits to send; weak ones only where there is nothing better, and none twice.

    The same text may stand in two documents, or several times in one. Where there are few seats,
    what only names its document waits for the others, and a passage with a sentence that has all
    words of the question gets one.
    """
    allowed = prompt.budget(model)
    count = question.limit or allowed.passages
    different: dict[str, Hit] = {}
    for hit in hits:
        different.setdefault(" ".join(hit.chunk.text.split()), hit)
    once = list(different.values())
    least = allowed.near * float(once[0].score) if once and question.limit is None else 0.0
    near = [hit for place, hit in enumerate(once) if place < 2 or float(hit.score) >= least]
    chosen = [hit for hit in near if hit.band != "weak"] or near
    if prompt.is_small(model):
        chosen.sort(key=lambda hit: hit is not once[0] and _only_names(hit))  # stable
        held = next((hit for hit in once if relating.holds(question.text, hit)), None)
        if held and held not in chosen[:count]:
            return [*chosen[: count - 1], held]
    return chosen[:count]


def _only_names(hit: Hit) -> bool:
    """Whether a passage is a document's title block or front matter, and not all there is of it."""
    chunk = hit.chunk
    beside = chunk.ordinal < FRONT and chunk.document.chunk_count > FRONT
    return beside and not sentences.says_something(hit.text)
