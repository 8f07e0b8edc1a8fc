"""Answer a question from the person's documents, telling what happens as it happens."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self

from apps.chat import prompt
from apps.chat.halting import Halt
from apps.chat.models import Answer, Turn
from apps.chat.prompt import Exchange, Language
from apps.chat.steps import AnyStep, Asked, Found, Queued, Searched, Settled, Thought, Wrote
from apps.library import analysis, citing, search
from apps.library.models import Workspace
from apps.library.search import EVERYTHING, Findings, Hit, Scope
from apps.llm import catalogue, client
from apps.web.database import borrowed

NEAREST = 3  # passages shown beside a refusal
# A short question with such a word may mean what the question before was about.
GERMAN_LETTER = re.compile("[äöüß]", re.I)
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

    @classmethod
    def of_turn(cls, turn_id: int) -> Self:
        """The question as it stands in its conversation."""
        turn = Turn.objects.select_related("conversation__workspace").get(pk=turn_id)
        return cls(
            text=turn.question,
            workspace=turn.conversation.workspace,
            scope=Scope(
                tuple(turn.scope_categories.values_list("pk", flat=True)),
                tuple(turn.scope_documents.values_list("pk", flat=True)),
            ),
            earlier=_earlier(turn),
            model=turn.conversation.model,
        )


def _earlier(turn: Turn) -> tuple[Exchange, ...]:
    """The turns before this one that were answered, each with the answer that counts."""
    answers = Answer.objects.filter(
        turn__conversation=turn.conversation_id,
        turn__lt=turn,
        turn__replaced_by=None,
        state=Answer.State.FINISHED,
        refused=False,
    ).counting_last()
    newest = {answer.turn_id: answer for answer in answers.select_related("turn")}
    return tuple(Exchange(answer.turn.question, answer.text) for answer in newest.values())


def answer_to(question: Question, halt: Halt, queue: Iterable[Queued] = ()) -> Iterator[AnyStep]:
    """Find sources, then have the model write from them; its text is checked at the end.

    Sources come before words. Where the search is sure that nothing holds the answer, the model
    is not asked; where it doubts, the model decides. Raises Halted when stopped, ModelError when
    no model answers.
    """
    language = language_of(question.text)
    findings = _look_up(question)
    halt.check()
    if not findings.hits or (findings.sure and not findings.answerable):
        yield from _nearest(findings)
        yield Settled(prompt.REFUSAL[language], refused=True)
        return
    try:
        model = catalogue.chat_model(question.model)
    except client.ModelError:
        yield from _nearest(findings)  # what was found helps without a model, too
        raise
    sources = _sources(_worth_reading(findings.hits, question.limit, model), model)
    yield from sources
    yield Searched(len(sources), findings.notice)
    yield from queue
    halt.check()
    sent = prompt.messages(question.text, sources, question.earlier, language, model)
    yield Asked(model.name, model.extractive)
    call = client.chat(sent, model=model.name, options=prompt.options(sent, model))
    text = ""
    for piece in halt.listen(call):
        if piece.thinking:
            yield Thought(piece.thinking)
        if piece.content:
            text += piece.content
            yield Wrote(piece.content)
    yield _settled(question.text, text, sources, language, model)


def _nearest(findings: Findings) -> Iterator[Found | Searched]:
    sources = _sources(findings.hits[:NEAREST])
    yield from sources
    yield Searched(len(sources), findings.notice)


def language_of(text: str) -> Language:
    """The language to answer in: German for a German question, else English.

    A short question may have no word that tells; its letters may.
    """
    known = analysis.detect_language(text)
    return "de" if known == "de" or (not known and GERMAN_LETTER.search(text)) else "en"


def _look_up(question: Question) -> Findings:
    """Search for the question; one that refers back and finds nothing takes the last one along."""
    with borrowed():
        findings = search.search(question.workspace, question.text, scope=question.scope)
        if findings.answerable or not question.earlier or not _refers_back(question.text):
            return findings
        wider = f"{question.earlier[-1].question} {question.text}"
        again = search.search(question.workspace, wider, scope=question.scope)
        return again if again.answerable else findings


def _refers_back(text: str) -> bool:
    return len(text.split()) <= SHORT and bool(REFERS_BACK.search(text))


def _worth_reading(hits: list[Hit], limit: int | None, model: catalogue.Model) -> list[Hit]:
    """The hits to send; weak ones only where there is nothing better."""
    count = limit or prompt.budget(model).passages
    return ([hit for hit in hits if hit.band != "weak"] or hits)[:count]


def _sources(hits: list[Hit], model: catalogue.Model | None = None) -> list[Found]:
    size = prompt.budget(model).characters if model else 2000
    return [
        Found(
            number=number,
            chunk=hit.chunk.pk,
            document=hit.chunk.document_id,
            title=hit.chunk.document.name,
            label=hit.chunk.label,
            kind=hit.chunk.kind,
            place=hit.chunk.number,
            quote=prompt.excerpt(hit.chunk.text, hit.words, size),
            score=float(hit.score),
        )
        for number, hit in enumerate(hits, start=1)
    ]


def _settled(
    question: str, text: str, sources: list[Found], language: Language, model: catalogue.Model
) -> Settled:
    """The text with its citations put right, or a refusal where that is what it says.

    A small model's text is also refused where no sentence of it can be tied to a passage.
    """
    text = text.strip()
    if not text:
        raise client.ModelError("The model said nothing. Try again, or choose another model.")
    if prompt.refuses(text):
        return Settled(prompt.REFUSAL[language], refused=True)
    if model.extractive:  # its sentences are the passages' own
        return Settled(text, citing.numbers(text, len(sources)))
    quotes = [f"{source.title} {source.label} {source.quote}" for source in sources]
    foreign = language_of(" ".join(source.quote for source in sources)) != language
    small = prompt.is_small(model)  # it fills up with what it was told in the examples
    asked = question if small else ""
    cited = citing.repaired(text, quotes, foreign=foreign, strict=small, asked=asked)
    if not cited.used and small:
        return Settled(prompt.REFUSAL[language], refused=True)
    return Settled(cited.text.strip(), cited.used)
