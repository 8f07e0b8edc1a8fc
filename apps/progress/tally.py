"""What the ledger adds up to: one fold over events in order of time.

Live, the tally takes each event as it comes; a rebuild takes all of them again. Both go through
`add`, so both end in the same place.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from apps.progress import badges, days
from apps.progress.kinds import Kind
from apps.progress.rounding import half_up
from apps.progress.streaks import ActiveDay, follows

COUNTED = {
    Kind.CHAT_MESSAGE: "messages",
    Kind.QUIZ_FINISHED: "quizzes",
    Kind.WORKSHOP_CREATED: "workshops",
    Kind.WORKSHOP_COMPLETED: "workshops_completed",
    Kind.LESSON_COMPLETED: "lessons",
    Kind.DECK_CREATED: "decks",
    Kind.DECK_MASTERED: "decks_mastered",
    Kind.CARD_FLIPPED: "flips",
    Kind.MINDMAP_CREATED: "mindmaps",
    Kind.MINDMAP_EXPORTED: "map_exports",
}


class Act(NamedTuple):
    """An event as the fold sees it."""

    kind: str
    at: datetime
    zone: str
    facts: Mapping[str, Any]


@dataclass(slots=True)
class SessionTally:
    """An unbroken stretch of study."""

    began_at: datetime
    ended_at: datetime
    acts: int = 1
    minimum: int = 60  # seconds credited to a session of a single act
    waited: float = 0.0  # seconds of it that something was waited for

    @property
    def seconds(self) -> float:
        whole = (self.ended_at - self.began_at).total_seconds()
        return max(self.minimum, whole - self.waited)


@dataclass(slots=True)
class DayTally:
    """The latest local day with study."""

    day: date
    first_at: datetime
    last_at: datetime
    messages: int = 0
    seconds: float = 0.0


class Added(NamedTuple):
    """What one act added."""

    day: date  # the act's local day
    spent: list[tuple[date, float]]  # seconds by day
    new_session: bool
    new_on_day: bool  # whether the session had not touched that day before
    badges: list[str]  # codes earned by this act


@dataclass(slots=True)
class Tally:
    """The running totals of one person. `idle` and `minimum` are in seconds."""

    idle: int
    minimum: int
    counts: Counter[str] = field(default_factory=Counter)
    best: dict[str, float] = field(default_factory=dict)  # measures that are a maximum
    seconds: float = 0.0
    session: SessionTally | None = None
    latest: DayTally | None = None
    run: int = 0  # days in a row, up to `latest`

    def add(self, act: Act) -> Added:
        """Take the next act of study in order of time."""
        before = set(badges.reached(self.measures()))
        day = days.local_day(act.at, act.zone)
        before_day = self.session and days.local_day(self.session.ended_at, act.zone)
        new_session, spent = self._extend_session(act)
        self.seconds += sum(seconds for _, seconds in spent)
        self._enter_day(act, day)
        if self.latest:
            self.latest.seconds += sum(s for spent_on, s in spent if spent_on == self.latest.day)
        self._count(act)
        earned = [code for code in badges.reached(self.measures()) if code not in before]
        return Added(day, spent, new_session, new_session or before_day != day, earned)

    def measures(self) -> dict[str, float]:
        """Every measure a badge asks for."""
        return {**self.counts, **self.best, "seconds": self.seconds}

    def _extend_session(self, act: Act) -> tuple[bool, list[tuple[date, float]]]:
        """Move the session on, or begin one; returns which, and the seconds added by day."""
        session = self.session
        if session is None or act.at - session.ended_at > timedelta(seconds=self.idle):
            self.session = SessionTally(act.at, act.at, 1, self.minimum)
            self.counts["sessions"] += 1
            return True, [(days.local_day(act.at, act.zone), float(self.minimum))]
        # The first seconds were credited in advance, to the day the session began.
        credited = session.began_at + timedelta(seconds=self.minimum)
        since = max(session.ended_at, credited)
        left, back = _wait(act, since)
        spent = [*days.spread(since, left, act.zone), *days.spread(back, act.at, act.zone)]
        session.waited += (back - left).total_seconds()
        session.ended_at = act.at
        session.acts += 1
        return False, spent

    def _enter_day(self, act: Act, day: date) -> None:
        entered = DayTally(day, act.at, act.at)
        latest = self.latest
        if latest is None:
            self.run, self.latest = 1, entered
        elif day > latest.day:
            run = follows(_active(latest), _active(entered))
            self.run, self.latest = (self.run + 1 if run else 1), entered
        else:  # the same day, or an earlier date again after a flight to the west
            latest.last_at = act.at

    def _count(self, act: Act) -> None:
        assert self.session and self.latest
        if name := COUNTED.get(Kind(act.kind)):
            self.counts[name] += 1
        if act.kind == Kind.CHAT_MESSAGE:
            self.latest.messages += 1
            self.counts["scoped"] += bool(act.facts.get("scoped"))
        hour = act.at.astimezone(days.zone(act.zone)).hour
        self.counts["night"] += hour >= 22 or hour < 4
        self.counts["morning"] += 5 <= hour < 8
        self._top("longest_session", self.session.seconds)
        self._top("streak", self.run)
        self._top("messages_a_day", self.latest.messages)
        if act.kind == Kind.QUIZ_FINISHED:
            score = float(act.facts.get("score") or 0)
            self.counts["score_sum"] += half_up(score)
            self._top("best_score", score)
            if act.facts.get("difficulty") == "advanced":
                self._top("best_advanced", score)

    def _top(self, measure: str, value: float) -> None:
        self.best[measure] = max(self.best.get(measure, 0), value)

    def kept(self) -> dict[str, Any]:
        """The tally as JSON, for `Tally.of`."""
        return {
            "counts": dict(self.counts),
            "best": self.best,
            "seconds": self.seconds,
            "run": self.run,
            "session": self.session
            and [
                self.session.began_at.isoformat(),
                self.session.ended_at.isoformat(),
                self.session.acts,
                self.session.waited,
            ],
            "latest": self.latest
            and [
                self.latest.day.isoformat(),
                self.latest.first_at.isoformat(),
                self.latest.last_at.isoformat(),
                self.latest.messages,
                self.latest.seconds,
            ],
        }

    @classmethod
    def of(cls, kept: Mapping[str, Any], idle: int, minimum: int) -> "Tally":
        """The tally that `kept` wrote down; an empty one for an empty mapping."""
        tally = cls(idle, minimum)
        if kept:
            tally.counts = Counter(kept["counts"])
            tally.best = dict(kept["best"])
            tally.seconds, tally.run = kept["seconds"], kept["run"]
        if session := kept.get("session"):
            began, ended = map(datetime.fromisoformat, session[:2])
            tally.session = SessionTally(began, ended, session[2], minimum, *session[3:])
        if latest := kept.get("latest"):
            first, last = map(datetime.fromisoformat, latest[1:3])
            tally.latest = DayTally(date.fromisoformat(latest[0]), first, last, *latest[3:])
        return tally


def _wait(act: Act, since: datetime) -> tuple[datetime, datetime]:
    """What of the time between `since` and the act was spent waiting for what the act is about.

    An act that had to be waited for says from when till when; for any other it is an empty stretch.
    """
    until = max(since, act.at)
    try:
        began, ended = (datetime.fromisoformat(at) for at in act.facts.get("waited", ()))
        return min(max(began, since), until), min(max(ended, since), until)
    except (TypeError, ValueError):  # none, or what an import made of it
        return until, until


def _active(day: DayTally) -> ActiveDay:
    return ActiveDay(day.day, day.first_at, day.last_at)
