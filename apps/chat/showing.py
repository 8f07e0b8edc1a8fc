"""Turn what has been told of answers into what a page shows."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from apps.chat.following import told
from apps.chat.models import Answer, Turn
from apps.chat.steps import Account, Found
from apps.web import markdown

CHIP = "chat/_chip.html"


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
    def other_sources(self) -> list[Found]:
        """What was read and is not referred to."""
        return [each for each in self.account.sources if each not in self.first_sources]

    @property
    def seconds(self) -> float | None:
        """How long it took, once it has ended."""
        ended, began = self.answer.ended_at, self.answer.began_at
        return (ended - began).total_seconds() if ended else None


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """A question with its newest answer, and the earlier ones."""

    turn: Turn
    newest: Shown
    earlier: list[Shown] = field(default_factory=list)


def turns(of: Sequence[Turn]) -> list[ShownTurn]:
    """The turns as they stand, in two or three queries; give them with `answers` prefetched."""
    accounts = told([answer for turn in of for answer in turn.answers.all()])
    shown = []
    for turn in of:
        answers = [answer_as(each, accounts[each.pk]) for each in turn.answers.all()]
        if answers:
            shown.append(ShownTurn(turn, answers[-1], answers[:-1]))
    return shown


def running(shown: Sequence[ShownTurn]) -> Shown | None:
    """The answer that is being written, if any."""
    return next((each.newest for each in shown if not each.newest.account.ended), None)


def answer_as(answer: Answer, account: Account, growing: markdown.Growing | None = None) -> Shown:
    """The answer with its text as HTML; a growing one renders only what is new."""
    chips = {source.number: _chip(answer.pk, source) for source in account.sources}
    if growing and not account.ended:
        html = growing.html(account.text, chips)
    else:
        html = markdown.render(account.text, chips)
    return Shown(answer, account, html)


def changed(known: Account, now: Account) -> list[str]:
    """The parts of an answer that look different now."""
    parts = ("sources", "searched", "ahead", "asked", "thinking", "text", "ended")
    return [part for part in parts if getattr(known, part) != getattr(now, part)]


@lru_cache(maxsize=1000)  # a streamed answer shows the same few many times a second
def _chip(answer_id: int, source: Found) -> str:
    return render_to_string(CHIP, {"answer_id": answer_id, "source": source}).strip()


def as_markdown(answer: Answer) -> str:
    """The answer to take along: its text, and the sources it refers to as a list."""
    account = told([answer])[answer.pk]
    sources = [
        f"[{each.number}] {each.title}, {each.label}" for each in account.sources if each.used
    ]
    return "\n\n".join(filter(None, [account.text, "  \n".join(sources)])) + "\n"
