"""Full disks, closed folders, a database that is gone, clients that are slow or never end.

Nothing that was stored is lost, nothing half is left, and the reader is told what to do.
"""

import errno
import os
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import psycopg
import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.backends.base import UpdateError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError, connection, connections
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path
from psycopg_pool import PoolTimeout
from pytest_django import Settings

from apps.library.models import Document
from apps.web.sessions import SessionStore
from vaultsite import serve

MB = 1 << 20


def no_room(request: HttpRequest) -> HttpResponse:
    raise OSError(errno.ENOSPC, "No space left on device")


def no_permission(request: HttpRequest) -> HttpResponse:
    raise OSError(errno.EROFS, "Read-only file system")


def no_room_for_rows(request: HttpRequest) -> HttpResponse:
    raise OperationalError("could not extend file") from psycopg.errors.DiskFull()


def no_connection(request: HttpRequest) -> HttpResponse:
    raise OperationalError("no connection after 10 seconds") from PoolTimeout()


urlpatterns = [
    path("busy/", no_connection),
    path("disk/", no_room),
    path("permission/", no_permission),
    path("rows/", no_room_for_rows),
]
handler500 = "apps.web.views.broken"


@pytest.mark.parametrize("address", ["/disk/", "/permission/", "/rows/"])
@pytest.mark.urls(__name__)
@pytest.mark.django_db
def test_a_disk_that_takes_nothing_is_told_apart(address: str) -> None:
    page = Client(raise_request_exception=False).get(address)
    assert page.status_code == 507 and "takes nothing more" in page.text
    assert "Traceback" not in page.text


@pytest.mark.urls(__name__)
@pytest.mark.django_db
def test_a_database_that_is_busy_is_told_from_one_that_is_down(settings: Settings) -> None:
    client = Client(raise_request_exception=False)
    page = client.get("/busy/")
    assert page.status_code == 503 and "The vault is very busy" in page.text
    settings.DATABASE_URL = "postgresql://nobody@127.0.0.1:9/none"
    page = client.get("/busy/")
    assert page.status_code == 503 and "The database does not answer" in page.text


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of two megabytes."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)]
    if os.geteuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root can make a small disk")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


@pytest.fixture
def vault(transactional_db: None) -> Iterator[Callable[[], str]]:
    """The web server as it runs, in a thread; its settings are those of the test."""
    running = []

    def start() -> str:
        sock = serve.listening("127.0.0.1", 0)
        web = serve.server(sock)
        threading.Thread(target=web.run, daemon=True).start()
        running.append(web)
        return f"http://127.0.0.1:{sock.getsockname()[1]}"

    yield start
    for web in running:
        web.task_dispatcher.shutdown(timeout=1)
        web.close()


def signed_in(person: User, address: str) -> httpx.Client:
    client = Client()
    client.force_login(person)
    token = "a" * 32
    return httpx.Client(
        base_url=address,
        cookies={"sessionid": client.cookies["sessionid"].value, "csrftoken": token},
        headers={"x-csrftoken": token, "hx-request": "true"},
        trust_env=False,
        timeout=20,
    )


