"""Of a running vault: each process is armed, and none of them tries to leave."""

import json
import subprocess
import sys

import httpx
import pytest

from tests.runtime.vault import ROOT, Vault

pytestmark = pytest.mark.crash

# Asks the worker and reads the ledger from outside, as a command beside the running vault.
TRY = """
import time
from apps.library import sandbox
from apps.outbound import ledger, queue
from apps.outbound.models import Attempt
queue.ask_to_try_out("test of a vault")
assert sandbox.try_out("test of a vault")
until = time.monotonic() + 30
while time.monotonic() < until:
    ledger.take_in()
    found = set(Attempt.objects.refused().values_list("process", flat=True))
    if "worker" in found:
        break
    time.sleep(0.2)
print(sorted(found))
"""


def test_worker_models_and_parsers_refuse_and_nobody_tried_anything_else(running: Vault) -> None:
    address = (running.data / "run" / "models.url").read_text()
    answer = httpx.post(
        f"{address}/vault/try-out", json={"purpose": "test of a vault"}, trust_env=False
    )
    assert answer.json() == {"refused": True}
    outcome = subprocess.run(
        [sys.executable, "manage.py", "shell", "--no-imports", "-c", TRY],
        cwd=ROOT,
        env=running.environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "['models', 'parser', 'worker']" in outcome.stdout, outcome.stderr
    lines = (running.data / "logs" / "outbound.jsonl").read_text().splitlines()[1:]
    assert {json.loads(line)["purpose"] for line in lines} == {"test of a vault"}
    assert (running.data / "logs" / "outbound.jsonl").stat().st_mode & 0o077 == 0
