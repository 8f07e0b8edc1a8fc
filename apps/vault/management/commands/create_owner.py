"""`manage.py create_owner`: the first account, from a terminal."""

import json
from typing import Any

from django.core.management.base import CommandError, CommandParser

from apps.vault import owner
from apps.vault.forms import OwnerForm
from apps.vault.terminal import TerminalCommand


class Command(TerminalCommand):
    help = "Makes the first account, which may do everything; says so where there is one already."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--username", required=True)
        parser.add_argument("--password", required=True)
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        name, password = options["username"], options["password"]
        form = OwnerForm({"username": name, "password1": password, "password2": password})
        if not form.is_valid() and not owner.is_owned():
            problems = [problem for some in form.errors.values() for problem in some]
            raise CommandError(" ".join(map(str, problems)))
        try:
            person = owner.create(name, password)
        except owner.AlreadyOwned as reason:
            raise CommandError(str(reason)) from None
        made = person.get_username()
        words = (
            json.dumps({"owner": made}) if options["json"] else f"Made the owner's account {made}."
        )
        self.stdout.write(words)
