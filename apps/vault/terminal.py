"""What the commands of a terminal share: whose vault it is about, and a model server to ask."""

import json
import logging
import sys
from argparse import ArgumentTypeError
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from logging.handlers import RotatingFileHandler
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.llm import client
from apps.llm.bundled import launching
from apps.llm.client import ModelError

LOG_BYTES = 5 << 20


class TerminalCommand(BaseCommand):
    """A command with `--json`: one document is printed, also where it could not do its job."""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.__class__ = Parser  # Django makes it, and takes no other
        return parser

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            with logged_apart(logging.CRITICAL + 1 if options["json"] else logging.WARNING):
                return super().execute(*args, **options)
        except CommandError as error:
            if options["json"]:
                self.stdout.write(json.dumps({"error": str(error)}, ensure_ascii=False))
            raise


@contextmanager
def logged_apart(shown: int) -> Iterator[None]:
    """What is logged meanwhile goes into a file, and to the terminal only from that level on."""
    root = logging.getLogger()
    usual = [handler for handler in root.handlers if handler.name == "stderr"]
    levels = [handler.level for handler in usual]
    file = None
    with suppress(OSError):  # a disk that takes no log is no reason to do nothing
        settings.LOG_DIR.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = settings.LOG_DIR / "terminal.log"
        file = RotatingFileHandler(path, maxBytes=LOG_BYTES, backupCount=1, encoding="utf-8")
        file.setFormatter(usual[0].formatter if usual else None)
        root.addHandler(file)
    for handler in usual:
        handler.setLevel(shown)
    try:
        yield
    finally:
        for handler, level in zip(usual, levels, strict=True):
            handler.setLevel(level)
        if file:
            root.removeHandler(file)
            file.close()


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
