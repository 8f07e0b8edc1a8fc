"""`manage.py evaluate_answers DIR [--limit N] --json`: how good answers are, on labelled sets."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from apps.chat.evaluating import evaluate
from apps.llm.bundled import launching
from apps.llm.client import ModelError
from apps.vault import terminal
from apps.vault.terminal import TerminalCommand


class Command(TerminalCommand):
    help = "Measure answers on a labelled set: what they say, what they cite, when they refuse."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("dir", type=Path, help="a labelled set, or a folder of some")
        parser.add_argument("--sets", default="", help="names of sets, comma between; default all")
        parser.add_argument("--limit", type=terminal.count, help="questions of each kind and set")
        parser.add_argument("--model", default="", help="the best that is installed if not given")
        parser.add_argument("--items", action="store_true", help="print each answer as well")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        names = [name for name in options["sets"].split(",") if name]
        try:
            with terminal.model_server():
                report = evaluate(
                    options["dir"],
                    names,
                    limit=options["limit"],
                    model=options["model"],
                    items=options["items"],
                )
        except (LookupError, ModelError, launching.NotStarted, OSError) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(report, ensure_ascii=False))
            return
        for row in report["sets"]:
            self.stdout.write(row["set"])
            for name, value in row.items():
                if name not in ("set", "items"):
                    self.stdout.write(f"  {name:22} {value}")
