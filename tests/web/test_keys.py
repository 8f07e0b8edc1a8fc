"""Shortcuts of a single key are a person's own choice."""

from django.contrib.auth.models import User
from django.test import Client


def test_single_keys_are_on_until_a_person_says_no(
    reader: Client, client: Client, bob: User
) -> None:
    assert "data-keys" not in reader.get("/account/").text
    back = reader.post(
        "/keys/", {"single": "off"}, headers={"Referer": "http://testserver/account/"}
    )
    assert back.headers["Location"].endswith("/account/")
    for page in ("/account/", "/library/", "/shortcuts/"):
        assert 'data-keys="off"' in reader.get(page).text
    client.force_login(bob)
    assert "data-keys" not in client.get("/library/").text
    reader.post("/keys/", {"single": "on"})
    assert "data-keys" not in reader.get("/account/").text
