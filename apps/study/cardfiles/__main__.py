"""The child: `python -m apps.study.cardfiles` reads one order, limits itself, reads one file.

It answers as `apps.library.parsing` does, with a line for each card.
"""

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from apps.library.parsing import Refusal
from apps.library.parsing.words import _
from apps.outbound import guard
from apps.outbound.limiting import limit, private_stdout
from apps.study.cardfiles import apkg, tables
from apps.study.cardfiles.fields import FoundCard
from apps.web.told import stored

MOST_CARDS = 10_000
MEMORY_MB = 1024


def main() -> int:
    order = json.loads(sys.stdin.readline())
    limit(min(order["memory_mb"], MEMORY_MB), order["cpu_seconds"], order["parent"])
    guard.arm("parser", reach="nothing", ledger=Path(order["ledger"]))
    out = private_stdout()

    def say(line: dict[str, Any]) -> None:
        out.write(json.dumps(line, ensure_ascii=True) + "\n")
        out.flush()

    try:
        for line in _answers(Path(order["path"]), order["name"]):
            say(line)
    except Refusal as refusal:
        say({"refused": stored(str(refusal))})
    except MemoryError:
        say({"exhausted": True})
    os._exit(0)


def _answers(path: Path, name: str) -> Iterator[dict[str, Any]]:
    with path.open("rb") as file:
        zipped = file.read(4) == b"PK\x03\x04"
    cards: Iterator[FoundCard] = apkg.read(path) if zipped else tables.read(path, name)
    given = empty = 0
    for card in cards:
        if not (card.front and card.back):
            empty += 1
        elif given == MOST_CARDS:
            told = _("Only the first %(count)s cards were taken.") % {"count": MOST_CARDS}
            yield {"skipped": stored(told)}
            break
        else:
            given += 1
            yield {"card": asdict(card)}
    if empty:
        told = _("%(count)s had no text on one of their sides, such as images or sounds.")
        yield {"skipped": stored(told % {"count": empty})}
    yield {"done": True}


if __name__ == "__main__":
    sys.exit(main())
