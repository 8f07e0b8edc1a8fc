"""What can happen while an answer is written, and what it adds up to.

An answer is told in numbered steps which are never changed. The account of it,
at any number, is the sum of the steps up to there: the page, the stream and
the recovery after a crash all add up the same way.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from django.urls import reverse
from django.utils.translation import gettext_lazy

from apps.chat import sentences
from apps.library import marking, pointing


@dataclass(frozen=True, slots=True)
class Found:
    """A source that the answer may cite by its number."""

    number: int
    chunk: int | None  # None: the passage is gone, its quote stays
    document: int | None
    title: str
    label: str
    kind: str
    place: int
    quote: str
    score: float
    used: bool = False
    attachment: int | None = None  # the file that came with the question
    url: str = ""  # of a page of the web
    start: int = -1  # of the part that the text refers to; -1: of none in particular

    @property
    def gone(self) -> bool:
        """It was a passage of the library and is there no more."""
        return not (self.chunk or self.attachment or self.url)

    @property
    def host(self) -> str:
        """Where on the web it is."""
        return urlsplit(self.url).netloc

    @property
    def plain(self) -> str:
        """The quote without the headings its place names already."""
        return sentences.HEADING.sub("", self.quote).strip() or self.quote

    @property
    def told(self) -> str:
        """The plain quote from the part on that the text refers to, as a reader takes it in.

        Without the marks of Markdown, the cells of a table set apart and its rows on lines.
        """
        rest = marking.lined(self.plain[max(self.start, 0) :], every=self.kind == "lines")
        return f"… {rest}" if self.start > 0 and rest else rest

    @property
    def address(self) -> str:
        """Where it is shown in the vault, at the sentence that is referred to; "" of the web."""
        if self.chunk:
            sentence = pointing.pointer(sentences.around(self.start, self.plain))
            named = f"?sentence={sentence}" if sentence else ""
            return reverse("library:passage", args=[self.chunk]) + named
        return reverse("chat:attachment", args=[self.attachment]) if self.attachment else ""


@dataclass(frozen=True, slots=True)
class Searched:
    """The search is over; the notice says what it could not use."""

    passages: int
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Working:
    """What is being done before the model is asked, in words."""

    words: str


@dataclass(frozen=True, slots=True)
class Queued:
    """How many answers are before this one; 0: none any more."""

    ahead: int


@dataclass(frozen=True, slots=True)
class Asked:
    """The model has been asked; an extractive one picks sentences and writes none."""

    model: str
    extractive: bool = False


@dataclass(frozen=True, slots=True)
class Remembered:
    """What was sent: characters of earlier turns and in all, and the tokens that makes."""

    turns: int  # earlier ones that went along
    dropped: int  # earlier ones that did not
    characters: int  # of the earlier turns
    limit: int  # the most they may have
    sent: int  # characters in all
    tokens: int  # estimated before the model is asked, then as the server counted
    window: int  # tokens the model was given room for
    counted: bool = False
    left_out: int = 0  # passages that were found and did not fit

    @property
    def messages(self) -> int:
        """Questions and answers that went along."""
        return 2 * self.turns

    @property
    def messages_left_out(self) -> int:
        return 2 * self.dropped

    @property
    def share(self) -> int:
        """Per cent of the limit."""
        return round(100 * self.characters / self.limit) if self.limit else 0


@dataclass(frozen=True, slots=True)
class Using:
    """A tool is being used; what the model wrote before it is no part of the answer."""

    number: int
    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Gave:
    """What a tool gave back, or why it could not."""

    number: int
    result: str
    failed: bool = False
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Covered:
    """How much of a whole document has been gone through."""

    done: int
    total: int
    what: str  # rows, sections


@dataclass(frozen=True, slots=True)
class Thought:
    text: str


@dataclass(frozen=True, slots=True)
class Wrote:
    text: str


@dataclass(frozen=True, slots=True)
class Settled:
    """The text as it stands in the end: what the model wrote, its citations checked."""

    text: str
    used: tuple[int, ...] = ()
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Checked:
    """A sentence of the settled text held against the passages it cites.

    `at` is the offset after its last citation; `state` is supported, weak or unsupported; `starts`
    says by the number of a passage where the part of it begins that the sentence stands on. It
    holds no words: those are forgotten with their document.
    """

    at: int
    numbers: tuple[int, ...]
    state: str
    reason: str = ""
    starts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ended:
    """The last step: finished, failed, stopped or broken off."""

    state: str
    reason: str = ""


AnyStep = (
    Found
    | Searched
    | Working
    | Queued
    | Asked
    | Remembered
    | Using
    | Gave
    | Covered
    | Thought
    | Wrote
    | Settled
    | Checked
    | Ended
)
Row = tuple[int, str, dict[str, Any]]  # number, kind and body, as steps are kept

TYPES: dict[str, type[AnyStep]] = {
    "found": Found,
    "searched": Searched,
    "working": Working,
    "queued": Queued,
    "asked": Asked,
    "remembered": Remembered,
    "using": Using,
    "gave": Gave,
    "covered": Covered,
    "thought": Thought,
    "wrote": Wrote,
    "settled": Settled,
    "checked": Checked,
    "ended": Ended,
}
KINDS = {kind: name for name, kind in TYPES.items()}


TOOLS = {
    "search_knowledge_base": gettext_lazy("Search knowledge base"),
    "whole_table": gettext_lazy("Whole table"),
    "list_documents": gettext_lazy("List documents"),
    "analyze_document": gettext_lazy("Analyze document"),
    "compare_documents": gettext_lazy("Compare documents"),
    "calculator": gettext_lazy("Calculator"),
    "current_time": gettext_lazy("Current time"),
}


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool that was used for an answer, and what came of it."""

    tool: str
    arguments: dict[str, Any]
    result: str | None = None  # None: it is still at work
    failed: bool = False
    seconds: float = 0.0

    @property
    def title(self) -> str:
        """What it is called on a page."""
        return str(TOOLS.get(self.tool) or self.tool.replace("_", " ").capitalize())


