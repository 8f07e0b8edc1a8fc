"""What a page is made of may be kept for a year: its address changes with it."""

import re

from django.conf import settings
from django.test import Client

from apps.web import assets


def test_an_address_carries_what_is_in_the_file(reader: Client) -> None:
    page = reader.get("/study/").content.decode()
    named = re.findall(r'(?:href|src)="/static/([^"?#]+)(\?v=\w+)?', page)
    assert named and all(told == f"?v={assets.version(name)}" for name, told in named)
    assert "icons/sprite.svg?v=" in page and "#search" in page


def test_it_is_kept_for_a_year(db: None, client: Client) -> None:
    assert settings.WHITENOISE_MAX_AGE >= 30_000_000
    answer = client.get("/static/css/vault.css")
    answer.close()
    assert f"max-age={settings.WHITENOISE_MAX_AGE}" in answer.headers["Cache-Control"]


def test_what_is_not_there_has_a_plain_address() -> None:
    assert assets.version("nowhere.css") == ""
