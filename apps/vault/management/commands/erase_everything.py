"""`manage.py erase_everything --yes`: nothing of anybody is left, and that is proven."""

import json
from typing import Any

from django.core.management.base import CommandError, CommandParser

from apps.vault import erase
from apps.vault.terminal import TerminalCommand


class Command(TerminalCommand):
    help = "Erases every account, document and row of this vault for good; models stay."
    requires_system_checks = []  # they may ask the database, which is about to go

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--yes", action="store_true", help="without it, nothing is done")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["yes"]:
            raise CommandError("Nothing was erased. To erase everything for good, add --yes.")
        try:
            done = erase.erase()
        except erase.CannotErase as reason:
            raise CommandError(str(reason)) from None
        told = json.dumps(done.report()) if options["json"] else done.words()
        self.stdout.write(told)
