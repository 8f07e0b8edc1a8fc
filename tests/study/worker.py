"""A worker to be killed: `python -m tests.study.worker OLLAMA_HOST`.

It does what a task of the real worker does, over and over, in the database named by DATABASE_URL,
and ends when no job is left.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def started(ollama_url: str) -> subprocess.Popen[bytes]:
    """Such a process on the test database, in a group of its own, past its imports."""
    from django.db import connection

    name = connection.settings_dict["NAME"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('unix_socket_directories'), current_user")
        socket, user = cursor.fetchone()
    url = os.environ["DATABASE_URL"]
    if "VAULT_TEST_DATABASE_URL" not in os.environ:
        url = f"postgresql://{user}@/{name}?host={socket}"
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.study.worker", ollama_url],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": url},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    return child


def main(ollama_host: str) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "vaultsite.settings"
    os.environ["OLLAMA_HOST"] = ollama_host
    os.environ["DATABASE_POOL"] = "0"

    import django

    django.setup()
    from apps.study import generation

    sys.stdout.write("ready\n")
    sys.stdout.flush()
    while generation.work_next():
        pass


if __name__ == "__main__":
    main(*sys.argv[1:])
