"""Tokens: what one may do, and taking them back. They are made on a page, by a person."""

from datetime import datetime

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from ninja import Router, Schema

from apps.vault import tokens
from apps.vault.api.gate import ADMIN, READ, ApiRequest
from apps.vault.models import Token

router = Router(tags=["Tokens"])


class Key(Schema):
    id: int
    name: str
    prefix: str
    scopes: list[str]
    state: str
    owner: str
    created_at: datetime
    used_at: datetime | None
    expires_at: datetime | None


def _key(token: Token) -> Key:
    return Key(
        id=token.pk,
        name=token.name,
        prefix=token.prefix,
        scopes=token.scopes,
        state=token.state,
        owner=token.owner.get_username(),
        created_at=token.created_at,
        used_at=token.used_at,
        expires_at=token.expires_at,
    )


@router.get("/tokens/current", auth=READ, response=Key)
def current_token(request: ApiRequest) -> Key:
    """The token of this request: whose it is, and what it may do."""
    return _key(request.auth)


@router.get("/tokens", auth=ADMIN, response=list[Key])
def list_tokens(request: ApiRequest) -> list[Key]:
    """All tokens of this person, the newest first."""
    return [_key(each) for each in Token.objects.owned_by(request.user).select_related("owner")]


@router.delete("/tokens/{int:token_id}", auth=ADMIN, response={204: None})
def revoke_token(request: ApiRequest, token_id: int) -> HttpResponse:
    """Take a token back, for ever."""
    tokens.revoke(get_object_or_404(Token.objects.owned_by(request.user), pk=token_id))
    return HttpResponse(status=204)
