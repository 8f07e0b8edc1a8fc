"""`manage.py evaluate_study DIR --json`: how good quizzes, cards, maps and workshops are."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.llm.bundled import launching
from apps.llm.client import ModelError
from apps.study.evaluating import USUAL, evaluate
from apps.vault import terminal


class Command(BaseCommand):
    help = "Make practice from each document of a folder, and count what a rule can tell of it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("dir", type=Path, help="folder with documents, or one document")
        parser.add_argument("--count", type=_number, help="items to ask for; default as usual")
        parser.add_argument(
            "--kinds", default="", help=f"comma between, of {', '.join(USUAL)}; default all"
        )
        parser.add_argument("--items", action="store_true", help="print the items as well")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        kinds = [kind for kind in options["kinds"].split(",") if kind]
        try:
            with terminal.model_server():
                report = evaluate(
                    options["dir"], count=options["count"], kinds=kinds, items=options["items"]
                )
        except (LookupError, ModelError, launching.NotStarted, OSError) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(report, ensure_ascii=False))
            return
        for row in report["documents"]:
            self.stdout.write(f"{row['document']}: {row['status']} {row['reason']}".rstrip())
            for kind in USUAL:
                if run := row.get(kind):
                    self.stdout.write(
                        f"  {kind:8} {run['made']} of {run['asked']}, {run['duplicates']} twice, "
                        f"{run['rejected']} rejected, {run['seconds']} s"
                    )


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 100:
        raise ArgumentTypeError("a number from 1 to 100")
    return int(text)
