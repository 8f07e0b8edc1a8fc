"""`manage.py check_corpus DIR`: is what must be found in known files found, at its place?"""

import json
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.library import corpus


class Command(BaseCommand):
    help = "Read every file named in DIR/MANIFEST.tsv and compare with what it must hold."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, metavar="DIR")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *, folder: Path, json: bool, **options: Any) -> None:
        if not (folder / corpus.MANIFEST).is_file():
            raise CommandError(f"{folder} has no {corpus.MANIFEST}.", returncode=1)
        verdicts = []
        for verdict in corpus.check(folder):
            verdicts.append(verdict)
            self.stderr.write(
                f"{verdict['verdict']:12} {verdict['seconds']:6} s  {verdict['file']}"
            )
        self.stdout.write(_document(verdicts) if json else _summary(verdicts))


def _document(verdicts: list[dict[str, str | float]]) -> str:
    return json.dumps({"files": verdicts}, ensure_ascii=False, indent=1)


def _summary(verdicts: list[dict[str, str | float]]) -> str:
    counts = Counter(verdict["verdict"] for verdict in verdicts)
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
