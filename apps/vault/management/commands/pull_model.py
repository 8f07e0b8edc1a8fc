"""manage.py pull_model NAME"""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.llm import catalogue, speech_weights
from apps.llm.bundled import launching
from apps.llm.client import ModelError, forget, host


class Command(BaseCommand):
    help = "Fetch a model for the model server in use, or for speech; progress on standard error."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "name", help="for example qwen2.5-coder:1.5b, or whisper-base for speech"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["name"] == speech_weights.NAME:  # comes without a model server
            self._pull(options["name"])
            return
        try:
            host()
        except ModelError:  # no vault is up: bring a server along for this
            with launching.in_use():
                forget()
                self._pull(options["name"])
        else:
            self._pull(options["name"])

    def _pull(self, name: str) -> None:
        try:
            for progress in catalogue.pull(name):
                sys.stderr.write(f"\r{name}: {progress.status} {progress.percent} %   ")
        except ModelError as error:
            raise CommandError(str(error)) from error
        finally:
            sys.stderr.write("\n")
        self.stdout.write(f"{name} is ready.")
