"""The audit panel, its self-test and the light in the rail."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import translation
from django_q.models import OrmQ
from pytest_django import Settings

from apps.library.models import Workspace
from apps.outbound import guard, ledger, tasks, trying
from apps.outbound.models import Attempt
from apps.vault import audit, self_test
from apps.vault.templatetags import attempts
from tests.chat.conftest import add_document
from tests.fake_ollama import FakeOllama

HTMX = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def _anew() -> None:
    """What is remembered for seconds is of this test alone."""
    audit._memory.clear()
    with guard.allowed("test before"):
        trying.is_refused()
    # A database that is rolled back has forgotten how far the file was read.


def test_the_owner_sees_an_attempt_connections_and_places(
    reader: Client, workspace: Workspace, ollama: FakeOllama, settings: Settings
) -> None:
    add_document(workspace, "Sea.md", "p. 4", "Tides rise because the moon pulls the water.")
    with guard.allowed("test of the panel"):
        assert trying.is_refused()
    page = reader.get("/audit/")
    assert page.status_code == 200
    assert "test of the panel" in page.text and "192.0.2.1" in page.text
    assert "refused" in page.text and 'hx-trigger="every 5s"' in page.text
    assert str(settings.MEDIA_ROOT) in page.text and "Run the self-test" in page.text
    assert ollama.url in page.text and "Ollama" in page.text
    assert "Open connections" in page.text


def test_the_live_part_comes_alone(reader: Client) -> None:
    part = reader.get("/audit/", headers=HTMX).text
    assert part.lstrip().startswith('<div id="live"') and "<h1" not in part
    assert "What is kept" not in part


def test_without_a_model_server_the_panel_still_opens(reader: Client, settings: Settings) -> None:
    settings.OLLAMA_HOST = "http://127.0.0.1:9"
    assert "No model server answers" in reader.get("/audit/").text


def test_others_see_the_counts_only(client: Client, bob: User, settings: Settings) -> None:
    client.force_login(bob)
    with guard.allowed("test of another's page"):
        trying.is_refused()
    for headers in ({}, HTMX):
        page = client.get("/audit/", headers=headers).text
        assert "Refused since" in page
        for secret in ("192.0.2.1", "another&#x27;s page", str(settings.MEDIA_ROOT), "self-test"):
            assert secret not in page
    assert client.post("/audit/test/").status_code == 404


def test_the_times_are_those_of_the_browser(reader: Client) -> None:
    reader.cookies["zone"] = "Asia/Kathmandu"
    assert "Asia/Kathmandu" in reader.get("/audit/").text
    reader.cookies["zone"] = "No/Where"
    assert "Times are of</dt><dd>UTC" in reader.get("/audit/").text


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["plain", "htmx"])
def test_the_self_test_tries_every_process_and_all_works_meanwhile(
    reader: Client,
    workspace: Workspace,
    ollama: FakeOllama,
    headers: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    add_document(workspace, "Sea.md", "p. 4", "Tides rise because the moon pulls the water.")
    monkeypatch.setattr(self_test, "WORKER_SECONDS", 0.3)
    page = reader.post("/audit/test/", headers=headers, follow=True).text
    assert page.count("refused, and noted") == 2  # web and parser
    assert "the vault cannot watch it" in page and "No worker took the test" in page
    assert "Found a passage" in page and "Answered from a passage: a vector of" in page
    (asked,) = OrmQ.objects.all()
    assert asked.task["func"] == "apps.outbound.tasks.try_out"
    assert Attempt.objects.filter(process="parser", allowed=False).exists()


def test_a_worker_that_is_refused_is_found_in_the_ledger(db: None) -> None:
    purpose = "self-test of a worker"
    assert tasks.try_out(purpose)
    ledger.take_in()
    assert Attempt.objects.refused().filter(purpose=purpose, process=guard.process()).exists()


def test_an_empty_vault_says_what_it_could_not_try(
    alice: User, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.OLLAMA_HOST = "http://127.0.0.1:9"
    monkeypatch.setattr(self_test, "WORKER_SECONDS", 0.0)
    found = {each.what: each.state for each in self_test.run(alice.workspaces.get())}
    assert found == {
        "Web": "ok",
        "Reader of documents": "ok",
        "Model server": "absent",
        "Worker": "absent",
        "Search": "absent",
        "Answer": "absent",
    }


def test_the_light_is_in_the_rail_of_every_page(reader: Client) -> None:
    page = reader.get("/account/").text
    assert 'href="/audit/"' in page and "0 outbound since the start, " in page


def test_an_open_connection_to_another_machine_would_be_named() -> None:
    from types import SimpleNamespace as Made

    shown = audit.Process("Web", 1)
    here, there = Made(ip="127.0.0.1", port=5), Made(ip="2001:db8::1", port=443)
    door = Made(ip="192.0.2.5", port=8000)
    rows = [
        Made(status="LISTEN", laddr=door, raddr=None),
        Made(status="ESTABLISHED", laddr=here, raddr=Made(ip="127.0.0.1", port=9)),
        Made(status="ESTABLISHED", laddr=door, raddr=Made(ip="192.0.2.9", port=50000)),
        Made(status="ESTABLISHED", laddr=here, raddr=there),
        Made(status="NONE", laddr=here, raddr=()),
    ]
    for row in rows:
        audit._sort_in(shown, row, {8000})
    assert (shown.listens, shown.here) == (["192.0.2.5:8000"], 1)
    assert (shown.visitors, shown.beyond) == (["192.0.2.9:50000"], ["[2001:db8::1]:443"])


def test_attempts_are_told_in_the_readers_language() -> None:
    with translation.override("de"):
        assert attempts.purpose_words("pull tiny:1b") == "das Modell tiny:1b holen"
        assert attempts.purpose_words("add a web page") == "eine Webseite hinzufügen"
        assert attempts.process_words("parser") == "Leseprogramm für Dokumente"
        assert attempts.how_words("connect") == "verbinden mit"
        assert attempts.host_words("example.org") == "example.org"
    assert attempts.purpose_words("whatever else") == "whatever else"
    assert attempts.purpose_words("") == "nobody’s act"
