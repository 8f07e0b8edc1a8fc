"""What the commands of a terminal share: whose vault it is about, and a model server to ask."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from django.contrib.auth.models import User

from apps.llm import client
from apps.llm.bundled import launching
from apps.llm.client import ModelError


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
