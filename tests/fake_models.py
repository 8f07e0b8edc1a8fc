"""The models of the fake server: what they can do, and vectors that know like words."""

import hashlib
import math
import re
from dataclasses import dataclass
from typing import Any

DIMENSIONS = 384


@dataclass
class FakeModel:
    """A model the server has."""

    name: str
    abilities: list[str]
    size: int = 2_000_000_000
    license: str = "Apache-2.0"
    dimensions: int = DIMENSIONS
    context: int = 8192
    architecture: str = "fake"  # "extractive" is the bundled one that writes nothing of its own

    @property
    def info(self) -> dict[str, Any]:
        return {
            "general.architecture": self.architecture,
            f"{self.architecture}.context_length": self.context,
            f"{self.architecture}.embedding_length": self.dimensions,
        }

    @property
    def entry(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "model": self.name,
            "modified_at": "2026-01-01T00:00:00Z",
            "size": self.size,
            "digest": hashlib.sha256(self.name.encode()).hexdigest(),
            "details": {"format": "gguf", "family": "fake", "families": ["fake"]},
        }


def vector(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """A sum of one fixed direction for each word, and a little of a shared one, at length one."""
    total = [0.05] * dimensions
    for word in re.findall(r"\w+", text.lower()) or ["nothing"]:
        seed = hashlib.sha256(word.encode()).digest()
        for n in range(16):  # each word moves sixteen numbers, up or down
            place = int.from_bytes(seed[2 * n : 2 * n + 2], "big")
            total[place % dimensions] += 1 if place & 0x8000 else -1
    length = math.sqrt(sum(x * x for x in total)) or 1
    return [x / length for x in total]
