"""The child: `python -m apps.llm.hearing` reads one order, limits itself, hears one recording.

The order comes as JSON on standard input, the answer goes as JSON lines to standard output.
"""

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from apps.outbound import guard
from apps.outbound.limiting import limit, private_stdout


def main() -> None:
    order = json.loads(sys.stdin.readline())
    limit(order["memory_mb"], order["cpu_seconds"], order["parent"])
    guard.arm("speech", reach="nothing", ledger=Path(order["ledger"]))
    out = private_stdout()
    try:
        for line in _answers(order):
            out.write(json.dumps(line) + "\n")
            out.flush()
    except MemoryError:
        out.write(json.dumps({"error": "The recording needs more memory than it may use."}) + "\n")
        out.flush()
    os._exit(0)


def _answers(order: dict[str, Any]) -> Iterator[dict[str, Any]]:
    from apps.llm.hearing import recording, whisper  # after the limits: they are large

    listener = whisper.Listener(Path(order["weights"]), order["language"], order["expected"])
    yield {"alive": True}
    try:
        for block in recording.blocks(Path(order["path"])):
            yield {"heard": asdict(listener.hear(block))}
    except recording.NoRecording as error:
        yield {"error": str(error)}
    yield {"done": True}


if __name__ == "__main__":
    main()
