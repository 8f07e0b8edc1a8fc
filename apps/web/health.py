"""How one part of the vault is doing. Each room tells about its own in a module `health`."""

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "degraded", "down", "absent"]


@dataclass(frozen=True, slots=True)
class Part:
    """A part's state, and in words for people: what it is, and what to do where it is not well."""

    name: str
    state: State
    version: str = ""
    detail: str = ""
    fix: str = ""
