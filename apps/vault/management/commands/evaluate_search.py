"""`manage.py evaluate_search DIR [--sets a,b] --json`: how well search finds, on labelled sets."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.library.evaluating import evaluate
from apps.llm.bundled import launching
from apps.llm.client import ModelError
from apps.vault import terminal


class Command(BaseCommand):
    help = "Measure search on a folder of labelled sets: hybrid, words only, meaning only."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("dir", type=Path, help="folder with one folder per set")
        parser.add_argument("--sets", default="", help="names of sets, comma between; default all")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        names = [name for name in options["sets"].split(",") if name]
        try:
            with terminal.model_server():
                report = evaluate(options["dir"], names)
        except (LookupError, ModelError, launching.NotStarted, OSError) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(report))
            return
        for row in report["sets"]:
            legs = (f"{leg} {row[leg]['ndcg@10']:.3f}" for leg in ("hybrid", "words", "meaning"))
            self.stdout.write(f"{row['set']:16} nDCG@10  {'  '.join(legs)}")
        for row in report["gate"]:
            passed = f"{row['answerable_passed']:.2f} / {row['unanswerable_passed']:.2f}"
            self.stdout.write(f"{row['set']:16} answerable / unanswerable let through  {passed}")
