"""Keep a person's totals in step with the ledger: live, act by act, or all over again."""

from collections import Counter, defaultdict
from datetime import date
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection, transaction

from apps.progress.kinds import NOT_STUDY
from apps.progress.models import Award, Day, Event, Standing, StudySession
from apps.progress.tally import Act, Added, SessionTally, Tally

ADD_TO_DAY = """
INSERT INTO progress_day (person_id, day, seconds, sessions, kinds)
VALUES (%(person)s, %(day)s, %(seconds)s, %(sessions)s, '{}')
ON CONFLICT (person_id, day) DO UPDATE
SET seconds = progress_day.seconds + excluded.seconds,
    sessions = progress_day.sessions + excluded.sessions
"""
COUNT_ON_DAY = """
UPDATE progress_day
SET kinds = jsonb_set(kinds, ARRAY[%(kind)s], to_jsonb(coalesce((kinds->>%(kind)s)::int, 0) + 1))
WHERE person_id = %(person)s AND day = %(day)s
"""


def locked(person: User) -> Standing:
    """The person's standing, locked until the transaction ends; made where there is none."""
    Standing.objects.get_or_create(person=person)
    return Standing.objects.select_for_update().get(person=person)


def take(standing: Standing, event: Event) -> list[str]:
    """Add a new event to the totals; returns the badges it earns.

    An event older than the newest one leaves the standing stale, to be rebuilt before it is read:
    clocks jump, and imports bring the past.
    """
    if event.kind in NOT_STUDY:
        return []
    if standing.stale or (standing.latest_at and event.at < standing.latest_at):
        standing.stale = True
        standing.save(update_fields=["stale"])
        return []
    tally = _tally(standing.tally)
    added = tally.add(Act(event.kind, event.at, event.zone, event.facts))
    assert tally.session
    _note_day(event, added)
    _note_session(event.person_id, tally.session)
    Award.objects.bulk_create(
        [
            Award(person_id=event.person_id, badge=code, at=event.at, day=added.day)
            for code in added.badges
        ],
        ignore_conflicts=True,
    )
    standing.tally, standing.latest_at = tally.kept(), event.at
    standing.save(update_fields=["tally", "latest_at"])
    return added.badges


def fresh(person: User) -> Standing:
    """The person's standing, rebuilt first if something arrived late."""
    standing, _ = Standing.objects.get_or_create(person=person)
    if standing.stale:
        rebuild(person)
        standing.refresh_from_db()
    return standing


@transaction.atomic
def rebuild(person: User) -> None:
    """Make all sums again from the ledger. Badges once awarded are kept."""
    standing = locked(person)
    tally = _tally({})
    days: dict[date, dict[str, Any]] = defaultdict(
        lambda: {"seconds": 0.0, "sessions": 0, "kinds": Counter()}
    )
    sessions: list[SessionTally] = []
    awards: list[Award] = []
    events = Event.objects.owned_by(person).exclude(kind__in=NOT_STUDY).order_by("at", "pk")
    latest = None
    rows = events.values_list("kind", "at", "zone", "facts")
    for kind, at, zone, facts in rows.iterator(chunk_size=5000):
        added = tally.add(Act(kind, at, zone, facts))
        for day, seconds in added.spent:
            days[day]["seconds"] += seconds
        days[added.day]["sessions"] += added.new_on_day
        days[added.day]["kinds"][kind] += 1
        if added.new_session and tally.session:
            sessions.append(tally.session)
        awards += [Award(person=person, badge=b, at=at, day=added.day) for b in added.badges]
        latest = at
    _replace(person, sessions, days, awards)
    standing.tally, standing.latest_at, standing.stale = tally.kept(), latest, False
    standing.save(update_fields=["tally", "latest_at", "stale"])


def tally_of(standing: Standing) -> Tally:
    """The totals of a standing that is not stale."""
    return _tally(standing.tally)


def _tally(kept: dict[str, Any]) -> Tally:
    return Tally.of(kept, settings.SESSION_IDLE_SECONDS, settings.SESSION_MINIMUM_SECONDS)


def _note_day(event: Event, added: Added) -> None:
    seconds = {added.day: 0.0}
    for day, spent in added.spent:
        seconds[day] = seconds.get(day, 0.0) + spent
    with connection.cursor() as cursor:
        for day in sorted(seconds):
            row: dict[str, Any] = {
                "person": event.person_id,
                "day": day,
                "seconds": seconds[day],
                "sessions": int(added.new_on_day and day == added.day),
            }
            cursor.execute(ADD_TO_DAY, row)
        asked: dict[str, Any] = {
            "person": event.person_id,
            "day": added.day,
            "kind": str(event.kind),
        }
        cursor.execute(COUNT_ON_DAY, asked)


def _note_session(person_id: int, session: SessionTally) -> None:
    StudySession.objects.update_or_create(
        person_id=person_id,
        began_at=session.began_at,
        defaults={
            "ended_at": session.ended_at,
            "seconds": session.seconds,
            "acts": session.acts,
        },
    )


def _replace(
    person: User,
    sessions: list[SessionTally],
    days: dict[date, dict[str, Any]],
    awards: list[Award],
) -> None:
    StudySession.objects.filter(person=person).delete()
    StudySession.objects.bulk_create(
        StudySession(
            person=person, began_at=s.began_at, ended_at=s.ended_at, seconds=s.seconds, acts=s.acts
        )
        for s in sessions
    )
    Day.objects.filter(person=person).delete()
    Day.objects.bulk_create(Day(person=person, day=day, **sums) for day, sums in days.items())
    Award.objects.bulk_create(
        awards,
        update_conflicts=True,
        unique_fields=["person", "badge"],
        update_fields=["at", "day"],
    )
