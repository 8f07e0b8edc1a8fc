"""The guard: what passes, what is refused, and that nothing odd gets the better of it."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from apps.outbound import configured, guard, noting

ROOT = Path(__file__).resolve().parents[2]
PURPOSE = "test of the guard"  # so named, an attempt is no fault of the run


@pytest.fixture(autouse=True)
def _named():
    with guard.allowed(PURPOSE):
        yield


def heard(event: str, *arguments: Any) -> bool:
    """Whether an event passes."""
    try:
        sys.audit(event, *arguments)
    except guard.Refused:
        return False
    return True


@pytest.fixture(scope="module")
def internet():
    with socket.socket() as sock:
        yield sock


HERE = [
    "127.0.0.1", "127.255.0.9", "::1", "::ffff:127.0.0.1", "0:0:0:0:0:0:0:1", "0.0.0.0", "::", "",
    "localhost", "LOCALHOST", b"127.0.0.1",
]  # fmt: skip
ELSEWHERE = [
    "192.0.2.1", "10.0.0.1", "192.168.1.1", "169.254.169.254", "172.17.0.1", "8.8.8.8", "224.0.0.1",
    "2001:db8::1", "fe80::1", "fe80::1%eth0", "fd00::1", "::ffff:10.0.0.1", "::ffff:8.8.8.8",
    "64:ff9b::7f00:1", "::127.0.0.1", "example.org", "localhost.example.org", "127.0.0.1.org",
    "127.1", "2130706433", "0x7f.1", "<broadcast>", "127.0.0.1\0.example.org", "exämple.org",
    b"8.8.8.8", b"example.org", "x" * 5000,
]  # fmt: skip


@pytest.mark.parametrize("host", HERE, ids=repr)
def test_this_machine_may_be_reached(internet: socket.socket, host: Any) -> None:
    assert heard("socket.connect", internet, (host, 80))
    assert heard("socket.connect", internet, (host, 80, 0, 0))
    assert heard("socket.sendto", internet, (host, 80))
    assert heard("socket.sendmsg", internet, (host, 80))
    assert heard("socket.getaddrinfo", host, 80, 0, 0, 0)


@pytest.mark.parametrize("host", ELSEWHERE, ids=lambda host: repr(host)[:30])
def test_other_machines_may_not(internet: socket.socket, host: Any) -> None:
    assert not heard("socket.connect", internet, (host, 443))
    assert not heard("socket.connect", internet, (host, 443, 0, 0))
    assert not heard("socket.sendto", internet, (host, 53))
    assert not heard("socket.sendmsg", internet, (host, 53))
    assert not heard("socket.gethostbyaddr", host)
    assert not heard("socket.getnameinfo", (host, 80))


def test_foreign_names_are_not_even_looked_up() -> None:
    for name in ("example.org", b"example.org", "localhost.example.org", "127.1"):
        assert not heard("socket.getaddrinfo", name, 443, 0, 0, 0)
        assert not heard("socket.gethostbyname", name)


def test_paths_and_the_kernel_are_no_network(internet: socket.socket) -> None:
    with socket.socket(socket.AF_UNIX) as local:
        for path in ("/run/postgresql/.s.PGSQL.5432", b"/run/x", b"\0abstract", "example.org"):
            assert heard("socket.connect", local, path)
        assert heard("socket.sendmsg", local, None)
    first, second = socket.socketpair()
    first.sendmsg([b"x"])
    assert second.recv(1) == b"x"
    first.close()
    second.close()
    assert heard("socket.getaddrinfo", None, 80, 0, 0, 0)
    assert heard("socket.bind", internet, ("0.0.0.0", 80))


ODD = [(), (None,), (None, None), (1, 2), ([], {}), ("x", ()), (object(), object()), (b"", [b""])]


@pytest.mark.parametrize("arguments", ODD, ids=repr)
@pytest.mark.parametrize("event", guard.EVENTS)
def test_odd_arguments_raise_nothing_of_their_own(event: str, arguments: tuple[Any, ...]) -> None:
    heard(event, *arguments)
    heard(event, None, ("host", "port", "more"))
    heard(event, None, (None, None))
    heard(event, None, ((1, 2), 10**30))


def test_real_calls_are_refused_with_a_sentence() -> None:
    with pytest.raises(guard.Refused, match=r"^192\.0\.2\.1 was not contacted"):
        socket.create_connection(("192.0.2.1", 443), 0.2)
    with pytest.raises(guard.Refused, match=r"^example\.org was not contacted"):
        socket.create_connection(("example.org", 443), 0.2)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock, pytest.raises(PermissionError):
        sock.sendto(b"?", ("192.0.2.1", 53))
    with socket.socket() as sock, pytest.raises(OSError):
        sock.connect_ex(("192.0.2.1", 443))


def test_an_act_lets_its_hosts_through_and_is_noted(internet: socket.socket) -> None:
    with guard.allowed("test act of a person", "192.0.2.7", "Example.Org"):
        assert heard("socket.connect", internet, ("192.0.2.7", 443))
        assert heard("socket.getaddrinfo", "example.org", 443, 0, 0, 0)
        assert not heard("socket.connect", internet, ("192.0.2.8", 443))
        with guard.allowed("test act within"):
            assert not heard("socket.connect", internet, ("192.0.2.7", 443))
    assert not heard("socket.connect", internet, ("192.0.2.7", 443))
    noted = [json.loads(line) for line in guard.ledger_file().read_text().splitlines()[-4:]]
    assert [(line["host"], line["purpose"], line["allowed"]) for line in noted] == [
        ("192.0.2.7", "test act of a person", True),
        ("192.0.2.8", "test act of a person", False),
        ("192.0.2.7", "test act within", False),
        ("192.0.2.7", PURPOSE, False),
    ]


def test_an_act_is_of_its_own_thread(internet: socket.socket) -> None:
    passed: list[bool] = []

    def other() -> None:
        with guard.allowed(PURPOSE):
            passed.append(heard("socket.connect", internet, ("192.0.2.7", 443)))

    with guard.allowed("test act of a person", "192.0.2.7"):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        assert heard("socket.connect", internet, ("192.0.2.7", 443))
    assert passed == [False]


def test_many_threads_at_once(internet: socket.socket) -> None:
    wrong: list[str] = []

    def ask(n: int) -> None:
        with guard.allowed(f"test {n}", f"192.0.2.{n}"):
            for _ in range(50):
                if not heard("socket.connect", internet, (f"192.0.2.{n}", 1)):
                    wrong.append("refused its own")
                if heard("socket.connect", internet, (f"192.0.2.{n + 1}", 1)):
                    wrong.append("reached another's")

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert all(json.loads(line) for line in guard.ledger_file().read_text().splitlines())


def test_the_configured_servers_may_be_reached(
    internet: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://vault:x%40y@192.0.2.20:6432/vault")
    monkeypatch.setenv("OLLAMA_HOST", "http://models.example.org:11434")
    assert heard("socket.connect", internet, ("192.0.2.20", 6432))
    assert not heard("socket.connect", internet, ("192.0.2.20", 22))
    assert heard("socket.getaddrinfo", "models.example.org", 11434, 0, 0, 0)
    assert not heard("socket.getaddrinfo", "www.example.org", 11434, 0, 0, 0)
    monkeypatch.setenv("OLLAMA_HOST", "[2001:db8::5]")
    assert heard("socket.connect", internet, ("2001:db8::5", 11434, 0, 0))
    monkeypatch.setenv("OLLAMA_HOST", "http://[nonsense:1:2")
    assert not heard("socket.connect", internet, ("192.0.2.21", 11434))


def test_a_configured_name_is_reached_by_the_addresses_it_has(
    internet: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "models.example.org")
    looked_up = time.monotonic(), frozenset([socket.inet_aton("192.0.2.30")])
    monkeypatch.setitem(guard._found, "models.example.org", looked_up)  # as just looked up
    assert heard("socket.connect", internet, ("192.0.2.30", 11434))
    assert heard("socket.connect", internet, ("::ffff:192.0.2.30", 11434, 0, 0))
    assert not heard("socket.connect", internet, ("192.0.2.30", 80))
    assert not heard("socket.connect", internet, ("192.0.2.31", 11434))


@pytest.mark.parametrize(
    ("address", "hosts"),
    [
        ("", []),
        ("postgresql://postgres@/vault?host=/run/vault", []),
        ("postgresql://u:p@db/vault", [("db", 5432)]),
        ("postgres://u:p%3A@DB.example:5433/vault?sslmode=require", [("db.example", 5433)]),
        ("postgresql://u@[2001:db8::1]:5433/x", [("2001:db8::1", 5433)]),
        ("postgresql://a:1,b:2/x", [("a", 1), ("b", 2)]),
        ("postgresql:///x?host=a,b&port=7", [("a", 7), ("b", 7)]),
        ("host=db port=5434 dbname=vault", [("db", 5434)]),
        ("host='/run/vault' dbname=vault", []),
    ],
)
def test_the_database_address_is_read_as_postgresql_reads_it(
    address: str, hosts: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OLLAMA_HOST", "VAULT_HOST"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DATABASE_URL", address)
    assert [(host, port) for host, port, _ in configured.servers()] == hosts


def python(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "VAULT_DATA": str(folder)}
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


CHILD = """
import socket
from apps.outbound import guard
guard.arm("child", reach={reach!r})
for host in ("127.0.0.1", "192.0.2.1"):
    try:
        socket.socket().connect((host, 9))
    except OSError as error:
        print(type(error).__name__)
