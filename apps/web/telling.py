"""Say to readers what was written down for them, in the language they read it in.

    from apps.web.telling import gettext as _

What `_("…") % {…}` gives is said at once in the language of the moment, and where it is kept in a
`ToldField`, or by `stored` in a file, it is said anew to each reader.
"""

from typing import Any

from django.db import models
from django.utils import translation

from apps.web import told
from apps.web.told import Told, full_stop, joined, msgid, stored

__all__ = ["ToldField", "full_stop", "gettext", "joined", "msgid", "ngettext", "restored", "stored"]


def gettext(message: str) -> str:
    """A message in the language of the moment, which remembers what it is."""
    return Told(translation.gettext(message), {"msgid": str(message)})


def ngettext(one: str, many: str, number: int) -> str:
    """The same of a message that has a plural."""
    made_of = {"msgid": one, "plural": many, "number": number}
    return Told(translation.ngettext(one, many, number), made_of)


def restored(text: str) -> str:
    """What was `stored`, in the language of the moment."""
    return told.restored(text, _translated)


def _translated(message: str, many: str, number: int) -> str:
    if not message:
        return ""
    return translation.ngettext(message, many, number) if many else translation.gettext(message)


class ToldField(models.TextField):  # type: ignore[type-arg]
    """Text that is said to each reader in their language, where it is a sentence of the vault's.

    To the database it is text like any other, so what stands there from before stays as it is.
    """

    def deconstruct(self) -> Any:
        name, _path, args, kwargs = super().deconstruct()
        return name, "django.db.models.TextField", args, kwargs

    def from_db_value(self, value: str | None, *_: object) -> str | None:
        return value and restored(value)

    def get_prep_value(self, value: Any) -> Any:
        return stored(value) if isinstance(value, str) else super().get_prep_value(value)