@dataclass(frozen=True, slots=True)
class Account:
    """What has been told of an answer up to a step."""

    number: int = 0
    sources: tuple[Found, ...] = ()
    searched: Searched | None = None
    working: str = ""
    ahead: int = 0
    asked: Asked | None = None
    memory: Remembered | None = None
    tools: tuple[ToolUse, ...] = ()
    covered: Covered | None = None
    thinking: str = ""
    text: str = ""
    refused: bool = False
    claims: tuple[Checked, ...] = ()
    ended: Ended | None = None

    def and_then(self, rows: Iterable[Row]) -> "Account":
        """The account after more steps."""
        account = self
        for number, kind, body in rows:
            account = replace(account.adding(TYPES[kind](**body)), number=number)
        return account

    def adding(self, step: AnyStep) -> "Account":
        match step:
            case Found():
                return replace(self, sources=(*self.sources, step))
            case Searched():
                return replace(self, searched=step, working="")
            case Working(words):
                return replace(self, working=words)
            case Queued(ahead):
                return replace(self, ahead=ahead)
            case Asked():
                return replace(self, asked=step, ahead=0)
            case Remembered():
                return replace(self, memory=step)
            case Using(_, tool, arguments):
                return replace(self, tools=(*self.tools, ToolUse(tool, arguments)), text="")
            case Gave(number, result, failed, seconds):
                uses = list(self.tools)
                uses[number - 1] = replace(
                    uses[number - 1], result=result, failed=failed, seconds=seconds
                )
                return replace(self, tools=tuple(uses))
            case Covered():
                return replace(self, covered=step)
            case Thought(text):
                return replace(self, thinking=self.thinking + text)
            case Wrote(text):
                return replace(self, text=self.text + text)
            case Settled(text, used, refused):
                sources = tuple(replace(each, used=each.number in used) for each in self.sources)
                return replace(self, text=text, refused=refused, sources=sources)
            case Checked():
                claims = (*self.claims, step)
                return replace(self, claims=claims, sources=placed(self.sources, claims))
            case Ended():
                return replace(self, ended=step)

    @property
    def used(self) -> tuple[int, ...]:
        """The numbers of the sources that the text refers to."""
        return tuple(source.number for source in self.sources if source.used)


def placed(sources: Sequence[Found], claims: Sequence[Checked]) -> tuple[Found, ...]:
    """The sources, each from the part on that the first sentence citing it stands on."""
    starts: dict[str, int] = {}
    for claim in claims:
        starts = claim.starts | starts
    return tuple(replace(each, start=starts.get(str(each.number), -1)) for each in sources)


def row(step: AnyStep) -> tuple[str, dict[str, Any]]:
    """The kind and body under which a step is kept."""
    return KINDS[type(step)], asdict(step)
