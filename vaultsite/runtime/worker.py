"""The worker: django-q's cluster, and a look at start for work that was left undone.

`python -m vaultsite.runtime.worker --check` tells by its exit status whether a worker of this
machine takes tasks, for the health check of a container.
"""

import logging
import os
import sys

import django
import psycopg
from django.core.management import call_command
from django.db import connections

from apps.outbound import guard

# A worker asks for tasks several times a second, from where this is asked.
ALIVE = """
SELECT count(*) FROM pg_stat_activity
WHERE application_name = 'vaultsite worker' AND datname = current_database()
  AND client_addr IS NOT DISTINCT FROM inet_client_addr()
  AND state_change > clock_timestamp() - interval '30 seconds'
"""


def main() -> None:
    guard.arm("worker")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vaultsite.settings")
    os.environ.setdefault("PGAPPNAME", "vaultsite worker")  # how the health page finds it
    os.environ.pop("DATABASE_POOL", None)  # forked workers would share its sockets
    django.setup()
    from apps.library import ingestion

    logging.getLogger("vaultsite").info("%s documents wait for work", ingestion.sweep())
    connections.close_all()  # the cluster forks
    call_command("qcluster")


def check() -> int:
    """0 where a worker of this machine takes tasks, else 1, with a sentence."""
    guard.arm("worker check")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vaultsite.settings")
    from django.conf import settings

    try:
        with psycopg.connect(settings.DATABASE_URL, connect_timeout=5) as connection:
            (alive,) = connection.execute(ALIVE).fetchone() or (0,)
    except psycopg.OperationalError as problem:
        sys.stderr.write(f"The database does not answer: {problem}\n")
        return 1
    sys.stderr.write("" if alive else "No worker of this machine takes tasks.\n")
    return 0 if alive else 1


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(check())
    main()
