"""What a page asks of the database: no more than ten questions, whichever page it is."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.progress import standing
from tests.fake_ollama import FakeOllama
from tests.test_doors import ADDRESSES, DOORS, FOLLOWED, things

__all__ = ["things"]

MOST = 10
# Where no card is due it also looks for a new one, and whether the last review can be undone.
MORE = {"study:review": 12}


def test_no_page_asks_much(
    reader: Client,
    alice: User,
    things: dict[str, Any],
    ollama: FakeOllama,
    subtests: pytest.Subtests,
) -> None:
    standing.fresh(alice)
    for address in ADDRESSES:
        if "GET" not in DOORS[address.name].split() or address.name in FOLLOWED:
            continue
        url = address.url(things)
        b"".join(reader.get(url))  # the first look keeps section and visit in the session
        with CaptureQueriesContext(connection) as asked:
            page = reader.get(url)
            b"".join(page)
        if page.status_code == 200 and page.headers["Content-Type"].startswith("text/html"):
            with subtests.test(address=str(address)):
                told = "\n".join(query["sql"][:120] for query in asked)
                assert len(asked) <= MORE.get(address.name, MOST), told
