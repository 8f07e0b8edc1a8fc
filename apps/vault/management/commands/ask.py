"""`manage.py ask QUESTION`: a cited answer from the documents, in the terminal."""

import json
import time
from argparse import ArgumentParser
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from apps.chat.answer import Question, answer_to
from apps.chat.halting import Halt
from apps.chat.steps import Account
from apps.library import search, workspaces
from apps.llm import client
from apps.llm.bundled import launching
from apps.llm.client import ModelError


class Command(BaseCommand):
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
        parser.add_argument("--limit", type=int, help="how many passages the model is given")
        parser.add_argument("--model", default="", help="the best that is installed if not given")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        began = time.perf_counter()
        try:
            workspace = workspaces.of_person(_owner(options["owner"]), options["workspace"])
            question = Question(
                text=options["question"],
                workspace=workspace,
                scope=search.scope_named(workspace, options["scope"]),
                model=options["model"],
                limit=options["limit"],
            )
            with _model_server():
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


def _owner(name: str | None) -> User:
    """The person named, or the only one there is."""
    people = User.objects.filter(username=name) if name else User.objects.filter(is_active=True)
    found = list(people[:2])
    if len(found) == 1:
        return found[0]
    if name:
        raise LookupError(f"There is nobody named {name} here.")
    if found:
        raise LookupError("Several people have documents here: say whose with --owner.")
    raise LookupError("There is no account yet: make one with `manage.py create_owner`.")


def _model_server() -> AbstractContextManager[object]:
    """The bundled server for the time of the command, unless a model server answers already."""
    try:
        client.host()
    except ModelError:
        return launching.in_use()
    return nullcontext()
