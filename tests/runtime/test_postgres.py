"""The launcher of the embedded database, treated badly."""

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import fasteners
import psutil
import psycopg
import pytest

from vaultsite.runtime import postgres

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.crash


@pytest.fixture(scope="module")
def stopped() -> Iterator[Path]:
    """A cluster that was made and stopped, to copy."""
    folder = Path(tempfile.mkdtemp(prefix="vault-pg-"))
    postgres.ensure_server(folder / "pg")
    query(folder / "pg", "ALTER SYSTEM SET fsync = off")
    postgres.stop_server(folder / "pg")
    yield folder / "pg"
    shutil.rmtree(folder)


@pytest.fixture
def fresh() -> Iterator[Path]:
    """A folder for a cluster that is not there yet, below one that only its owner may enter."""
    folder = Path(tempfile.mkdtemp(prefix="vault-pg-"))
    yield folder / "pg"
    postgres.stop_server(folder / "pg")
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def cluster(stopped: Path, fresh: Path) -> Path:
    """A stopped cluster of the test's own."""
    shutil.copytree(stopped, fresh)
    return fresh


def query(cluster: Path, sql: str) -> list[tuple]:
    with psycopg.connect(postgres.dsn(cluster), autocommit=True) as connection:
        answer = connection.execute(sql)
        return answer.fetchall() if answer.description else []


def postmasters(cluster: Path) -> list[psutil.Process]:
    """The servers of this cluster, without their own children."""
    found = []
    for process in psutil.process_iter(["name", "cmdline"]):
        command = process.info["cmdline"] or []
        if process.info["name"] == "postgres" and str(cluster) in command:
            found.append(process)
    return found


def python(code: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, **environment},
    )


def kill(cluster: Path) -> None:
    """kill -9 of the postmaster, and wait until its children have noticed."""
    (postmaster,) = postmasters(cluster)
    children = postmaster.children()
    postmaster.kill()
    psutil.wait_procs(children, timeout=10)


def test_it_starts_once_and_is_found_running(cluster: Path) -> None:
    assert postgres.ensure_server(cluster)
    assert not postgres.ensure_server(cluster)
    assert len(postmasters(cluster)) == 1
    postgres.stop_server(cluster)
    assert not postgres.is_running(cluster)
    assert not postmasters(cluster)


def test_the_vector_extension_is_there(cluster: Path) -> None:
    postgres.ensure_server(cluster)
    assert query(cluster, "SELECT '[1,2]'::halfvec <#> '[1,2]'::halfvec") == [(-5.0,)]


def test_nobody_else_can_reach_it(cluster: Path) -> None:
    postgres.ensure_server(cluster)
    assert cluster.stat().st_mode & 0o077 == 0
    assert query(cluster, "SHOW listen_addresses") == [("",)]


def test_six_starters_at_once_make_one_server(fresh: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from vaultsite.runtime import postgres\n"
        f"sys.stdout.write(str(postgres.ensure_server(Path({str(fresh)!r}))))"
    )
    starters = [python(code) for _ in range(6)]
    said = sorted(starter.communicate(timeout=60)[0] for starter in starters)
    assert said == ["False"] * 5 + ["True"]
    assert len(postmasters(fresh)) == 1


def test_after_kill_9_all_rows_are_there(cluster: Path) -> None:
    postgres.ensure_server(cluster)
    query(cluster, "CREATE TABLE kept AS SELECT generate_series(1, 1000) AS number")
    kill(cluster)
    assert postgres.ensure_server(cluster)
    assert query(cluster, "SELECT count(*) FROM kept") == [(1000,)]
    assert len(postmasters(cluster)) == 1


def test_a_pid_that_is_somebody_elses_by_now_does_not_deceive(cluster: Path) -> None:
    postgres.ensure_server(cluster)
    pid_file = cluster / "postmaster.pid"
    kept = pid_file.read_text()
    kill(cluster)
    pid_file.write_text("\n".join([str(os.getpid()), *kept.splitlines()[1:]]))
    assert postgres.ensure_server(cluster)
    assert query(cluster, "SELECT 1") == [(1,)]


def test_a_start_that_was_killed_while_making_the_cluster_is_made_again(fresh: Path) -> None:
    half = fresh.with_name("pg.new")
    half.mkdir(parents=True)
    (half / "PG_VERSION").write_text("18\n")
    assert postgres.ensure_server(fresh)
    assert not half.exists()


def test_too_many_clients_is_not_taken_for_a_server_that_is_down(cluster: Path) -> None:
    postgres.ensure_server(cluster)
    crowd = []
    try:
        with pytest.raises(psycopg.OperationalError, match="too many clients"):
            while True:
                crowd.append(psycopg.connect(postgres.dsn(cluster)))
        assert postgres.is_running(cluster)
    finally:
        for connection in crowd:
            connection.close()


