"""The worker: django-q's cluster, and a look at start for work that was left undone."""

import logging
import os

import django
from django.core.management import call_command
from django.db import connections

from apps.outbound import guard


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


if __name__ == "__main__":
    main()
