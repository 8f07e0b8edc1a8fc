"""Who may come in by the API: a token in the header, for what its scopes allow.

A session's cookie opens nothing here, so that no page of a stranger can act in a person's name.
"""

import threading
import time
from collections import deque

from django.contrib.auth.models import User
from django.http import HttpRequest
from ninja.security import HttpBearer

from apps.vault import tokens
from apps.vault.api.problems import DETAILS, Problem
from apps.vault.models import Token

MOST_BYTES = 1 << 20  # of a JSON body
MOST_WRONG = 30  # wrong tokens of one address in a minute; a right one always passes
MINUTE = 60.0
ADDRESSES = 10_000  # remembered at most
HOW = (
    "Send the header “Authorization: Bearer <token>”. Tokens are made on the page Account › Tokens."
)
SCOPE_MISSING = (
    "The token “{name}” may not {scope}: its scopes are {scopes}. Make one with the scope {scope}"
    " on the page Account › Tokens."
)


class ApiRequest(HttpRequest):
    """A request that has passed the gate."""

    user: User
    auth: Token


class Bearer(HttpBearer):
    """Lets in whoever shows a token with this scope, and sends what the operation takes.

    The media type is "" where an operation takes no body; one that comes is not read then.
    """

    def __init__(self, scope: str, media: str = "application/json") -> None:
        super().__init__()
        self.scope, self.media = scope, media

    def __call__(self, request: HttpRequest) -> Token:
        token = super().__call__(request)
        if token is None:
            raise Problem(401, f"No token was sent. {HOW}", _challenge())
        return token  # type: ignore[no-any-return]

    def authenticate(self, request: HttpRequest, words: str) -> Token:
        try:
            token = tokens.find(words.strip())
        except tokens.NotAccepted as refused:
            wait = wrong.note(request.META.get("REMOTE_ADDR", ""))
            if wait:
                raise _too_many(wait) from refused
            raise Problem(401, str(refused), _challenge("invalid_token")) from refused
        if self.scope not in token.scopes:
            told = SCOPE_MISSING.format(
                name=token.name, scope=self.scope, scopes=", ".join(token.scopes)
            )
            raise Problem(403, told, _challenge("insufficient_scope"))
        self._look_at_body(request)
        request.user = token.owner
        return token

    def _look_at_body(self, request: HttpRequest) -> None:
        """Raises Problem for a body that is of another kind, or too large, before it is read."""
        length = request.META.get("CONTENT_LENGTH") or "0"
        if not self.media or not length.isdecimal() or not int(length):
            return
        if request.content_type != self.media:
            told = f"This operation takes {self.media}, not {request.content_type or 'no type'}."
            raise Problem(415, f"{told} Say so in the header Content-Type.")
        if self.media == "application/json" and int(length) > MOST_BYTES:
            raise Problem(413, f"{DETAILS[413]} A JSON body may have {MOST_BYTES} bytes.")


class WrongTokens:
    """How many wrong tokens came from where in the last minute, in this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._times: dict[str, deque[float]] = {}

    def note(self, address: str) -> float:
        """Count one more; the seconds to wait where it is one too many, else 0."""
        now = time.monotonic()
        with self._lock:
            if len(self._times) >= ADDRESSES:
                self.forget()
            times = self._times.setdefault(address, deque(maxlen=MOST_WRONG + 1))
            times.append(now)
            full = len(times) > MOST_WRONG and now - times[0] < MINUTE
            return MINUTE - (now - times[0]) if full else 0.0

    def forget(self) -> None:
        self._times.clear()


wrong = WrongTokens()
READ = Bearer("read")
WRITE = Bearer("write")
ACT = Bearer("write", media="")
ADMIN = Bearer("admin", media="")
UPLOAD = Bearer("write", "multipart/form-data")


def _challenge(error: str = "") -> dict[str, str]:
    return {"WWW-Authenticate": f'Bearer realm="vault", error="{error}"' if error else "Bearer"}


def _too_many(wait: float) -> Problem:
    told = f"Too many wrong tokens came from this address. Wait {wait:.0f} seconds. {HOW}"
    return Problem(429, told, {"Retry-After": f"{wait:.0f}"})
