"""`manage.py calibrate_relevance DIR`: fit the relevance gate to the embedding model in use."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.library.calibrating import calibrate
from apps.llm.bundled import launching
from apps.llm.client import ModelError
from apps.vault import terminal


class Command(BaseCommand):
    help = "Learn from labelled sets which questions the embedding model in use can answer."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("dir", type=Path, help="folder with one folder per set")
        parser.add_argument("--sets", default="", help="names of sets, comma between; default all")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        names = [name for name in options["sets"].split(",") if name]
        try:
            with terminal.model_server():
                kept = calibrate(options["dir"], names)
        except (LookupError, ModelError, launching.NotStarted, OSError) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(kept))
            return
        self.stdout.write(f"{kept['model']}, {kept['date']}: {kept['rule']}")
        for title in ("passed", "left_out"):
            for row in kept[title]:
                shares = f"{row['answerable_passed']:.2f} / {row['unanswerable_passed']:.2f}"
                self.stdout.write(
                    f"{title:9} {row['set']:16} answerable / unanswerable {shares}, "
                    f"surely refused {row['surely_refused']:.2f}"
                )
