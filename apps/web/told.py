"""A sentence that knows what it was made of, so that it can be said again in another language.

Nothing here imports Django: children that read files speak in such sentences too. See `telling`.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, Self

MARKED = ("msgid", "joined")  # a stored sentence has one of these; all else is text
DEEPEST = 5  # sentences within sentences


class Told(str):
    """A sentence as it is said here and now, with the message and the values it was made from.

    It goes through `%` and `str()` as it is; through anything else it becomes plain text.
    """

    made_of: dict[str, Any]

    def __new__(cls, text: str, made_of: Mapping[str, Any]) -> Self:
        self = super().__new__(cls, text)
        self.made_of = dict(made_of)
        return self

    def __reduce__(self) -> tuple[type["Told"], tuple[str, dict[str, Any]]]:
        return Told, (super().__str__(), self.made_of)

    def __str__(self) -> str:
        return self

    def __mod__(self, values: Any) -> str:
        if "msgid" not in self.made_of or not isinstance(values, Mapping):
            return super().__mod__(values)
        # A sentence within another that goes on with a full stop has one of its own.
        fitting = {
            key: each.removesuffix(".")
            if isinstance(each, str) and f"%({key})s." in self and not each.endswith("..")
            else each
            for key, each in values.items()
        }
        text = super().__mod__(fitting)
        return Told(text, self.made_of | {"values": dict(values)})

    @property
    def msgid(self) -> str:
        """The message as the sources have it; of sentences in a row, the first one's."""
        first = self.made_of.get("joined", [self])[0]
        if isinstance(first, Told) and first is not self:
            return first.msgid
        return str(self.made_of.get("msgid", ""))


def gettext(message: str) -> str:
    """A message for those who know no Django and no translations: said in English, kept in none."""
    return Told(message, {"msgid": message})


def joined(*pieces: str, by: str = " ") -> str:
    """Sentences, or parts of one, in a row; empty ones are left out."""
    said = [piece for piece in pieces if piece]
    text = by.join(said)
    return Told(text, {"joined": said, "by": by}) if len(said) > 1 else (said or [""])[0]


def full_stop(text: str) -> str:
    """A sentence with the full stop at its end, if it has none."""
    return text if text.endswith((".", "!", "?", "…", ":", ".“", ".”")) else f"{text}."


def msgid(text: str) -> str:
    """The message a sentence was made from, "" of plain text."""
    return text.msgid if isinstance(text, Told) else ""


def stored(text: str) -> str:
    """A sentence as it is kept, or sent to another process: in no language. Plain text stays."""
    if not isinstance(text, Told):
        return text
    return json.dumps(_packed(text), ensure_ascii=False)


def _packed(value: Any) -> Any:
    if isinstance(value, Told):
        return {key: _packed(each) for key, each in value.made_of.items()}
    if isinstance(value, Mapping):
        return {str(key): _packed(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_packed(each) for each in value]
    if isinstance(value, int | float):
        return value
    # As a database can keep it: without NUL and half characters.
    return str(value).replace("\0", "").encode("utf-8", "replace").decode()


Translate = Callable[[str, str, int], str]  # (message, its plural or "", how many) → said


def restored(text: str, translate: Translate) -> str:
    """What was `stored`, said in the language `translate` speaks; text that is none as it is."""
    if not text.startswith("{"):
        return text
    try:
        packed = json.loads(text)
    except ValueError:
        return text
    if not _is_sentence(packed):
        return text
    said = _unpacked(packed, translate, DEEPEST)
    return said if isinstance(said, str) else text


def _is_sentence(packed: Any) -> bool:
    return isinstance(packed, dict) and any(mark in packed for mark in MARKED)


def _unpacked(packed: Any, translate: Translate, depth: int) -> Any:
    if not _is_sentence(packed) or depth == 0:
        return packed
    if isinstance(packed.get("joined"), list):
        pieces = [str(_unpacked(each, translate, depth - 1)) for each in packed["joined"]]
        return joined(*pieces, by=str(packed.get("by", " ")))
    message, many = str(packed.get("msgid", "")), str(packed.get("plural", ""))
    told = Told(translate(message, many, packed.get("number", 0)), packed)
    if not isinstance(packed.get("values"), dict):
        return told
    values = {key: _unpacked(each, translate, depth - 1) for key, each in packed["values"].items()}
    try:
        return told % values
    except (KeyError, ValueError, TypeError):  # of another release, whose message had other places
        return message
