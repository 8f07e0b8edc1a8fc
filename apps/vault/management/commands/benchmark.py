"""`manage.py benchmark NAME --json`: measurements, kept in `tests/benchmarks/`."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from importlib import import_module
from typing import Any

from django.core.management.base import BaseCommand, CommandError

NAMES = ("search", "ingestion", "chat", "pages")


def counts(text: str) -> list[int]:
    """Whole numbers with commas between."""
    try:
        found = [int(part) for part in text.split(",")]
    except ValueError:
        raise ArgumentTypeError(
            f"{text!r}: write numbers with commas between, 5000,50000"
        ) from None
    if min(found) < 1:
        raise ArgumentTypeError(f"{text!r}: each number is at least 1")
    return found


class Command(BaseCommand):
    help = "Measure a part of the house and print what came out."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", choices=NAMES)
        parser.add_argument("--chunks", type=counts, default=[5000], help="for search: 5000,50000")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        module = f"tests.benchmarks.{options['name']}"
        try:
            rows = import_module(module).run(options)
        except ModuleNotFoundError as absent:
            raise CommandError(
                f"{module} cannot run: {absent}. Benchmarks come with the source of the project "
                "and need: pip install -r tests/requirements.txt"
            ) from absent
        except LookupError as reason:
            raise CommandError(str(reason)) from reason
        if options["json"]:
            self.stdout.write(json.dumps({"benchmark": options["name"], "rows": rows}))
            return
        for row in rows:
            self.stdout.write("  ".join(f"{key} {value}" for key, value in row.items()))
