"""The browsers a person is signed in with: which, from where, when last; and ending them."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _

from apps.web.models import Session

STALE = 300  # seconds after which a visit is noted again
MOST = 50  # browsers of a person; the one not seen for longest goes first
AGENT_LENGTH = 300  # characters kept of what a browser calls itself
# The first that is found in the name counts: Edge calls itself Chrome, and Chrome Safari.
PROGRAMS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "Chrome/": "Chrome",
    "CriOS/": "Chrome",
    "Safari/": "Safari",
    "curl/": "curl",
    "python": "Python",
}
SYSTEMS = {
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Windows": "Windows",
    "Mac OS X": "macOS",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}


@dataclass(frozen=True, slots=True)
class Browser:
    """One browser, for its person: nothing here lets anybody in."""

    handle: str
    name: str
    address: str
    began: datetime
    seen: datetime
    is_this: bool


def note_visits(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Write into the session, every few minutes, who came with it and from where."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        session = request.session
        if session.accessed and not session.is_empty() and request.user.is_authenticated:
            now = int(time.time())
            # A clock that was set back counts as much as minutes that went by.
            if abs(now - session.get("seen", 0)) > STALE:
                session["seen"] = now
                session.setdefault("began", now)
                session["agent"] = request.headers.get("User-Agent", "")[:AGENT_LENGTH]
                session["address"] = request.META.get("REMOTE_ADDR", "")
        return response

    return middleware


def of_person(person: User, this: str | None) -> list[Browser]:
    """Where a person is signed in, last seen first; `this` is the key of the session that asks."""
    held = Session.objects.owned_by(person).filter(expire_date__gt=timezone.now())
    found = [_told(session, this) for session in held if _opens(session, person)]
    return sorted(found, key=lambda each: each.seen, reverse=True)


def end(person: User, handle: str) -> bool:
    """Sign one browser of a person out; False where there is none of that handle."""
    for session in Session.objects.owned_by(person):
        if _handle(session.session_key) == handle:
            session.delete()
            return True
    return False


def end_all(person: User, but: str | None = None) -> int:
    """Sign a person out everywhere, or everywhere but in the session of that key; how many."""
    doomed = Session.objects.owned_by(person).exclude(session_key=but or "")
    return int(doomed.delete()[0])


def make_room(person: User) -> None:
    """Before a person signs in: forget what has expired, and browsers beyond the most."""
    Session.objects.filter(expire_date__lt=timezone.now()).delete()
    held = Session.objects.owned_by(person).order_by("-expire_date")
    kept = held.values_list("session_key", flat=True)[: MOST - 1]
    Session.objects.owned_by(person).exclude(session_key__in=list(kept)).delete()


def called(agent: str) -> str:
    """A browser as people call it: "Firefox on Linux"."""
    program = next((word for mark, word in PROGRAMS.items() if mark in agent), "")
    system = next((word for mark, word in SYSTEMS.items() if mark in agent), "")
    if program and system:
        return _("%(program)s on %(system)s") % {"program": program, "system": system}
    return program or system or _("Another program")


def _opens(session: Session, person: User) -> bool:
    """Whether a session still lets in: not where the password was changed since."""
    proof = session.get_decoded().get(HASH_SESSION_KEY, "")
    return constant_time_compare(proof, person.get_session_auth_hash())


def _told(session: Session, this: str | None) -> Browser:
    kept = session.get_decoded()
    seen = kept.get("seen", 0)
    return Browser(
        handle=_handle(session.session_key),
        name=called(kept.get("agent", "")),
        address=kept.get("address", ""),
        began=datetime.fromtimestamp(kept.get("began", seen), UTC),
        seen=datetime.fromtimestamp(seen, UTC),
        is_this=session.session_key == this,
    )


def _handle(key: str) -> str:
    """What a page may call a session: its key would let the reader of the page in."""
    return salted_hmac("vaultsite.browsers", key, algorithm="sha256").hexdigest()[:20]
