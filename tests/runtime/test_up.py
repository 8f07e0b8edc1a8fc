"""`manage.py up`: one command runs the vault, and nothing that is killed stays down."""

import json
import os
import signal
import socket
import subprocess
import sys
import time

import psutil
import pytest

from tests.runtime.vault import ROOT, Vault, until

pytestmark = pytest.mark.crash


def test_it_says_each_part_and_then_where_it_is_open(running: Vault) -> None:
    lines = running.words().splitlines()
    address = f"http://127.0.0.1:{running.port}"
    said = [line.split()[0] for line in lines]
    assert said[:3] == ["Database", "Schema", "Starting"]
    assert {"Models", "Worker", "Web"} <= set(said)
    assert lines[-1] == f"Vaultsite is open at {address}"
    assert running.words().count("Vaultsite is open at") == 1


def test_healthz_tells_every_part(running: Vault) -> None:
    status, document = running.healthz()
    assert status == 200
    assert document["status"] in {"ok", "degraded"}  # no language model: degraded
    assert set(document["parts"]) == {
        "database",
        "worker",
        "models",
        "ocr",
        "speech",
        "storage",
        "backups",
        "outbound",
        "clock",
        "program",
    }
    assert document["parts"]["worker"] == document["parts"]["database"] == "ok"


def test_a_container_can_be_asked_whether_its_worker_works(running: Vault, empty: Vault) -> None:
    command = [sys.executable, "-m", "vaultsite.runtime.worker", "--check"]
    for vault, status in ((running, 0), (empty, 1)):
        asked = subprocess.run(
            command, cwd=ROOT, env=vault.environment, capture_output=True, check=False
        )
        assert asked.returncode == status, asked.stderr


def test_its_folders_are_closed_to_others(running: Vault) -> None:
    assert running.data.stat().st_mode & 0o077 == 0
    for name in ("run", "logs", "files", "postgres", "secret.key"):
        assert (running.data / name).stat().st_mode & 0o077 == 0, name


def test_a_second_start_says_what_runs_and_is_content(running: Vault) -> None:
    second = running.command("up")
    assert second.returncode == 0
    assert f"process {running.up.pid}" in second.stdout
    assert f"Vaultsite is open at http://127.0.0.1:{running.port}" in second.stdout
    assert running.up.poll() is None


def test_a_command_beside_it_uses_its_database_and_leaves_it(running: Vault) -> None:
    outcome = running.command("check_health", "--json")
    assert outcome.returncode == 0
    parts = {part["name"]: part["state"] for part in json.loads(outcome.stdout)["parts"]}
    assert parts["worker"] == "ok"
    assert running.is_well()


@pytest.mark.parametrize("module", ["vaultsite.serve", "vaultsite.runtime.worker", "apps.llm"])
def test_a_part_that_is_killed_is_started_again_and_named(running: Vault, module: str) -> None:
    victim = running.main(module)
    group = [p for p in running.processes(module) if os.getpgid(p.pid) == victim.pid]
    victim.kill()
    psutil.wait_procs(group, timeout=10)
    assert not [p for p in group if p.is_running()], "its own children live on"
    name = {"vaultsite.serve": "Web", "apps.llm": "Models"}.get(module, "Worker")
    until(lambda: f"{name} has ended (SIGKILL)." in running.words())
    until(lambda: f"{name} is started again." in running.words())
    until(running.is_well)


def test_a_database_that_is_killed_is_started_again_and_named(running: Vault) -> None:
    (postmaster,) = running.processes(r"bin/postgres -D")
    postmaster.kill()
    until(lambda: "Database has ended and is started again." in running.words())
    until(running.is_well)


@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_it_stops_all_it_started_when_asked(vault: Vault, kind: signal.Signals) -> None:
    vault.start()
    assert vault.processes()
    began = time.monotonic()
    assert vault.stop(kind) == 0
    assert time.monotonic() - began < 8
    assert vault.words().splitlines()[-1] == "Vaultsite has stopped."
    assert not vault.processes()


def test_killed_itself_it_leaves_nothing_behind_that_the_next_start_minds(vault: Vault) -> None:
    vault.start()
    worker = vault.main("vaultsite.runtime.worker")
    worker.suspend()  # it cannot even hear that its parent is gone
    vault.kill()
    vault.start()
    assert vault.is_well()
    assert not worker.is_running()
    assert vault.stop() == 0
    assert not vault.processes()


def test_its_children_end_when_it_is_killed(vault: Vault) -> None:
    vault.start()
    vault.kill()
    until(lambda: not vault.processes("vaultsite.runtime.tied"), 20)


def test_asked_to_stop_while_it_starts_it_stops(empty: Vault) -> None:
    with empty.said.open("w") as said:
        empty.up = subprocess.Popen(
            [sys.executable, "manage.py", "up"], cwd=ROOT, env=empty.environment, stdout=said
        )
    until((empty.data / "postgres.new").exists, 30)  # in the middle of initdb
    assert empty.stop(signal.SIGINT) == 0
    assert not empty.processes()
    empty.start()
    assert empty.is_well()


def test_a_port_in_use_is_told_with_what_to_do(vault: Vault) -> None:
    with socket.create_server(("127.0.0.1", vault.port)):
        outcome = vault.command("up")
    assert outcome.returncode == 1
    assert f"127.0.0.1:{vault.port} cannot be listened on" in outcome.stderr
    assert f"VAULT_PORT={vault.port + 1}" in outcome.stderr
    assert "Traceback" not in outcome.stderr
    assert not vault.processes()


@pytest.mark.parametrize("port", ["99999", "-1", "http"])
def test_a_port_that_is_none_is_told_in_a_sentence(empty: Vault, port: str) -> None:
    outcome = subprocess.run(
        [sys.executable, "manage.py", "up"],
        cwd=ROOT,
        env={**empty.environment, "VAULT_PORT": port},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert outcome.returncode == 1
    assert f"VAULT_PORT='{port}'" in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_a_folder_that_cannot_be_made_is_told_with_what_to_do(empty: Vault) -> None:
    empty.data.write_text("a file where the folder should be")
    outcome = empty.command("up")
    assert outcome.returncode == 1
    assert "Set VAULT_DATA to another folder." in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_a_database_that_is_not_there_is_told_in_a_sentence(vault: Vault) -> None:
    outcome = subprocess.run(
        [sys.executable, "manage.py", "up"],
        cwd=ROOT,
        env={**vault.environment, "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert outcome.returncode == 1
    assert outcome.stderr.startswith("Vaultsite cannot start: ")
    assert "DATABASE_URL" in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_the_first_account_is_made_before_the_first_start(empty: Vault) -> None:
    words = ["create_owner", "--username", "ada", "--password", "a long enough password"]
    first, second = empty.command(*words, "--json"), empty.command(*words, "--json")
    assert first.returncode == 0, first.stderr
    assert json.loads(first.stdout) == {"owner": "ada"}
    assert second.returncode == 1
    assert "has an owner already" in second.stderr
    assert "has an owner already" in json.loads(second.stdout)["error"]
    assert not empty.processes()  # the database is left as it was found


def test_a_poor_password_is_refused_in_words(vault: Vault) -> None:
    outcome = vault.command("create_owner", "--username", "ada", "--password", "1234")
    assert outcome.returncode == 1
    assert "too short" in outcome.stderr
