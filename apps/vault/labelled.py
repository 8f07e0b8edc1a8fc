"""What commands share that measure search on folders of labelled sets."""

import json
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from apps.llm.bundled import launching
from apps.llm.client import ModelError
from apps.vault import terminal
from apps.vault.terminal import TerminalCommand


class LabelledCommand(TerminalCommand):
    """Measures the sets of a folder: `DIR [--sets a,b] [--json]`."""

    measure: Callable[[Path, Sequence[str]], dict[str, Any]]  # of the room

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("dir", type=Path, help="folder with one folder per set")
        parser.add_argument("--sets", default="", help="names of sets, comma between; default all")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        names = [name for name in options["sets"].split(",") if name]
        try:
            with terminal.model_server():
                report = self.measured(names, options)
        except (LookupError, ModelError, launching.NotStarted, OSError) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(report))
        else:
            self.tell(report)

    def measured(self, names: Sequence[str], options: dict[str, Any]) -> dict[str, Any]:
        """The report."""
        return type(self).measure(options["dir"], names)

    def tell(self, report: dict[str, Any]) -> None:
        """Print the report for a reader."""
        raise NotImplementedError
