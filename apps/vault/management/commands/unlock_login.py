"""`manage.py unlock_login`: let somebody try passwords again at once."""

import json
from typing import Any

from django.core.management.base import CommandParser

from apps.vault.terminal import TerminalCommand
from apps.web import throttle


class Command(TerminalCommand):
    help = "Forgets the wrong passwords of a name or an address, of everybody without either."

    def add_arguments(self, parser: CommandParser) -> None:
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--username", help="the name that must wait")
        which.add_argument("--address", help="the address that must wait, as the page People says")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        count = throttle.unlock(name=options["username"], address=options["address"])
        words = json.dumps({"unlocked": count}) if options["json"] else f"Unlocked: {count}."
        self.stdout.write(words)
