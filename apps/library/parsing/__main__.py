"""The child: `python -m apps.library.parsing` reads one order, limits itself, reads one file.

The order comes as JSON on standard input, the answer goes as JSON lines to standard output.
Limits are set before the first byte of the file is looked at. An order that is "warm" may be
followed by another, for a small text of the same kind.
"""

import base64
import importlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from apps.library.parsing import NotYet, Opened, ReadPart, Refusal, Skipped, Source
from apps.library.parsing.recognising import format_of
from apps.library.parsing.words import _
from apps.outbound import guard, trying
from apps.outbound.limiting import limit, private_stdout
from apps.web.told import stored

PART = 2_000_000  # characters of a part
TOTAL = 200_000_000  # characters of a document
PARTS = 100_000
PLAIN = {"text", "markdown", "csv", "code"}  # read by Python alone: one process may read several
READ_BY_OCR = {"pdf", "image", "docx", "pptx"}
SKIPPING = {"pdf", "image", "audio"}  # these skip for themselves: reading costs something


def main() -> int:
    order = json.loads(sys.stdin.readline())
    limit(order["memory_mb"], order["cpu_seconds"], order["parent"])
    guard.arm("parser", reach="nothing", ledger=Path(order["ledger"]))
    out = private_stdout()

    def say(line: dict[str, Any]) -> None:
        out.write(json.dumps(line, ensure_ascii=True) + "\n")
        out.flush()

    while True:
        try:
            for line in _answers(order, lambda: say({"alive": True})):
                say(line)
        except Refusal as refusal:
            say({"refused": stored(str(refusal))})
        except NotYet as reason:
            say({"waiting": stored(str(reason))})
        except MemoryError:
            say({"exhausted": True})
        following = sys.stdin.readline() if order.get("warm") else ""
        if not following:
            # Skips the freeing of what the parser holds: the process is over.
            os._exit(0)
        order = json.loads(following)


def _answers(order: dict[str, Any], pulse: Callable[[], None]) -> Iterator[dict[str, Any]]:
    if order["task"] == "try_out":
        with guard.allowed(order["name"]):
            yield {"result": trying.is_refused()}
        yield {"done": True}
        return
    path = Path(order["path"])
    source = Source(
        path,
        order["name"],
        format_of(path, order["name"]),
        **{key: order[key] for key in ("skip", "languages", "spoken", "weights")},
    )
    if order.get("warm") and source.format not in PLAIN:
        yield {"other": source.format}
        return
    parser = importlib.import_module(f"apps.library.parsing.{source.format}")
    if source.format in READ_BY_OCR:
        importlib.import_module("apps.library.parsing.ocr").pulse = pulse  # type: ignore[attr-defined]
    match order["task"]:
        case "read":
            yield from _bounded(parser.read(source), source)
        case "page_image" if hasattr(parser, "page_image"):
            picture = parser.page_image(source, order["page"], order["width"])
            yield {"result": base64.b64encode(picture).decode()}
        case "passage_boxes" if hasattr(parser, "passage_boxes"):
            yield {"result": parser.passage_boxes(source, order["page"], order["text"])}
        case _:
            raise Refusal(_("This kind of document has no pages to show."))
    yield {"done": True}


def _bounded(
    pieces: Iterator[Opened | ReadPart | Skipped], source: Source
) -> Iterator[dict[str, Any]]:
    """The pieces as JSON, without the parts stored already, and no more than the limits."""
    left, parts = TOTAL, 0
    for piece in pieces:
        if not isinstance(piece, ReadPart):
            yield _skipped(piece) if isinstance(piece, Skipped) else {"opened": asdict(piece)}
            continue
        parts += 1
        if parts <= source.skip and source.format not in SKIPPING:
            continue
        if parts > PARTS or left <= 0:
            reason = _("The document is longer than can be kept; the rest is left out.")
            yield _skipped(Skipped(piece.label, reason))
            return
        if len(piece.text) > PART:
            reason = _("Only the first %(number)s million characters are kept.")
            yield _skipped(Skipped(piece.label, reason % {"number": PART // 1_000_000}))
        kept = asdict(piece) | {"text": piece.text[:PART], "label": piece.label[:500]}
        left -= len(kept["text"])
        yield {"readpart": kept}


def _skipped(piece: Skipped) -> dict[str, Any]:
    return {"skipped": {"label": piece.label, "reason": stored(piece.reason)}}


if __name__ == "__main__":
    sys.exit(main())
