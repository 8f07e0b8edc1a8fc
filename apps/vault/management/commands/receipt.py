"""`manage.py receipt [ID]`: what became of the files that came together."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from apps.library import batches
from apps.library.models import Batch
from apps.vault import terminal
from apps.vault.terminal import TerminalCommand


class Command(TerminalCommand):
    help = "Print the receipt of an upload or an import as CSV; the last one without an id."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("id", nargs="?", type=int, help="as the page and `ingest` tell it")
        parser.add_argument("--owner", help="whose receipt; needed where there are several people")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            mine = Batch.objects.owned_by(terminal.person(options["owner"]))
        except LookupError as error:
            raise CommandError(str(error)) from error
        batch = mine.filter(pk=options["id"]).first() if options["id"] else mine.first()
        if batch is None:
            raise CommandError("There is no such receipt. `manage.py ingest` makes one.")
        if not options["json"]:
            for line in batches.as_csv(batch):
                self.stdout.write(line, ending="")
            return
        figures = batches.of(batch)
        files = [
            {
                "file": line.path,
                "became": line.became,
                "reason": line.reason,
                "document": line.document.pk if line.document else None,
            }
            for line in batches.lines(batch)
        ]
        told = {"receipt": batch.pk, "indexed": figures.found, "total": figures.total}
        self.stdout.write(json.dumps(told | {"files": files}))