def test_a_path_too_long_for_a_socket_works(cluster: Path) -> None:
    deep = cluster.parent / ("a folder with a long name " * 4) / "pg"
    try:
        postgres.ensure_server(deep)
        assert query(deep, "SELECT 1") == [(1,)]
    finally:
        postgres.stop_server(deep)


def test_a_cluster_of_another_major_is_refused_and_left_alone(cluster: Path) -> None:
    postgres.ensure_server(cluster)
    postgres.stop_server(cluster)
    (cluster / "PG_VERSION").write_text("17\n")
    with pytest.raises(postgres.PostgresError, match=r"made by PostgreSQL 17.*brings 18"):
        postgres.ensure_server(cluster)
    assert (cluster / "PG_VERSION").read_text() == "17\n"


def test_a_folder_that_holds_something_else_is_refused(fresh: Path) -> None:
    fresh.mkdir(parents=True)
    (fresh / "letter.txt").write_text("dear")
    with pytest.raises(postgres.PostgresError, match="holds no database"):
        postgres.ensure_server(fresh)
    assert (fresh / "letter.txt").read_text() == "dear"


def test_a_user_stops_what_it_started(cluster: Path) -> None:
    with postgres.in_use(cluster) as started:
        assert started
        assert postgres.is_running(cluster)
    assert not postgres.is_running(cluster)


def test_a_user_leaves_running_what_it_found_running(cluster: Path) -> None:
    postgres.ensure_server(cluster)
    with postgres.in_use(cluster) as started:
        assert not started
    assert postgres.is_running(cluster)


def test_an_error_in_the_block_stops_the_server_too(cluster: Path) -> None:
    with pytest.raises(KeyError), postgres.in_use(cluster):
        raise KeyError
    assert not postgres.is_running(cluster)


def test_the_last_of_two_users_stops_it(cluster: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from vaultsite.runtime import postgres\n"
        f"with postgres.in_use(Path({str(cluster)!r})):\n"
        "    sys.stdout.write('in'); sys.stdout.flush(); sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code], stdin=-1, stdout=-1, text=True, cwd=ROOT, env=os.environ
    )
    with postgres.in_use(cluster):
        assert other.stdout.read(2) == "in"
    assert postgres.is_running(cluster)  # the other one still uses it
    other.communicate(timeout=30)
    assert not postgres.is_running(cluster)


def test_a_user_that_was_killed_does_not_keep_it_up_for_ever(cluster: Path) -> None:
    code = (
        "import os; from pathlib import Path; from vaultsite.runtime import postgres\n"
        f"with postgres.in_use(Path({str(cluster)!r})): os.kill(os.getpid(), 9)"
    )
    python(code).communicate(timeout=30)
    assert postgres.is_running(cluster)
    with postgres.in_use(cluster):
        pass
    assert not postgres.is_running(cluster)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_it_runs_as_a_plain_user() -> None:
    # Not the default: in a whole run a web server has made the vault's own folder that, and it
    # is closed to everybody else.
    folder = Path(tempfile.mkdtemp(prefix="vault-plain-", dir="/tmp"))
    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    # Python may lie where nobody may go: all that is needed is loaded while it is still root.
    code = (
        "import contextlib, os, psycopg\n"
        "from pathlib import Path\n"
        "from vaultsite.runtime import postgres\n"
        "with contextlib.suppress(psycopg.OperationalError):\n"
        "    psycopg.connect('host=/nowhere')\n"
        "os.setgroups([])\n"
        f"os.setgid({nobody.pw_gid})\n"
        f"os.setuid({nobody.pw_uid})\n"
        f"data = Path({str(folder / 'pg')!r})\n"
        "with postgres.in_use(data), psycopg.connect(postgres.dsn(data)) as connection:\n"
        "    assert connection.execute('SELECT 1').fetchone() == (1,)\n"
    )
    try:
        process = python(code)
        process.communicate(timeout=60)
        assert process.returncode == 0
        assert (folder / "pg").stat().st_uid == nobody.pw_uid
    finally:
        postgres.stop_server(folder / "pg")
        shutil.rmtree(folder)


def test_a_lock_held_by_a_dead_process_is_free(cluster: Path) -> None:
    cluster.parent.mkdir(exist_ok=True)
    code = (
        f"import fasteners, os; fasteners.InterProcessLock({str(cluster) + '.lock'!r}).acquire()\n"
        "os.kill(os.getpid(), 9)"
    )
    python(code).communicate(timeout=30)
    lock = fasteners.InterProcessLock(f"{cluster}.lock")
    assert lock.acquire(timeout=20)
    lock.release()
