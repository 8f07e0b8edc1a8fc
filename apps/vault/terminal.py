"""What the commands of a terminal share: whose vault it is about, and a model server to ask."""

import json
import sys
from argparse import ArgumentTypeError
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.llm import client
from apps.llm.bundled import launching
from apps.llm.client import ModelError


class TerminalCommand(BaseCommand):
    """A command with `--json`: one document is printed, also where it could not do its job."""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.__class__ = Parser  # Django makes it, and takes no other
        return parser

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except CommandError as error:
            if options["json"]:
                self.stdout.write(json.dumps({"error": str(error)}, ensure_ascii=False))
            raise


class Parser(CommandParser):
    """Tells of wrong arguments in a document, too, where one is asked for."""

    def error(self, message: str) -> Any:
        if "--json" in sys.argv:
            sys.stdout.write(json.dumps({"error": message}, ensure_ascii=False) + "\n")
        super().error(message)


def count(words: str) -> int:
    """An argument that counts something, from 1 on."""
    if not words.isascii() or not words.isdigit() or not int(words):
        raise ArgumentTypeError(f"{words!r} is not a whole number from 1 on")
    return int(words)


def person(name: str | None) -> User:
    """The person of that name, or the only one there is; LookupError says what to do."""
    people = User.objects.filter(is_active=True)
    found = list((people.filter(username=name) if name else people)[:2])
    if len(found) == 1:
        return found[0]
    if name:
        raise LookupError(f"There is nobody named {name} here.")
    if found:
        raise LookupError("Several people have documents here: say whose with --owner.")
    raise LookupError("There is no account yet: make one with `manage.py create_owner`.")


def model_server() -> AbstractContextManager[Any]:
    """The model server that answers already, else the bundled one for as long as the block runs.

    Raises NotStarted on entry where it does not come up.
    """
    try:
        client.host()
    except ModelError:
        return launching.in_use()
    return nullcontext()
