"""Files become parts: one module a format, all run in a child process with limits.

Each format's module has `read(source)`, which yields one `Opened`, then parts in reading order.
Nothing here imports Django: the child must start quickly and know no secrets.
"""

from dataclasses import dataclass
from pathlib import Path

__all__ = ["NotYet", "Opened", "ReadPart", "Refusal", "Skipped", "Source"]


@dataclass(frozen=True, slots=True)
class ReadPart:
    """A page, slide, sheet or section as a parser read it.

    `kind` is a LocatorKind value; `number` counts from 1. For a table `header` is its header row
    and `text` has one line a row, starting with row `first_line`. For `lines` and tables
    `first_line` is the number of the text's first line in the file.
    """

    kind: str
    number: int
    label: str
    text: str
    header: str = ""
    first_line: int = 1
    ocr: bool = False
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Opened:
    """What is known before the first part: `total` parts or None, `language` ISO 639-1 or "".

    `changed` is when the document says it was last changed, in ISO 8601, or "".
    """

    format: str
    title: str
    total: int | None
    language: str
    changed: str = ""


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something was left out, or read less well than it should be, though the file was read."""

    label: str
    reason: str


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read: its format is recognised, its name is only for people.

    `skip` parts are stored already. `languages` are those expected (ISO 639-1, by commas).
    """

    path: Path
    name: str
    format: str
    skip: int = 0
    languages: str = ""
    spoken: str = ""  # languages of the library, for recordings in doubt
    weights: str = ""  # the folder of the speech model


class NotYet(Exception):
    """What reads this kind of file is not here yet; the message says what is missing."""


class Refusal(Exception):
    """The file cannot be read, and trying again will not help; the message is for its owner."""
