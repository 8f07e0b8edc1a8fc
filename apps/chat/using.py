"""Tools in an answer: who may use them, how that is told, and what needs no model at all."""

import re
from collections.abc import Iterator
from dataclasses import replace

from apps.chat import prompt
from apps.chat.halting import Halt
from apps.chat.memory import Fitted
from apps.chat.needs import Need
from apps.chat.prompt import Language
from apps.chat.steps import AnyStep, Gave, Searched, Settled, Thought, Using, Wrote
from apps.chat.tools import Toolbox, local_time
from apps.llm import client
from apps.llm import tools as llm_tools
from apps.llm.catalogue import Model
from apps.web.database import borrowed

TIME: dict[Language, str] = {
    "en": "It is {day}, {at:%H:%M} ({zone}).",
    "de": "Es ist {day}, {at:%H:%M} Uhr ({zone}).",
}
DAYS = ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag")
MONTHS = (
    *("Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August"),
    *("September", "Oktober", "November", "Dezember"),
)
COUNTED: dict[Language, tuple[str, str, str]] = {
    "en": ("There are no documents here.", "There is 1 document:", "There are {count} documents:"),
    "de": ("Hier gibt es keine Dokumente.", "Es gibt 1 Dokument:", "Es gibt {count} Dokumente:"),
}


def able(model: Model) -> bool:
    """Whether the model is left to choose tools: small ones answer better from passages alone."""
    return "tools" in model.abilities and not model.extractive and not prompt.is_small(model)


def conversation(
    sent: Fitted, box: Toolbox, model: Model, think: bool | None, halt: Halt, *, tools: bool
) -> Iterator[AnyStep]:
    """What the model thinks, uses, comes upon and writes, as steps."""
    known, counting = len(box.sources), Counting(halt)
    pieces = llm_tools.converse(
        sent.messages,
        box.tools() if tools else (),
        model=model.name,
        options=sent.options,
        think=think,
        listen=counting,
    )
    for piece in pieces:
        match piece:
            case llm_tools.Using():
                yield Using(piece.number, piece.name, piece.arguments)
            case llm_tools.Used():
                yield Gave(piece.number, piece.text, piece.failed, piece.seconds)
                yield from box.sources[known:]
                known = len(box.sources)
            case client.Piece():
                if piece.thinking:
                    yield Thought(piece.thinking)
                if piece.content:
                    yield Wrote(piece.content)
    if counting.tokens:
        yield replace(sent.memory, tokens=counting.tokens, counted=True)


class Counting:
    """Listens to calls, and keeps how many tokens the server has read for the longest of them."""

    def __init__(self, halt: Halt) -> None:
        self._halt = halt
        self.tokens = 0

    def __call__(self, call: client.Call) -> Iterator[client.Piece]:
        yield from self._halt.listen(call)
        self.tokens = max(self.tokens, call.read)


def directly(need: Need, box: Toolbox, language: Language) -> Iterator[AnyStep]:
    """The answer that the tool alone gives, without a model."""
    tool = next(each for each in box.tools() if each.name == need.tool)
    yield Using(1, need.tool, need.arguments)
    try:
        result, failed = tool.use(need.arguments), False
    except llm_tools.ToolError as error:
        result, failed = str(error), True
    yield Gave(1, result, failed)
    yield Searched(0)
    yield Settled(result if failed else _in_words(need, result, box, language))


def _in_words(need: Need, result: str, box: Toolbox, language: Language) -> str:
    if need.tool == "current_time":
        with borrowed():
            now, zone = local_time(box.workspace.owner)
        day = f"{now:%A}, {now.day} {now:%B %Y}"
        if language == "de":
            day = f"{DAYS[now.weekday()]}, {now.day}. {MONTHS[now.month - 1]} {now.year}"
        return TIME[language].format(day=day, at=now, zone=zone)
    if need.tool == "list_documents":
        first, *rows = result.split("\n")
        none, one, many = COUNTED[language]
        count = int(found[0]) if (found := re.match(r"\d+", first)) else 0
        head = none if not count else one if count == 1 else many.format(count=count)
        return "\n".join([head, "", *rows]) if rows else head
    return re.sub(r"([*_])", r"\\\1", result)  # Markdown would take them for emphasis
