"""`manage.py check_health`: what works, and how to mend what does not."""

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from apps.vault import health


class Command(BaseCommand):
    help = "Tells how each part of the vault is doing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        found = health.parts()
        if options["json"]:
            self.stdout.write(json.dumps(health.report(found), indent=2))
        else:
            for part in found:
                about = ", ".join(filter(None, [part.version, part.detail]))
                self.stdout.write(f"{part.name:<10} {part.state:<9} {about}")
                if part.fix:
                    self.stdout.write(f"{'':<20} → {part.fix}")
        sys.exit(1 if health.status(found) == "down" else 0)
