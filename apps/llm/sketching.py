"""Texts token by token: what the bundled embedder tells beside a vector, and no other does.

A passage becomes a sketch, small enough to be kept: a row of bits for every two tokens, each bit
the sign of a number. A question becomes rows of numbers, to be compared with sketches.
"""

from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx
import numpy as np
import ollama

from apps.llm import client
from apps.llm.client import BATCH, BUNDLED_EMBEDDER, Vectors


@dataclass(frozen=True, slots=True)
class Wording:
    """A question token by token."""

    rows: Vectors  # one of length one for each token
    of: tuple[int, ...]  # the place of the word that each token is of
    words: tuple[str, ...]


def draws(model: str) -> bool:
    """Whether passages of this embedding model can have a sketch."""
    return model == BUNDLED_EMBEDDER


def sketched(texts: Sequence[str], *, model: str) -> tuple[Vectors, list[bytes]]:
    """Vectors of passages, and sketches of their tokens: b"" of a model that draws none.

    A sketch has dimensions/8 bytes a row. Raises ModelError.
    """
    rows: list[list[float]] = []
    sketches: list[bytes] = []
    for start in range(0, len(texts), BATCH):
        part = [client.storable(text) for text in texts[start : start + BATCH]]
        answer = _ask({"model": model, "input": part}, background=True)
        if answer is None:
            return client.embed(texts, "passage", model=model), [b""] * len(texts)
        rows += answer["embeddings"]
        sketches += [b64decode(each) for each in answer["sketches"]]
    if len(rows) != len(texts):
        raise client.ModelError(f"{model} gave {len(rows)} vectors for {len(texts)} texts.")
    return np.asarray(rows, np.float32).reshape(len(rows), -1 if rows else 0), sketches


def wording(question: str, *, model: str) -> Wording | None:
    """The tokens of a question; None of a model that shows none. Raises ModelError."""
    asked = {"model": model, "input": [], "question": client.storable(question)}
    answer = _ask(asked, background=False)
    if not answer or not answer["of"]:
        return None
    rows = np.frombuffer(b64decode(answer["rows"]), "<f2").reshape(len(answer["of"]), -1)
    return Wording(np.asarray(rows, np.float32), tuple(answer["of"]), tuple(answer["words"]))


def _ask(body: dict[str, Any], *, background: bool) -> dict[str, Any] | None:
    """What the bundled server says; None where another one answers."""
    if not draws(body["model"]):
        return None
    with client.told(BUNDLED_EMBEDDER), client.http(background=background) as server:
        answer = server.post("/vault/sketch", json=body)
        if answer.status_code in (httpx.codes.NOT_FOUND, httpx.codes.METHOD_NOT_ALLOWED):
            return None
        if answer.is_error:
            raise ollama.ResponseError(answer.json().get("error", ""), answer.status_code)
        found: dict[str, Any] = answer.json()
        return found
