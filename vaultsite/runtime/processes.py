"""What `manage.py up` starts, watches and stops: database, models, worker and web."""

import contextlib
import importlib.util
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from datetime import datetime
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import fasteners
import psycopg
from django.conf import settings

from vaultsite import serve
from vaultsite.runtime import migrations, parts, postgres
from vaultsite.runtime.parts import Child, Database, Part

GRACE = 8.0  # seconds a part has to end by itself
FIRST_PAGE = 120.0  # seconds until a page must answer
OTHERS = 10.0  # seconds that worker and models may take longer before the vault is called open


class CannotStart(Exception):
    """The vault cannot run; the message says why and what to do."""


class Asked(BaseException):
    """Somebody asked the vault to stop."""


def up() -> int:
    """Run the vault until it is asked to stop; returns the exit status. One vault per folder."""
    os.umask(0o077)
    try:
        _make_folders()
        lock = fasteners.InterProcessLock(settings.RUN_DIR / "up.lock")
        if not lock.acquire(blocking=False):
            return _tell_what_runs()
        try:
            _run()
        finally:
            lock.release()
    except Asked:
        _say("Vaultsite has stopped.")
    except (CannotStart, postgres.PostgresError, OSError, psycopg.OperationalError) as problem:
        sys.stderr.write(f"Vaultsite cannot start: {_sentence(problem)}\n")
        return 1
    return 0


def _run() -> None:
    """Start everything, watch it, and stop it in order however this ends."""
    with _asking(), contextlib.ExitStack() as stack:
        parts.kill_leftovers(settings.RUN_DIR)
        sock = stack.enter_context(_socket())
        stack.callback(_state().unlink, missing_ok=True)
        _note("")
        database = stack.enter_context(_database())
        _migrate()
        children = [child for child in (_models(), _worker(), _web(sock), _mcp()) if child]
        stack.callback(_stop, children)
        _open(children, _address(sock))
        _watch([*database, *children])


def _open(children: list[Child], address: str) -> None:
    """Start the processes at once, and tell how each is doing until pages answer."""
    began = time.monotonic()
    _say("Starting models, worker and pages …")
    for child in children:
        child.start()
    waiting = [child.name.lower() for child in children if child.name != "MCP"]
    while waiting:
        # A slow machine's first answer takes long: whoever hangs up too soon never hears it.
        states = states_of(address, 1 + (time.monotonic() - began) / 4)
        spent = time.monotonic() - began
        for name in [name for name in waiting if states.get(name, "down") != "down"]:
            waiting.remove(name)
            _line(name.capitalize(), states[name], "", spent)
        if spent > (OTHERS if states else FIRST_PAGE):
            break
        for child in children:
            _tell(child)
            if child.name == "Web" and child.starts >= 3:
                raise CannotStart(f"no page answers. See {child.log}")
        time.sleep(0.05)
    if "web" in waiting:
        raise CannotStart(f"no page answers. See {settings.LOG_DIR}")
    for name in waiting:
        _line(name.capitalize(), "late", f"see {address}/health/", spent)
    _note(address)
    _say(f"Vaultsite is open at {address}")


def _watch(running: list[Part]) -> None:
    """Start again whatever ends, until somebody asks the vault to stop."""
    while True:
        for part in running:
            _tell(part)
        time.sleep(0.5)


def _stop(children: list[Child]) -> None:
    """First those who work, then what they work with; whoever takes too long is killed."""
    for name in ("Web", "Worker", "MCP"), ("Models",):
        some = [child for child in children if child.name in name]
        for child in some:
            child.ask_to_end()
        deadline = time.monotonic() + GRACE
        while time.monotonic() < deadline and not all(child.has_ended() for child in some):
            time.sleep(0.02)
        for child in some:
            child.kill()


def _tell(part: Part) -> None:
    if news := part.tend():
        _say(news)


# --- the parts -------------------------------------------------------------------------------
@contextlib.contextmanager
def _database() -> Iterator[list[Part]]:
    """The database for as long as the vault runs: our own, or the one of DATABASE_URL."""
    began = time.monotonic()
    if os.environ.get("DATABASE_URL"):
        try:
            with psycopg.connect(settings.DATABASE_URL, connect_timeout=10) as connection:
                version = connection.info.server_version // 10000
        except psycopg.OperationalError as problem:
            raise CannotStart(
                f"the server of DATABASE_URL does not answer ({problem}). Start it, correct "
                "DATABASE_URL, or leave it unset for the embedded database."
            ) from None
        _line("Database", "ok", f"PostgreSQL {version} of DATABASE_URL", time.monotonic() - began)
        yield []
        return
    if not settings.POSTGRES_DIR.exists():
        _say("Making the database …")
    with postgres.in_use(settings.POSTGRES_DIR, stop=True) as started:
        detail = "embedded PostgreSQL" + ("" if started else ", was running")
        _line("Database", "ok", detail, time.monotonic() - began)
        yield [Database(settings.POSTGRES_DIR)]


