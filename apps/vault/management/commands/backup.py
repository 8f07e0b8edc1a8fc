"""`manage.py backup [FILE]`: everything in one file, tried out by restoring it."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from apps.vault import backup, backups, scratch
from apps.vault.archive import NotABackup
from apps.vault.terminal import TerminalCommand


class Command(TerminalCommand):
    help = "Writes everything the vault knows into one file, and tries it out by restoring it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file",
            type=Path,
            metavar="FILE",
            nargs="?",
            help="without one, the folder of scheduled backups, of which the oldest goes",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            file = options["file"]
            made = backup.back_up(file.absolute()) if file else backups.make()
        except (backup.CannotBackUp, scratch.Busy, scratch.NotAllowed, NotABackup) as reason:
            raise CommandError(str(reason)) from None
        if options["json"]:
            self.stdout.write(json.dumps(made.report(), ensure_ascii=False))
        else:
            self.stdout.write(made.words())
