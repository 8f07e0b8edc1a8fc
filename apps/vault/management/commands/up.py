"""`manage.py up`: run the vault until it is asked to stop."""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from vaultsite.runtime import processes


class Command(BaseCommand):
    help = "Runs the vault: database, models, worker and web. Ctrl-C stops all of it."
    requires_system_checks = []  # they would be the slowest part of the start

    def handle(self, *args: Any, **options: Any) -> None:
        sys.exit(processes.up())
