"""`manage.py watch PATH…`: folders of this machine that are kept in step with the library."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from apps.library import accounting, ingestion, watching
from apps.library.models import Document, WatchedFolder
from apps.library.workspaces import of_person
from apps.llm.bundled import launching
from apps.vault import terminal
from apps.vault.terminal import TerminalCommand

# What programs are told of a folder's files, by the names they have known from the beginning.
TOLD = ("found", "coming", "unread", "left_out", "total")


class Command(TerminalCommand):
    help = "Watch folders from now on. A running vault does it; with --once it is done here, once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", nargs="+", type=Path)
        parser.add_argument("--owner", help="whose documents; needed where there are several")
        parser.add_argument("--workspace", help="the person's first where none is named")
        parser.add_argument("--include", default="", help="only these: *.pdf, letters/")
        parser.add_argument("--exclude", default="", help="not these: drafts/, *.csv")
        parser.add_argument("--keep", action="store_true", help="documents of deleted files stay")
        parser.add_argument("--once", action="store_true", help="look and read now, then tell")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            person = terminal.person(options["owner"])
            workspace = of_person(person, options["workspace"])
            folders = [
                watching.begin(
                    workspace,
                    str(path.absolute()),
                    include=options["include"],
                    exclude=options["exclude"],
                    follow_deletions=not options["keep"],
                )
                for path in options["path"]
            ]
            if options["once"]:
                with terminal.model_server():
                    for folder in folders:
                        _look_once(folder)
        except (LookupError, watching.NotAllowed, launching.NotStarted) as error:
            raise CommandError(str(error)) from error
        self._tell(folders, as_json=options["json"])

    def _tell(self, folders: list[WatchedFolder], *, as_json: bool) -> None:
        for folder in folders:
            folder.refresh_from_db()
        figures = {folder: accounting.of(folder) for folder in folders}
        if as_json:
            told = [
                {
                    "path": folder.path,
                    "problem": folder.problem,
                    **{name: getattr(each, name) for name in TOLD},
                }
                for folder, each in figures.items()
            ]
            self.stdout.write(json.dumps({"folders": told}, ensure_ascii=False))
            return
        for folder, each in figures.items():
            words = f"{each.found} of {each.total} indexed"
            self.stdout.write(f"{words:24} {folder.path}  {folder.problem}".rstrip())


def _look_once(folder: WatchedFolder) -> None:
    """Look to the end and do the work, beside any worker there is."""
    while not watching.look(folder):
        pass
    found = Document.objects.filter(folder_entries__folder=folder).unfinished()
    while waiting := list(found.filter(next_try=None).values_list("pk", flat=True)):
        for document_id in waiting:
            ingestion.work(document_id)
