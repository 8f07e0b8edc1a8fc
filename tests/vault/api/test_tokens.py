"""Tokens: who comes in, who does not, and what they are told."""

import hashlib
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from apps.vault import tokens
from apps.vault.api import gate
from apps.vault.models import Token
from tests.vault.api.conftest import program

WHO = "/api/tokens/current"


def come(words: str) -> tuple[int, dict[str, object]]:
    answer = Client().get(WHO, headers={"Authorization": words})
    return answer.status_code, answer.json()


def test_a_token_says_whose_it_is_and_is_kept_as_a_hash(alice: User) -> None:
    token = tokens.make(alice, "backup script", ["read"], 30)
    status, told = come(f"Bearer {token}")
    assert status == 200 and told["owner"] == "alice" and told["scopes"] == ["read"]
    kept = Token.objects.get()
    assert kept.digest == hashlib.sha256(token.encode()).hexdigest()
    secret = token.rpartition("_")[2]
    assert all(secret not in str(value) for value in vars(kept).values())
    assert kept.used_at and kept.expires_at


@pytest.mark.parametrize("words", ["", "Bearer", "Bearer ", "Basic YTpi", "Token x", "Bearer x y"])
def test_without_a_token_nobody_comes_in(words: str, alice: User) -> None:
    status, told = come(words)
    assert status == 401 and told["title"] == "Unauthorized"
    assert "Account › Tokens" in str(told["detail"])


@pytest.mark.parametrize("forge", ["swapped", "cut", "longer", "another's prefix", "odd"])
def test_a_forged_token_is_none(forge: str, alice: User, bob: User) -> None:
    token = tokens.make(alice, "program", ["read"])
    other = tokens.make(bob, "program", ["read"])
    forged = {
        "swapped": token[:-1] + ("a" if token[-1] != "a" else "b"),
        "cut": token[:-1],
        "longer": token + "a",
        "another's prefix": token[:15] + other[15:],
        "odd": "vault_'; DROP_\udcff",
    }[forge]
    with pytest.raises(tokens.NotAccepted, match="no such token"):
        tokens.find(forged)
    assert tokens.find(token).owner == alice


def test_a_revoked_token_played_again_opens_nothing(alice: User) -> None:
    token = tokens.make(alice, "old laptop", ["read"])
    assert come(f"Bearer {token}")[0] == 200
    tokens.revoke(Token.objects.get())
    for _ in range(2):
        status, told = come(f"Bearer {token}")
        assert status == 401 and "old laptop" in str(told["detail"])
        assert "revoked" in str(told["detail"])


def test_an_expired_token_opens_nothing(alice: User) -> None:
    token = tokens.make(alice, "program", ["read"], 1)
    Token.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    status, told = come(f"Bearer {token}")
    assert status == 401 and "expired" in str(told["detail"])


def test_a_person_who_may_not_sign_in_has_no_programs_either(alice: User) -> None:
    token = tokens.make(alice, "program", ["read"])
    User.objects.update(is_active=False)
    assert come(f"Bearer {token}")[0] == 401


def test_a_missing_scope_is_named(alice: User) -> None:
    answer = program(alice, "write").get(WHO)
    assert answer.status_code == 403
    assert answer.headers["WWW-Authenticate"].endswith('error="insufficient_scope"')
    assert "may not read" in answer.json()["detail"]


def test_a_session_opens_nothing(reader: Client) -> None:
    assert reader.get(WHO).status_code == 401
    assert reader.post("/api/query", {"message": "x"}, "application/json").status_code == 401


def test_wrong_tokens_are_throttled_and_right_ones_pass(alice: User) -> None:
    right = program(alice)
    for _ in range(gate.MOST_WRONG):
        assert come("Bearer vault_0_0")[0] == 401
    answer = Client().get(WHO, headers={"Authorization": "Bearer vault_0_0"})
    assert answer.status_code == 429 and 0 < int(answer.headers["Retry-After"]) <= 60
    assert right.get(WHO).status_code == 200


def test_tokens_are_listed_and_revoked_by_their_owner_alone(alices: Client, bobs: Client) -> None:
    mine = alices.get("/api/tokens").json()
    assert [each["owner"] for each in mine] == ["alice"] and "digest" not in mine[0]
    assert bobs.delete(f"/api/tokens/{mine[0]['id']}").status_code == 404
    assert alices.delete(f"/api/tokens/{mine[0]['id']}").status_code == 204
    assert alices.get("/api/tokens").status_code == 401


def test_the_page_shows_a_token_once(reader: Client, alice: User) -> None:
    form = {"name": "assistant", "scopes": ["read"], "days": "90"}
    page = reader.post("/account/tokens/create/", form)
    assert page.status_code == 201 and "no-store" in page.headers["Cache-Control"]
    token = page.text.partition('value="vault_')[2].partition('"')[0]
    assert come(f"Bearer vault_{token}")[0] == 200
    again = reader.get("/account/tokens/").text
    assert "assistant" in again and token not in again
    key = Token.objects.get()
    reader.post(f"/account/tokens/{key.pk}/revoke/")
    assert come(f"Bearer vault_{token}")[0] == 401
    assert "revoked" in reader.get("/account/tokens/").text


def test_a_token_needs_a_name_and_a_scope(reader: Client) -> None:
    page = reader.post("/account/tokens/create/", {"name": "", "days": "9"})
    assert page.status_code == 422 and not Token.objects.exists()
