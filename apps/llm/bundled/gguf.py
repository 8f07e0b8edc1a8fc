"""Reads the head of a GGUF file: what the model says about itself, without loading it."""

import struct
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO

_PLAIN = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_QUANTISATIONS = {
    0: "F32",
    1: "F16",
    2: "Q4_0",
    3: "Q4_1",
    7: "Q8_0",
    8: "Q5_0",
    9: "Q5_1",
    10: "Q2_K",
    11: "Q3_K_S",
    12: "Q3_K_M",
    13: "Q3_K_L",
    14: "Q4_K_S",
    15: "Q4_K_M",
    16: "Q5_K_S",
    17: "Q5_K_M",
    18: "Q6_K",
    32: "BF16",
}
MOST_KEYS = 10_000
LONGEST_TEXT = 1 << 24


_reading = Lock()


class NotGguf(ValueError):
    """The file is no readable GGUF."""


def metadata(path: Path) -> dict[str, Any]:
    """Key to value for every scalar and string; arrays (vocabularies) come back as None."""
    stat = path.stat()
    with _reading:  # who asks for the same file meanwhile finds it read
        return dict(_metadata(path, stat.st_size, stat.st_mtime_ns))


@lru_cache(maxsize=32)
def _metadata(path: Path, _size: int, _changed: int) -> tuple[tuple[str, Any], ...]:
    try:
        with path.open("rb") as file:
            if file.read(4) != b"GGUF":
                raise NotGguf("no GGUF signature")
            version, _tensors, count = struct.unpack("<IQQ", file.read(20))
            if version < 2 or count > MOST_KEYS:
                raise NotGguf(f"unknown GGUF version {version}")
            return tuple(
                (_text(file), _value(file, *struct.unpack("<I", file.read(4))))
                for _ in range(count)
            )
    except (struct.error, MemoryError, OverflowError) as error:
        raise NotGguf(str(error)) from error


def _text(file: BinaryIO) -> str:
    (length,) = struct.unpack("<Q", file.read(8))
    if length > LONGEST_TEXT:
        raise NotGguf("a text of impossible length")
    return file.read(length).decode("utf-8", "replace")


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == _STRING:
        return _text(file)
    if kind == _ARRAY:
        return _pass_over(file)
    if kind not in _PLAIN:
        raise NotGguf(f"unknown value type {kind}")
    form = "<" + _PLAIN[kind]
    return struct.unpack(form, file.read(struct.calcsize(form)))[0]


def _pass_over(file: BinaryIO) -> None:
    """Move behind an array."""
    inner, length = struct.unpack("<IQ", file.read(12))
    if inner == _STRING:
        for _ in range(length):
            (size,) = struct.unpack("<Q", file.read(8))
            file.seek(size, 1)
    elif inner in _PLAIN:
        file.seek(length * struct.calcsize(_PLAIN[inner]), 1)
    else:
        raise NotGguf("nested arrays")


def quantisation(info: dict[str, Any]) -> str:
    """ "Q4_K_M" and the like, "unknown" where the file does not say."""
    return _QUANTISATIONS.get(info.get("general.file_type", -1), "unknown")