def test_a_disk_that_fills_while_a_file_arrives(
    alice: User, vault: Callable[[], str], small_disk: Path, settings: Settings
) -> None:
    settings.MEDIA_ROOT = small_disk
    settings.FILE_UPLOAD_TEMP_DIR = small_disk / "incoming"
    settings.FREE_DISK_MB = 0
    settings.FILE_UPLOAD_TEMP_DIR.mkdir()
    address = vault()
    with signed_in(alice, address) as reader:
        # Where it fails depends on the size: in the web server, in Django, or in the vault.
        for size in (MB // 2, MB * 3 // 4, MB + MB // 2, 5 * MB):
            try:
                answer = reader.post("/library/upload/", files={"file": ("big.txt", b"a" * size)})
            except httpx.TransportError:
                continue  # refused so early that the rest was never read
            if answer.status_code != 200:
                words = answer.text.lower()
                assert "disk" in words and "traceback" not in words, answer.text
        small = reader.post("/library/upload/", files={"file": ("small.txt", b"Notice is short.")})
        assert small.status_code == 200
    kept = {Path(each.file.path) for each in Document.objects.all()}
    assert (
        Path(Document.objects.get(name="small.txt").file.path).read_bytes() == b"Notice is short."
    )
    stored = set((small_disk / "documents").iterdir())
    assert stored == kept and all(path.stat().st_size for path in kept)
    assert list((small_disk / "incoming").iterdir()) == []


def test_a_folder_that_may_not_be_written_to(reader: Client, settings: Settings) -> None:
    settings.MEDIA_ROOT = Path("/proc/vault")  # where not even root may
    upload = SimpleUploadedFile("a.txt", b"Notice is short.")
    page = reader.post("/library/upload/", {"file": upload}, follow=True)
    assert "could not be stored" in page.text and not Document.objects.exists()
    assert reader.get("/library/").status_code == 200


def test_a_database_that_is_gone_is_told_and_back_all_is_there(
    alice: User, vault: Callable[[], str]
) -> None:
    """Its server lets nobody in and ends who is in, as at a restart; then it is back."""
    address, name = vault(), connection.settings_dict["NAME"]
    with (
        signed_in(alice, address) as reader,
        psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server,
    ):
        reader.headers.pop("hx-request")
        assert reader.get("/library/").status_code == 200
        connections.close_all()
        server.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
        try:
            end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
            server.execute(end, [name])
            page = reader.post("/account/", data={"username": "alicia"})
            assert page.status_code == 503, page.text
            assert "The database does not answer" in page.text
            assert int(page.headers["Retry-After"]) <= 10 and "Traceback" not in page.text
        finally:
            server.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')
        # The same session: nobody has to sign in again.
        assert reader.get("/library/").status_code == 200
    alice.refresh_from_db()
    assert alice.username == "alice"


def test_a_session_that_was_ended_meanwhile_is_no_trouble_of_the_database(db: None) -> None:
    store, other = SessionStore(), SessionStore()
    store.create()
    other.delete(store.session_key)
    store["section"] = "chat"
    with pytest.raises(UpdateError):
        store.save()


def test_slow_clients_hold_up_nobody(alice: User, vault: Callable[[], str]) -> None:
    """A hundred that send their request a byte at a time; the threads are 64."""
    address = vault()
    port = int(address.rpartition(":")[2])
    slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(100)]
    try:
        for number, each in enumerate(slow):
            each.sendall(b"POST /login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999\r\n")
            if number % 2:
                each.sendall(b"\r\nusername=")
        began = time.monotonic()
        with httpx.Client(base_url=address, trust_env=False) as reader:
            assert reader.get("/login/").status_code == 200
        assert time.monotonic() - began < 5
    finally:
        for each in slow:
            each.close()


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"GET /login/ HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 40_000 + b"\r\n\r\n", 431),
        (b"POST /login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n", 413),
        (b"POST /login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n", 400),
        (b"POST /login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
         b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\n\r\n", 403),
        (b"GET /login/ HTTP/1.1\r\nHost: evil.example\r\n\r\n", 400),
        (b"GET http://evil.example/login/ HTTP/1.1\r\nHost: evil.example\r\n\r\n", 400),
        (b"GET /login/ HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 192.0.2.9\r\n\r\n", 200),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n", 400),
        (b"GARBAGE\r\n\r\n", 400),
    ],
    ids=["head", "body", "length", "both", "host", "absolute", "forwarded", "tls", "garbage"],
)  # fmt: skip
def test_what_is_too_much_or_nonsense_is_refused_at_the_door(
    alice: User, vault: Callable[[], str], head: bytes, status: int
) -> None:
    port = int(vault().rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        client.sendall(head)
        answer = client.recv(65536)
    assert int(answer.split()[1]) == status, answer[:200]
    assert b"Server:" not in answer and b"Traceback" not in answer


def test_a_body_without_files_is_bounded(reader: Client) -> None:
    huge = {"username": "a" * (3 * MB)}
    assert reader.post("/account/", huge).status_code in (413, 422)
    body = "username=" + "a" * (3 * MB)
    answer = reader.post("/account/", body, content_type="application/x-www-form-urlencoded")
    assert answer.status_code == 413 and "too much at once" in answer.text


@pytest.mark.parametrize("words", ["%00", "a%00b", "%ED%A0%80", "%FF%FE", "%F4%8F%BF%BF" * 200])
def test_letters_that_are_none_are_refused_in_words(reader: Client, words: str) -> None:
    form = "application/x-www-form-urlencoded"
    for path_ in ("/account/", "/account/people/"):
        answer = reader.post(path_, f"username={words}&role=member", content_type=form)
        assert answer.status_code == 422
    assert reader.post("/login/", f"username={words}", content_type=form).status_code == 302
    visitor = Client().post("/login/", f"username={words}&password=x", content_type=form)
    assert visitor.status_code == 422
    for path_ in ("/search/", "/library/"):
        assert reader.get(f"{path_}?q={words}&category={words}").status_code in (200, 422)
