"""`manage.py ask QUESTION`: a cited answer from the documents, in the terminal."""

import json
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from apps.chat.answer import Question, answer_to
from apps.chat.halting import Halt
from apps.chat.steps import Account
from apps.library import search, workspaces
from apps.llm.bundled import launching
from apps.llm.client import ModelError
from apps.vault import terminal
from apps.vault.terminal import TerminalCommand


class Command(TerminalCommand):
    help = "Answer a question from the documents, with the passages the answer stands on."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("question")
        parser.add_argument(
            "--owner", help="whose documents; needed where there are several people"
        )
        parser.add_argument("--workspace", help="the first one where none is named")
        parser.add_argument(
            "--scope", action="append", default=[], help="a category or document; may be repeated"
        )
        parser.add_argument(
            "--limit", type=terminal.count, help="how many passages the model is given"
        )
        parser.add_argument("--model", default="", help="the best that is installed if not given")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        began = time.perf_counter()
        try:
            person = terminal.person(options["owner"])
            workspace = workspaces.of_person(person, options["workspace"])
            question = Question(
                text=options["question"],
                workspace=workspace,
                scope=search.scope_named(workspace, options["scope"]),
                model=options["model"],
                limit=options["limit"],
            )
            with terminal.model_server():
                account = Account()
                for step in answer_to(question, Halt()):
                    account = account.adding(step)
        except (LookupError, ModelError, launching.NotStarted) as error:
            raise CommandError(str(error)) from error
        self._tell(account, time.perf_counter() - began, as_json=options["json"])

    def _tell(self, account: Account, seconds: float, *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(_document(account, seconds), ensure_ascii=False))
            return
        self.stdout.write(account.text)
        for source in account.sources:
            if source.used:
                self.stdout.write(f"[{source.number}] {source.title}, {source.label}")


def _document(account: Account, seconds: float) -> dict[str, Any]:
    return {
        "answer": account.text,
        "refused": account.refused,
        "citations": [
            {
                "number": source.number,
                "document": source.title,
                "document_id": source.document,
                "locator": {"kind": source.kind, "label": source.label, "number": source.place},
                "quote": source.quote,
            }
            for source in account.sources
            if source.used
        ],
        "model": account.asked.model if account.asked else "",
        "seconds": round(seconds, 3),
    }
