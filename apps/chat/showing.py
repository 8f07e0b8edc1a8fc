"""Turn what has been told of answers into what a page shows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from apps.chat import claims
from apps.chat.following import told
from apps.chat.models import Answer, Turn
from apps.chat.steps import Account, Found
from apps.llm import occupied
from apps.web import markdown

CHIP, MARK = "chat/_chip.html", "chat/_mark.html"
MARKS_FROM = 1000  # numbers in brackets that stand for the marks of claims
CHIPS_FROM = 5000  # … and for chips that point to another sentence than their source's first
PARTS = (
    *("sources", "searched", "working", "ahead", "asked", "memory", "tools", "covered"),
    *("thinking", "text", "claims", "ended"),
)


@dataclass(frozen=True, slots=True)
class Shown:
    """An answer, as far as it has come."""

    answer: Answer
    account: Account
    html: SafeString

    @property
    def state(self) -> str:
        return self.account.ended.state if self.account.ended else Answer.State.WRITING

    @property
    def first_sources(self) -> list[Found]:
        """The cards to show: all while it is written, then those the text refers to."""
        account = self.account
        if not account.ended or account.refused or not account.used:
            return list(account.sources)
        return [source for source in account.sources if source.used]

    @property
    def own_sources(self) -> list[Found]:
        """Of the cards those of the vault and of attached files."""
        return [source for source in self.first_sources if not source.url]

    @property
    def web_sources(self) -> list[Found]:
        """Of the cards those of the web, which are shown by themselves."""
        return [source for source in self.first_sources if source.url]

    @property
    def other_sources(self) -> list[Found]:
        """What was read and is not referred to."""
        return [each for each in self.account.sources if each not in self.first_sources]

    @property
    def can_be_answered_anyway(self) -> bool:
        """It is a no beside which passages of the vault stand."""
        return self.account.refused and any(source.chunk for source in self.account.sources)

    @property
    def wanting(self) -> bool:
        """It has ended without an answer."""
        return self.account.refused or self.state not in (
            Answer.State.WRITING,
            Answer.State.FINISHED,
        )

    @property
    def at_work(self) -> str:
        """The tool that is being used."""
        tools = self.account.tools
        return f"{tools[-1].title}…" if tools and tools[-1].result is None else _("Used tools")

    @property
    def occupied(self) -> str:
        """What else has the model, for which this answer waits."""
        return occupied.by(self.answer.turn.conversation.owner_id)

    @property
    def waited(self) -> int:
        """Seconds since it was asked for."""
        return max(0, int((timezone.now() - self.answer.began_at).total_seconds()))

    @property
    def seconds(self) -> float | None:
        """How long it took, once it has ended."""
        ended, began = self.answer.ended_at, self.answer.began_at
        return (ended - began).total_seconds() if ended else None


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """A question with the answer that counts, and its neighbours among the versions."""

    turn: Turn
    answer: Shown
    place: int  # of the answer among its versions, from 1
    versions: int
    before: Answer | None = None
    after: Answer | None = None
    undoable: bool = False  # the question was edited, and nothing was asked since


def turns(of: Sequence[Turn]) -> list[ShownTurn]:
    """The turns as they stand, in few queries; give them with `answers` prefetched."""
    counting = {turn.pk: _counting(list(turn.answers.all())) for turn in of}
    accounts = told([answer for answer in counting.values() if answer])
    shown = []
    for turn in of:
        if answer := counting[turn.pk]:
            versions = list(turn.answers.all())
            at = versions.index(answer)
            shown.append(
                ShownTurn(
                    turn=turn,
                    answer=answer_as(answer, accounts[answer.pk]),
                    place=at + 1,
                    versions=len(versions),
                    before=versions[at - 1] if at else None,
                    after=versions[at + 1] if at + 1 < len(versions) else None,
                    undoable=turn.edited and turn is of[-1],
                )
            )
    return shown


def _counting(versions: list[Answer]) -> Answer | None:
    """The chosen version, else the newest."""
    ordered = sorted(versions, key=lambda answer: (answer.chosen, answer.version))
    return ordered[-1] if ordered else None


def running(shown: Sequence[ShownTurn]) -> Shown | None:
    """The answer that is being written, if any."""
    return next((each.answer for each in shown if not each.answer.account.ended), None)


def answer_as(answer: Answer, account: Account, growing: markdown.Growing | None = None) -> Shown:
    """The answer with its text as HTML; a growing one renders only what is new."""
    chips = {source.number: _chip(answer.pk, source) for source in account.sources}
    if growing and not account.ended and not account.claims:
        html = growing.html(account.text, chips)
    else:
        pointing = _pointing(account)
        others = {number: _chip(answer.pk, source) for number, (_, source) in pointing.items()}
        html = markdown.render(_marked(account, pointing), chips | others | _marks(account))
    return Shown(answer, account, html)


def _pointing(account: Account) -> dict[int, tuple[int, Found]]:
    """Citations that stand on another sentence than the first one of their source.

    By a number of their own: their claim's place in the account, and the source from there on.
    """
    sources = {source.number: source for source in account.sources}
    others = [
        (place, replace(source, start=start))
        for place, claim in enumerate(account.claims)
        for number, start in claim.starts.items()
        if (source := sources.get(int(number))) and start not in (source.start, -1)
    ]
    return dict(enumerate(others, CHIPS_FROM))


def _marked(account: Account, pointing: dict[int, tuple[int, Found]]) -> str:
    """The text with the place of each mark: after the citations of what they do not fully bear.

    Citations that point elsewhere than their source get their own number.
    """
    text = account.text
    for number, claim in reversed(list(enumerate(account.claims, MARKS_FROM))):
        place = number - MARKS_FROM
        begin = account.claims[place - 1].at if place else 0
        mark = f"[{number}]" if claim.state != claims.SUPPORTED else ""
        said = text[begin : claim.at]
        for other, (at, source) in pointing.items():
            if at == place:
                said = said.replace(f"[{source.number}]", f"[{other}]")
        text = f"{text[:begin]}{said}{mark}{text[claim.at :]}"
    return text


def _marks(account: Account) -> dict[int, str]:
    return {
        number: render_to_string(MARK, {"claim": claim}).strip()
        for number, claim in enumerate(account.claims, MARKS_FROM)
        if claim.state != claims.SUPPORTED
    }


def changed(known: Account, now: Account) -> list[str]:
    """The parts of an answer that look different now."""
    return [part for part in PARTS if getattr(known, part) != getattr(now, part)]


def _chip(answer_id: int, source: Found) -> str:
    return _chip_in(get_language() or "", answer_id, source)


@lru_cache(maxsize=1000)  # a streamed answer shows the same few many times a second
def _chip_in(_language: str, answer_id: int, source: Found) -> str:
    return render_to_string(CHIP, {"answer_id": answer_id, "source": source}).strip()