"""


@pytest.mark.parametrize(
    ("reach", "said"),
    [
        ("configured", "ConnectionRefusedError\nRefused\n"),
        ("loopback", "ConnectionRefusedError\nRefused\n"),
        ("nothing", "Refused\nRefused\n"),
    ],
)
def test_a_child_process_refuses_and_notes(reach: str, said: str, tmp_path: Path) -> None:
    outcome = python(CHILD.format(reach=reach), tmp_path)
    assert outcome.stdout == said, outcome.stderr
    file = tmp_path / "logs" / "outbound.jsonl"
    assert file.stat().st_mode & 0o777 == 0o600
    last = json.loads(file.read_text().splitlines()[-1])
    assert (last["process"], last["host"], last["port"], last["allowed"]) == (
        *("child", "192.0.2.1", 9),
        False,
    )
    assert abs(last["at"] - time.time()) < 60


def test_a_ledger_that_cannot_be_written_still_refuses(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("in the way")
    outcome = python(CHILD.format(reach="configured"), tmp_path)
    assert outcome.stdout == "ConnectionRefusedError\nRefused\n", outcome.stderr


def test_libraries_are_told_to_be_silent() -> None:
    assert all(os.environ[name] == value for name, value in guard.QUIET.items())


def test_the_hook_costs_microseconds(internet: socket.socket) -> None:
    def cost(*event: Any) -> float:
        began = time.perf_counter()
        for _ in range(2000):
            sys.audit(*event)
        return (time.perf_counter() - began) / 2000

    for event in (
        ("open", "x", "r", 0),
        ("socket.connect", internet, ("127.0.0.1", 80)),
        ("socket.getaddrinfo", "localhost", 80, 0, 0, 0),
    ):
        assert min(cost(*event) for _ in range(5)) < 20e-6  # 1 to 3 on a machine at rest


def test_a_full_file_is_put_aside_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noting, "LARGEST", 2000)
    file = tmp_path / "outbound.jsonl"
    for n in range(30):
        noting.note(file, "test", "connect", f"192.0.2.{n}", 1, "", False)
    lines = [*noting.old_file(file).read_text().splitlines(), *file.read_text().splitlines()]
    last = [json.loads(line).get("host") for line in lines][-3:]
    assert last == ["192.0.2.27", "192.0.2.28", "192.0.2.29"]
    assert file.stat().st_size < 2500
    assert {path.name for path in tmp_path.iterdir()} == {file.name, "outbound.old.jsonl"}
