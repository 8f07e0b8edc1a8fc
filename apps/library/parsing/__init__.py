"""Files become parts: one module a format, all run in a child process with limits."""

from dataclasses import dataclass

__all__ = ["ReadPart", "Refusal"]


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


class Refusal(Exception):
    """The file cannot be read, and trying again will not help; the message is for its owner."""
