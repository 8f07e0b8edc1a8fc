"""Ask a model for one thing of a given shape, and get that or a reason.

The shape is a pydantic model: its JSON schema constrains what the server lets the model write
(Ollama's `format`; the bundled server makes a grammar of it), and validates what came. Repairs are
structural only, the words stay the model's.
"""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from apps.llm import client

WINDOW = 4096  # tokens, question and answer together
LEAST_ROOM = 64  # tokens kept between what is sent and the end of the window
CHARACTERS_A_TOKEN = 3  # a careful guess for German and English alike
LOOK_EVERY = 0.1  # seconds between two looks at whether somebody still waits
Shape = TypeVar("Shape", bound=BaseModel)
FENCE = re.compile(r"^\s*```(?:json)?\s*|\s*```\s*$")


class Unreadable(Exception):
    """What the model wrote has not the shape asked for; the text says how, for the log."""


class Stopped(Exception):
    """The call was stopped by whoever asked."""


class TooSlow(Stopped):
    """The time it was given was over."""


def ask(
    messages: Sequence[Mapping[str, Any]],
    shape: type[Shape],
    *,
    model: str,
    seed: int = 0,
    temperature: float = 0.0,
    most_tokens: int = 400,
    stop_when: Callable[[], bool] = lambda: False,
    seconds: float | None = None,
) -> Shape:
    """One answer of that shape, thinking off, as background work.

    With `seconds` somebody waits for it: it goes before background work, and is broken off as soon
    as they are over or `stop_when` says so, in a thread of its own, though nothing be written yet.
    Raises Unreadable, Stopped when `stop_when` says so between two pieces, and client.ModelError.
    """
    sent = sum(len(str(message.get("content", ""))) for message in messages)
    window = max(WINDOW, sent // CHARACTERS_A_TOKEN + most_tokens + LEAST_ROOM)
    options = {
        "temperature": temperature,
        "seed": seed,
        "num_predict": most_tokens,
        "num_ctx": window,
    }
    call = client.chat(
        messages, model=model, options=options, format=schema(shape), background=seconds is None
    )
    text = ""
    with _watched(call, stop_when, seconds) as late:
        for piece in call:
            text += piece.content
            if stop_when():
                call.stop()
                raise Stopped
    if call.stopped:
        raise TooSlow if late.is_set() else Stopped
    if call.ended_by == "length":
        raise Unreadable("cut off at the end of its budget")
    return read(text, shape)


@contextmanager
def _watched(
    call: client.Call, stop_when: Callable[[], bool], seconds: float | None
) -> Iterator[threading.Event]:
    """Hang up when the time is over, which sets the event, or when nobody waits any more."""
    late, over = threading.Event(), threading.Event()
    if seconds is None:
        yield late
        return
    until = time.monotonic() + seconds

    def watch() -> None:
        while not over.wait(LOOK_EVERY):
            if time.monotonic() > until:
                late.set()
            if late.is_set() or stop_when():
                return call.stop()
        return None

    watching = threading.Thread(target=watch, daemon=True, name="watch the model")
    watching.start()
    try:
        yield late
    finally:
        over.set()
        watching.join()


def read(text: str, shape: type[Shape]) -> Shape:
    """The answer as that shape: fences and chatter around the JSON are dropped.

    Raises Unreadable.
    """
    bare = FENCE.sub("", text).strip()
    begin, end = bare.find("{"), bare.rfind("}")
    if begin < 0 or end < begin:
        raise Unreadable("no JSON object in it")
    try:
        return shape.model_validate(json.loads(bare[begin : end + 1], strict=False))
    except ValidationError as fault:
        where = ".".join(str(place) for place in fault.errors()[0]["loc"])
        raise Unreadable(f"{where}: {fault.errors()[0]['msg']}") from None
    except (ValueError, RecursionError) as fault:
        raise Unreadable(f"not JSON: {fault}") from None


def schema(shape: type[BaseModel], *, descriptions: bool = False) -> dict[str, Any]:
    """The JSON schema without titles, and without descriptions, which a server has no use for."""
    dropped = ("title",) if descriptions else ("title", "description")

    def bare(node: Any) -> Any:
        if isinstance(node, dict):
            kept = {k: bare(v) for k, v in node.items() if k not in dropped}
            # A property may itself be called "title".
            if isinstance(node.get("properties"), dict):
                kept["properties"] = {k: bare(v) for k, v in node["properties"].items()}
            return kept
        return [bare(each) for each in node] if isinstance(node, list) else node

    made: dict[str, Any] = bare(shape.model_json_schema())
    return made
