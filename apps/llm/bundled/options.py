"""From Ollama's words to llama.cpp's: options, durations, and a conversation cut to its window."""

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from apps.llm.bundled.outcome import TooLong

Message = dict[str, Any]
T = TypeVar("T")


class Refusal(Exception):
    """An answer of `{"error": text}` with that HTTP status."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status, self.text = status, text


_NUMBERS = (
    *("temperature", "top_p", "min_p", "typical_p"),
    *("repeat_penalty", "presence_penalty", "frequency_penalty"),
)
_INTEGERS = ("top_k", "seed", "repeat_last_n", "num_ctx", "num_predict")
# Ollama's own defaults, but no repeat penalty: it breaks JSON and names, which repeat by nature.
_DEFAULTS = {"temperature": 0.8, "top_k": 40, "top_p": 0.9, "min_p": 0.0, "repeat_penalty": 1.0}


def sampling(options: Mapping[str, Any]) -> dict[str, Any]:
    """The part of an llama.cpp request that says how to choose words.

    Unknown options are passed over, as Ollama does.
    """
    chosen: dict[str, Any] = dict(_DEFAULTS)
    for key in _NUMBERS:
        if options.get(key) is not None:
            chosen[key] = _number(key, options[key])
    for key in _INTEGERS:
        if options.get(key) is not None:
            chosen[key] = _whole(key, options[key])
    chosen.pop("num_ctx", None)
    longest = chosen.pop("num_predict", -1)
    if longest > 0:
        chosen["max_tokens"] = longest
    stop = options.get("stop")
    if stop:
        chosen["stop"] = [stop] if isinstance(stop, str) else [str(word) for word in stop]
    return chosen


def window(options: Mapping[str, Any], most: int) -> int | None:
    """num_ctx as asked for, at most what the model can do; None where not asked for."""
    if options.get("num_ctx") is None:
        return None
    return max(16, min(_whole("num_ctx", options["num_ctx"]), most))


def _number(key: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Refusal(400, f'option "{key}" must be of type float32')
    return value


def _whole(key: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        raise Refusal(400, f'option "{key}" must be of type integer')
    return int(value)


_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_STEP = r"(\d+\.?\d*)(ns|us|µs|ms|s|m|h)"


def seconds(value: object, default: float) -> float:
    """keep_alive in seconds: a number, or text as Go writes durations. Negative is for ever."""
    if value is None or value == "":
        return default
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float("inf") if value < 0 else float(value)
    match = re.fullmatch(rf"([+-]?)((?:{_STEP})+|0)", str(value))
    if match:
        total = sum(float(n) * _UNITS[unit] for n, unit in re.findall(_STEP, match[2]))
        return float("inf") if match[1] == "-" and total else total
    if not re.fullmatch(r"[+-]?\d+", str(value)):
        raise Refusal(400, f'time: invalid duration "{value}"')
    if str(value).startswith("-"):
        return float("inf")
    raise Refusal(400, f'time: missing unit in duration "{value}"')


def fitted(messages: list[Message], run: Callable[[list[Message]], T], truncate: bool = True) -> T:
    """Call `run(messages)`; while that is too long, leave out the oldest and try again.

    System messages and the last message always stay, as in Ollama. What even then does not fit
    is refused.
    """
    kept = list(messages)
    while True:
        try:
            return run(kept)
        except TooLong as long:
            fewer = _without_oldest(kept, long)
            if not truncate or len(fewer) == len(kept):
                raise Refusal(400, str(long)) from long
            kept = fewer


def _without_oldest(messages: list[Message], long: TooLong) -> list[Message]:
    """The messages without about as many of the oldest as are too much."""
    letters = sum(len(message["content"]) + 16 for message in messages)
    excess = letters * (long.tokens - long.limit) / long.tokens
    dropped = set[int]()
    for i, message in enumerate(messages[:-1]):
        if message["role"] != "system" and (excess > 0 or not dropped):
            dropped.add(i)
            excess -= len(message["content"]) + 16
    return [message for i, message in enumerate(messages) if i not in dropped]
