"""`manage.py ingest PATH…`: files and folders of this machine into the library."""

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.contrib.auth.models import User
from django.core.management.base import CommandError

from apps.library import batches, folders
from apps.library.batch_models import Batch
from apps.library.folders import Imported
from apps.library.models import Category, Workspace
from apps.library.workspaces import first_of
from apps.llm.bundled import launching
from apps.vault import terminal
from apps.vault.terminal import TerminalCommand


class Command(TerminalCommand):
    help = "Take files into the library; folders are walked, what is unchanged is left alone."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", nargs="+", type=Path)
        parser.add_argument(
            "--owner", help="whose documents; needed where there are several people"
        )
        parser.add_argument("--workspace", help="made where there is none of this name")
        parser.add_argument("--category", help="made where there is none of this name")
        parser.add_argument("--wait", action="store_true", help="until all of it can be found")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            owner = terminal.person(options["owner"])
            files = folders.files_below(options["path"])
        except LookupError as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}.") from error
        workspace = _workspace(owner, options["workspace"])  # made now that there are files for it
        category = None
        if options["category"]:
            category, _ = Category.objects.get_or_create(
                workspace=workspace, name=options["category"]
            )
        results = folders.import_files(workspace, files, category)
        if options["wait"] and folders.unfinished(results):
            try:
                with terminal.model_server():
                    folders.wait_for(results)
            except launching.NotStarted as error:
                raise CommandError(str(error)) from error
        batch = None  # where all is unchanged, no receipt is needed
        if any(each.status != "unchanged" for each in results):
            batch = _receipt(workspace, options["path"], results)
        self._tell(results, batch, as_json=options["json"])

    def _tell(self, results: list[Imported], batch: Batch | None, *, as_json: bool) -> None:
        if as_json:
            told = {"files": [asdict(each) for each in results]}
            self.stdout.write(json.dumps(told | {"receipt": batch.pk if batch else None}))
            return
        for each in results:
            self.stdout.write(f"{each.status:10} {each.path}  {each.reason}".rstrip())
        if batch:
            figures = batches.of(batch)
            self.stderr.write(f"{figures.found} of {figures.total} indexed. Receipt: {batch.pk}")


def _receipt(workspace: Workspace, paths: Sequence[Path], results: Sequence[Imported]) -> Batch:
    batch = batches.begin(workspace, uuid4().hex, f"Import of {', '.join(map(str, paths))}")
    batches.note_imported(batch, results)
    return batch


def _workspace(owner: User, name: str | None) -> Workspace:
    if name is None:
        return first_of(owner)
    return Workspace.objects.get_or_create(owner=owner, name=name)[0]
