"""`manage.py restore FILE`: the vault as it was when that backup was made."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from apps.vault import restore, scratch
from apps.vault.archive import NotABackup
from apps.vault.terminal import TerminalCommand


class Command(TerminalCommand):
    help = (
        "Makes the vault what it was when a backup was made, in an empty vault or with --replace."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument(
            "--replace", action="store_true", help="also where there is something, which is lost"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            done = restore.restore(options["file"].absolute(), replace=options["replace"])
        except NotABackup as reason:
            raise CommandError(f"Not restored: {reason} The vault is as it was.") from None
        except (restore.CannotRestore, scratch.Busy, scratch.NotAllowed) as reason:
            raise CommandError(f"Not restored: {reason}") from None
        if options["json"]:
            self.stdout.write(json.dumps(done.report(), ensure_ascii=False))
        else:
            self.stdout.write(done.words())
