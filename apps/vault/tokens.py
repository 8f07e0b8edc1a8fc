"""Keys for programs: shown once, kept as a hash, taken back at any time.

A token reads `vault_<prefix>_<secret>`. The secret has 256 bits of chance, so a plain SHA-256 keeps
it as safe as a slow hash would, and a guess is hopeless.
"""

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from apps.vault.models import Token

LEAD = "vault_"
NOBODYS = "0" * 64  # a digest that no token has
SELDOM = timedelta(minutes=1)  # between two notes that a token was used


class NotAccepted(Exception):
    """This token opens nothing; the message says why and what to do."""


def make(owner: User, name: str, scopes: Iterable[str], days: int | None = None) -> str:
    """Make a token that is good for so many days, or for ever; this is the only time it is told."""
    prefix, secret = secrets.token_hex(4), secrets.token_urlsafe(32)
    token = f"{LEAD}{prefix}_{secret}"
    Token.objects.create(
        owner=owner,
        name=name,
        prefix=prefix,
        digest=digest_of(token),
        scopes=sorted(set(scopes)),
        expires_at=timezone.now() + timedelta(days=days) if days else None,
    )
    return token


def find(token: str) -> Token:
    """The token these words are, with its owner; raises NotAccepted.

    That a token is revoked or expired is told only to whoever has the whole of it.
    """
    prefix = token.removeprefix(LEAD).partition("_")[0]
    known = None
    if prefix.isascii() and prefix.isalnum():
        known = Token.objects.select_related("owner").filter(prefix=prefix).first()
    fits = hmac.compare_digest(known.digest if known else NOBODYS, digest_of(token))
    if known is None or not fits or not known.owner.is_active:
        raise NotAccepted("This vault knows no such token. Make one on the page Account › Tokens.")
    if known.state != "valid":
        raise NotAccepted(
            f"The token “{known.name}” is {known.state}. Make a new one on the page Account ›"
            " Tokens."
        )
    _note_use(known)
    return known


def revoke(token: Token) -> None:
    """Take the key back, for ever; the row stays, to tell that it was there."""
    if token.revoked_at is None:
        token.revoked_at = timezone.now()
        token.save(update_fields=["revoked_at"])


def digest_of(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _note_use(token: Token) -> None:
    now = timezone.now()
    if token.used_at is None or now - token.used_at > SELDOM:
        Token.objects.filter(pk=token.pk).update(used_at=now)
