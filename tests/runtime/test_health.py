"""What works, told to people and to machines."""

import contextlib
import json
import socket
import threading
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.utils import timezone, translation

from apps.outbound import guard
from apps.vault import health
from apps.web.health import Part
from apps.web.sessions import SessionStore
from vaultsite.runtime import processes

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def data(settings, tmp_path) -> None:
    settings.DATA_DIR = tmp_path


def test_the_database_tells_its_version_and_that_of_pgvector() -> None:
    part = health.database()
    assert part.state == "ok"
    assert part.version.startswith("PostgreSQL ")
    assert "pgvector " in part.version


def test_without_a_worker_it_says_how_to_start_one() -> None:
    part = health.worker()
    assert part.state == "down"
    assert "./start.sh" in part.fix


def test_a_folder_that_cannot_be_written_to_is_down(settings, tmp_path) -> None:
    settings.DATA_DIR = tmp_path / "gone"
    part = health.storage()
    assert part.state == "down"
    assert str(tmp_path / "gone") in part.detail
    assert "VAULT_DATA" in part.fix


def test_two_clocks_that_differ_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert health.clock().state == "ok"
    ahead = timezone.now() + timedelta(minutes=5)
    monkeypatch.setattr(health.timezone, "now", lambda: ahead)
    part = health.clock()
    assert part.state == "degraded" and "300 seconds apart" in part.detail and "NTP" in part.fix


def test_a_clock_that_was_set_back_is_told(settings) -> None:
    store = SessionStore()
    store.set_expiry(settings.SESSION_COOKIE_AGE + 26 * 3600)  # as if it was saved tomorrow
    store.create()
    part = health.clock()
    assert part.state == "degraded" and "set back" in part.detail


def test_the_guard_and_its_ledger_are_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    assert health.outbound().state == "ok" and "refused" in health.outbound().detail
    monkeypatch.setattr(health.guard, "armed_since", lambda: None)
    assert health.outbound().state == "degraded"


def test_the_program_tells_its_version_and_that_it_shows_errors(settings) -> None:
    part = health.program()
    assert (
        part.state == "ok" and part.version.startswith("Vaultsite ") and "Django 5" in part.version
    )
    settings.DEBUG = True
    assert health.program().state == "degraded" and "VAULT_DEBUG" in health.program().fix


def test_a_member_learns_the_states_and_no_more(client: Client, bob: User) -> None:
    client.force_login(bob)
    page = client.get("/health/").text
    assert "Worker" in page
    for secret in ("PostgreSQL", "./start.sh", "Django 5", "GB free"):
        assert secret not in page


def test_only_a_needed_part_takes_the_vault_down() -> None:
    well, ill = Part("database", "ok"), Part("worker", "down")
    assert health.status([well]) == "ok"
    assert health.status([well, ill]) == "degraded"
    assert health.status([Part("storage", "down"), ill]) == "down"
    assert health.status([well, Part("speech", "absent")]) == "ok"


def test_anybody_may_ask_for_the_states_and_learns_no_more(client: Client) -> None:
    answer = client.get("/healthz")
    assert answer.status_code == 200
    assert set(answer.json()) == {"status", "parts"}
    assert set(answer.json()["parts"].values()) <= {"ok", "degraded", "down", "absent"}


def test_healthz_is_503_when_a_needed_part_is_down(client: Client, settings, tmp_path) -> None:
    settings.DATA_DIR = tmp_path / "gone"
    answer = client.get("/healthz")
    assert answer.status_code == 503
    assert answer.json()["status"] == answer.json()["parts"]["storage"] == "down"


def test_a_check_that_breaks_is_a_part_that_is_down() -> None:
    def broken() -> Part:
        raise ZeroDivisionError("by zero\nand more")

    part = health._checked("sums", broken)
    assert (part.name, part.state, part.detail) == ("sums", "down", "by zero")


def test_what_the_guard_refused_is_said_in_the_readers_language() -> None:
    def leaving() -> Part:
        with guard.allowed("test of the guard"):  # so named, it is no fault of the run
            socket.create_connection(("192.0.2.1", 443), 0.2)
        raise AssertionError("it left")

    with translation.override("de"):
        assert health._checked("sums", leaving).detail.startswith("192.0.2.1 wurde nicht")


def test_the_page_tells_every_part_and_what_to_do(reader: Client) -> None:
    page = reader.get("/health/").content.decode()
    for name in health.CHECKS:
        assert name in page.lower()
    assert "./start.sh" in page


def test_the_command_prints_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        call_command("check_health", "--json")
    assert ended.value.code == 0
    document = json.loads(capsys.readouterr().out)
    assert set(document) == {"status", "parts"}
    for part in document["parts"]:
        assert set(part) == {"name", "state", "version", "detail", "fix"}


def test_the_start_waits_for_a_slow_first_answer() -> None:
    may_answer = threading.Event()

    class Slow(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            may_answer.wait()
            self.send_response(200)
            self.end_headers()
            with contextlib.suppress(OSError):  # whoever hung up does not hear it
                self.wfile.write(b'{"status": "ok", "parts": {"worker": "ok"}}')

        def log_message(self, *told: object) -> None:
            """Nothing to tell."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Slow) as server:
        threading.Thread(target=server.serve_forever).start()
        address = f"http://127.0.0.1:{server.server_port}"
        assert processes.states_of(address, 0.1) == {}
        threading.Timer(0.3, may_answer.set).start()
        assert processes.states_of(address, 60) == {"worker": "ok", "web": "ok"}
        server.shutdown()
