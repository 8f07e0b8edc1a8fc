"""Ask a model for one thing of a given shape, and get that or a reason.

The shape is a pydantic model: its JSON schema constrains what the server lets the model write
(Ollama's `format`; the bundled server makes a grammar of it), and validates what came. Repairs are
structural only, the words stay the model's.
"""

import contextvars
import json
import math
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from apps.llm import client

WINDOW = 4096  # tokens, question and answer together
LEAST_ROOM = 64  # tokens kept between what is sent and the end of the window
CHARACTERS_A_TOKEN = 3  # a careful guess for German and English alike
# Seconds between two looks at whether it is still wanted: by somebody who waits, by a job.
LOOK_EVERY, LOOK_SELDOM = 0.1, 0.5
Heard = str | BaseException | None  # a piece, what went wrong, the end
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
    as they are over. Raises Unreadable, client.ModelError, and Stopped as soon as `stop_when` says
    so, though nothing be written yet.
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
    text = _heard(call, stop_when, seconds)
    if call.ended_by == "length":
        raise Unreadable("cut off at the end of its budget")
    return read(text, shape)


def _heard(call: client.Call, stop_when: Callable[[], bool], seconds: float | None) -> str:
    """All that the model says; while it is silent, too, somebody looks whether that is wanted.

    The model is listened to in another thread. The looking stays in the caller's, whose database
    connection `stop_when` may use.
    """
    said: SimpleQueue[Heard] = SimpleQueue()

    def listen() -> None:
        try:
            for piece in call:
                said.put(piece.content)
            said.put(None)
        except BaseException as error:
            said.put(error)

    ours = contextvars.copy_context()  # the language, and whose act it is
    threading.Thread(target=ours.run, args=(listen,), daemon=True, name="hear the model").start()
    every = LOOK_SELDOM if seconds is None else LOOK_EVERY
    began, looked, text = time.monotonic(), -math.inf, ""
    try:
        while (piece := _next(said, every)) is not None:
            if isinstance(piece, BaseException):
                raise piece
            text += piece
            now = time.monotonic()
            if seconds is not None and now - began > seconds:
                raise TooSlow
            if now - looked >= every:
                looked = now
                if stop_when():
                    raise Stopped
    finally:
        call.stop()  # the server stops writing, too
    return text


def _next(said: SimpleQueue[Heard], seconds: float) -> Heard:
    """What comes next, "" where nothing does for so long."""
    try:
        return said.get(timeout=seconds)
    except Empty:
        return ""


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