def _migrate() -> None:
    began = time.monotonic()
    applied = migrations.migrate(
        lambda missing: _say(
            f"Making the tables ({missing} steps); a slow machine takes a minute …"
        )
    )
    detail = f"{applied} migrations applied" if applied else "up to date"
    _line("Schema", "ok", detail, time.monotonic() - began)


def _models() -> Child | None:
    """The bundled model server, where there is no Ollama."""
    began = time.monotonic()
    if host := settings.OLLAMA_HOST or parts.local_ollama():
        _line("Models", "ok", f"Ollama at {host}", time.monotonic() - began)
        return None
    if not importlib.util.find_spec("apps.llm.bundled"):
        return None
    url, models = settings.RUN_DIR / "models.url", settings.MODELS_DIR
    return Child("Models", "apps.llm.bundled", "--models", str(models), "--url-file", str(url))


def _worker() -> Child:
    return Child("Worker", "vaultsite.runtime.worker")


def _web(sock: socket.socket) -> Child:
    return Child("Web", "vaultsite.serve", descriptor=sock.fileno())


def _mcp() -> Child | None:
    """The door for assistants, where one was asked for."""
    if not settings.MCP_PORT:
        return None
    _line("MCP", "starts", f"http://127.0.0.1:{settings.MCP_PORT}/mcp", 0.0)
    return Child("MCP", "manage", "mcp", "--http")


def states_of(address: str, patience: float) -> dict[str, str]:
    """What /healthz says of each part, with `web` added; empty if no page answers in so many
    seconds."""
    host, _, port = address.removeprefix("http://").rpartition(":")
    connection = HTTPConnection(host.strip("[]"), int(port), timeout=patience)
    try:
        connection.request("GET", "/healthz")
        said = json.loads(connection.getresponse().read())
        return {**said["parts"], "web": "ok"}
    except (OSError, HTTPException, ValueError, KeyError):
        return {}
    finally:
        connection.close()


# --- one vault per folder --------------------------------------------------------------------
def _make_folders() -> None:
    inside = settings.RUN_DIR, settings.LOG_DIR, settings.MEDIA_ROOT, settings.STATIC_ROOT
    for folder in (settings.DATA_DIR, *inside):
        Path(folder or "").mkdir(parents=True, exist_ok=True, mode=0o700)
    settings.DATA_DIR.chmod(0o700)


def _socket() -> socket.socket:
    """The listening socket, taken before anything starts; the web process inherits it."""
    host, port = settings.HOST, settings.PORT
    try:
        return serve.listening(host, port)
    except OSError as problem:
        raise CannotStart(
            f"{host}:{port} cannot be listened on ({problem.strerror}). Set VAULT_PORT to a free "
            f"port, for instance VAULT_PORT={port + 1 if port < 65535 else 8000} ./start.sh"
        ) from None


def _address(sock: socket.socket) -> str:
    host, port = sock.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _state() -> Any:
    return settings.RUN_DIR / "up.json"


def _note(address: str) -> None:
    """Leave word for a second start; written beside and renamed, so never half there."""
    fresh = _state().with_suffix(".new")
    since = datetime.now().astimezone().isoformat(timespec="seconds")
    fresh.write_text(json.dumps({"pid": os.getpid(), "since": since, "address": address}))
    fresh.replace(_state())


def running() -> int:
    """The process of the `up` that runs on this folder; 0 where none has left word."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        return int(json.loads(_state().read_text())["pid"])
    return 0


def _tell_what_runs() -> int:
    """Say which vault runs on this folder, waiting for one that is just starting."""
    for _ in range(int(FIRST_PAGE * 10)):
        with contextlib.suppress(OSError, ValueError):
            said = json.loads(_state().read_text())
            if said["address"]:
                _say(f"Vaultsite runs already, since {said['since']}, as process {said['pid']}.")
                _say(f"Vaultsite is open at {said['address']}")
                return 0
        time.sleep(0.1)
    raise CannotStart(f"another start on {settings.DATA_DIR} is under way, and takes long.")


# --- signals and words -----------------------------------------------------------------------
@contextlib.contextmanager
def _asking() -> Iterator[None]:
    """SIGINT, SIGTERM and SIGHUP end the block by raising Asked, once."""
    kinds = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]

    def asked(*_: object) -> None:
        for kind in kinds:
            signal.signal(kind, signal.SIG_IGN)
        _say("Stopping …")
        raise Asked

    for kind in kinds:
        spared = kind == signal.SIGHUP and signal.getsignal(kind) is signal.SIG_IGN  # by nohup
        if not spared:  # a shell's background job ignores SIGINT, yet may be sent one on purpose
            signal.signal(kind, asked)
    yield


def _line(part: str, state: str, detail: str, seconds: float) -> None:
    _say(f"{part:<9} {state:<9} {detail:<40} {seconds:5.1f} s")


def _say(words: str) -> None:
    """A line on the terminal, which may be gone while the vault goes on."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.write(f"{words}\n")
        sys.stdout.flush()


def _sentence(problem: Exception) -> str:
    if isinstance(problem, OSError) and problem.filename:
        return (
            f"{problem.filename} cannot be written to ({problem.strerror}). "
            "Make room or make it writable, or set VAULT_DATA to another folder."
        )
    return str(problem).strip()
