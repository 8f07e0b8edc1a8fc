"""Files are read in a child process that can be limited and killed.

A parser meets whatever bytes people have: `children` says what its process may do. Each file has a
process of its own, but for small texts: their parsers are plain Python, and one process reads many.
"""

import base64
import contextlib
import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings

from apps.library import children
from apps.library.children import Broke
from apps.library.parsing import NotYet, Opened, ReadPart, Refusal, Skipped
from apps.llm import speech_weights
from apps.outbound import guard
from apps.web.telling import gettext as _
from apps.web.telling import restored

__all__ = [
    "NotYet",
    "Opened",
    "ReadPart",
    "Refusal",
    "Skipped",
    "answers_of",
    "page_image",
    "passage_boxes",
    "read",
]

BROKEN_PAGES = 5  # that are left out of a PDF before it is given up
VIEW_SECONDS = 30  # for a page's image: somebody is waiting
PARSING = "apps.library.parsing"
TEXTS = frozenset(
    ("md", "markdown", "txt", "csv", "tsv", "json", "yaml", "yml", "toml", "ini", "py")
)
SMALL = 1 << 20  # bytes of a file that is read by a process that has read others
WIDEST = 3000  # pixels of a page's image


def read(
    path: Path, name: str, *, skip: int = 0, languages: str = "", spoken: str = ""
) -> Iterator[Opened | ReadPart | Skipped]:
    """One Opened, then parts from number `skip` on (counted from 0) and notices, as they are read.

    Raises Refusal where the file is at fault, NotYet where its reader is not there. A page of a
    PDF that breaks the parser is an empty part and a notice. Closing the generator kills the child.
    """
    opened: Opened | None = None
    done, broken = skip, 0
    while True:
        try:
            for piece in _pieces(path, name, done, languages, spoken):
                if isinstance(piece, Opened):
                    if opened is not None:
                        continue
                    opened = piece
                done += isinstance(piece, ReadPart)
                yield piece
        except Broke as reason:
            broken += 1
            more = opened is not None and opened.format == "pdf" and done < (opened.total or 0)
            if not more or broken > BROKEN_PAGES:
                raise Refusal(
                    _("%(reason)s Export or scan the document again, or split it.")
                    % {"reason": str(reason)}
                ) from None
            done += 1
            yield ReadPart("page", done, f"page {done}", "")
            yield Skipped(f"page {done}", str(reason))
            if opened is not None and done == opened.total:
                return
        else:
            return


def page_image(path: Path, name: str, page: int, width: int) -> bytes:
    """A page of a PDF or image as PNG, `width` pixels wide; raises Refusal for other kinds."""
    return base64.b64decode(_result("page_image", path, name, page=page, width=min(width, WIDEST)))


def passage_boxes(
    path: Path, name: str, page: int, text: str
) -> list[tuple[float, float, float, float]]:
    """Where the text stands on the page: boxes of its lines (x0, y0, x1, y1) from 0 to 1.

    Empty where it is not found; raises Refusal for what has no pages.
    """
    return [
        (x0, y0, x1, y1)
        for x0, y0, x1, y1 in _result("passage_boxes", path, name, page=page, text=text)
    ]


def try_out(purpose: str) -> bool:
    """Of the self-test: whether a parser that tries to leave is refused."""
    return bool(_result("try_out", Path(), purpose))


def answers_of(
    module: str, path: Path, name: str, seconds: float
) -> Generator[dict[str, Any], None, None]:
    """What another room's reader makes of a file, in a child limited like the parsers.

    `python -m module` reads one order and answers in JSON lines as they do; see
    `parsing.__main__`. Raises Refusal, also when no answer comes for so many seconds.
    """
    try:
        with contextlib.closing(_answers(_order("read", path, name), seconds, module)) as answers:
            yield from answers
    except Broke as reason:
        raise Refusal(str(reason)) from None


def _result(task: str, path: Path, name: str, **details: Any) -> Any:
    order = _order(task, path, name) | details
    try:
        with contextlib.closing(_answers(order, VIEW_SECONDS)) as answers:
            for answer in answers:
                if "result" in answer:
                    return answer["result"]
    except Broke as reason:
        raise Refusal(str(reason)) from None
    raise Refusal(_("The page cannot be shown."))


def _pieces(
    path: Path, name: str, skip: int, languages: str, spoken: str
) -> Iterator[Opened | ReadPart | Skipped]:
    order = _order("read", path, name)
    order |= {"skip": skip, "languages": languages, "spoken": spoken}
    with contextlib.closing(_answers(order, settings.PARSE_SECONDS)) as answers:
        for answer in answers:
            match answer:
                case {"readpart": fields}:
                    yield ReadPart(**fields)
                case {"opened": fields}:
                    yield Opened(**fields)
                case {"skipped": fields}:
                    yield Skipped(fields["label"], restored(fields["reason"]))


def _order(task: str, path: Path, name: str) -> dict[str, Any]:
    return {
        "task": task, "path": str(Path(path).resolve()), "name": name, "skip": 0, "languages": "",
        "spoken": "", "weights": str(speech_weights.folder()),
        "memory_mb": settings.PARSE_MEMORY_MB, "cpu_seconds": settings.PARSE_SECONDS * 30,
        "parent": os.getpid(), "ledger": str(guard.ledger_file()),
    }  # fmt: skip


def _answers(
    order: dict[str, Any], seconds: float, module: str = PARSING
) -> Generator[dict[str, Any], None, None]:
    """The child's answers until it is done; it is gone when this ends, or waits for the next."""
    warm = module == PARSING and order["task"] == "read" and _is_small_text(order)
    child = children.take() if warm else None
    child = child or children.Child(module)
    whole = False
    try:
        child.send(order | {"warm": warm})
        for answer in child.answers(seconds):
            if "refused" in answer:
                raise Refusal(restored(answer["refused"]))
            if "waiting" in answer:
                raise NotYet(restored(answer["waiting"]))
            if "exhausted" in answer:
                raise Broke(children.too_big())
            if "done" in answer or "other" in answer:
                whole = True
                break
            yield answer
        else:
            child.raise_for_end()
    finally:
        if warm and whole:
            children.keep(child)
        else:
            child.end()
    if "other" in answer:  # it is not what its name says: for a process of its own
        yield from _answers(order | {"small": False}, seconds, module)


def _is_small_text(order: dict[str, Any]) -> bool:
    ending = str(order["name"]).rpartition(".")[2].lower()
    if not order.get("small", True) or ending not in TEXTS:
        return False
    with contextlib.suppress(OSError):
        return Path(order["path"]).stat().st_size <= SMALL
    return False
