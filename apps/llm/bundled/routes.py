"""The endpoints other than chat. Each takes the state and a request, answers or raises Refusal."""

import time
from base64 import b64encode
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from apps.llm.bundled import VERSION
from apps.llm.bundled.chat import chat, generate
from apps.llm.bundled.options import Refusal, seconds, window
from apps.llm.bundled.pulling import Pull
from apps.llm.bundled.queue import Left
from apps.llm.bundled.slot import FOREVER, KEEP_ALIVE
from apps.llm.bundled.state import State
from apps.llm.bundled.store import Model, full_name
from apps.outbound import guard, trying

if TYPE_CHECKING:
    from apps.llm.bundled.web import Request

NEVER = "2318-01-01T00:00:00Z"  # what `expires_at` says of a model that is to stay
NO_MANIFEST = "pull model manifest: file does not exist"


def version(state: State, request: "Request") -> None:
    """The protocol version spoken."""
    request.json(200, {"version": VERSION})


def tags(state: State, request: "Request") -> None:
    """The models that can be used now."""
    request.json(200, {"models": [model.entry() for model in state.store.all()]})


def ps(state: State, request: "Request") -> None:
    """The models in memory."""
    rows = []
    for loaded in (state.llm.loaded, state.vectors.loaded):
        if not loaded:
            continue
        until = loaded.expires_at
        rows.append(
            {
                **loaded.model.entry(),
                "size": _in_memory(loaded.model, loaded.num_ctx),
                "expires_at": NEVER if until == FOREVER else _time(until),
                "size_vram": 0,
                "context_length": loaded.num_ctx,
            }
        )
    request.json(200, {"models": rows})


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def _in_memory(model: Model, num_ctx: int) -> int:
    """The file, and what the window's keys and values take (16 bit each)."""
    info, arch = model.info, model.info.get("general.architecture")
    heads: int = info.get(f"{arch}.attention.head_count") or 0
    if not heads:
        return model.size
    kept: int = info.get(f"{arch}.attention.head_count_kv") or heads
    width: int = info[f"{arch}.embedding_length"] // heads * kept
    layers: int = info[f"{arch}.block_count"]
    return model.size + num_ctx * layers * width * 2 * 2


def _named(request: "Request") -> object:
    """The model's name; older clients call the field `name`."""
    return request.body.get("model") or request.body.get("name")


def show(state: State, request: "Request") -> None:
    """Everything known about one model."""
    model = state.model(_named(request))
    request.json(
        200,
        {
            "modelfile": f"FROM {model.name}\n",
            "parameters": "",
            "template": model.template,
            "license": model.license,
            "details": model.details(),
            "model_info": model.info,
            "capabilities": list(model.capabilities),
            "modified_at": model.modified_at,
        },
    )


def delete(state: State, request: "Request") -> None:
    """Remove a model from memory and disk."""
    model = state.model(_named(request))
    if model.built_in:
        raise Refusal(400, f"model '{model.name}' is part of the program and cannot be deleted")
    state.llm.unload(model)
    state.store.delete(model)
    request.json(200, None)


def embed(state: State, request: "Request") -> None:
    """Vectors for a text or a list of texts."""
    body, started = request.body, time.perf_counter_ns()
    given = body.get("input")
    texts = [given] if isinstance(given, str) and given else given or []
    vectors, tokens, load_ns = _vectors(state, request, texts)
    request.json(
        200,
        {
            "model": body["model"],
            "embeddings": vectors,
            "load_duration": load_ns,
            "total_duration": time.perf_counter_ns() - started,
            "prompt_eval_count": tokens,
        },
    )


def embeddings(state: State, request: "Request") -> None:
    """The older form: one prompt, one vector."""
    prompt = request.body.get("prompt") or ""
    vectors, _, _ = _vectors(state, request, [prompt] if prompt else [])
    request.json(200, {"embedding": vectors[0] if vectors else []})


def sketch(state: State, request: "Request") -> None:
    """Not of Ollama's: passages as vectors and as sketches of their tokens, or a question's tokens.

    A sketch has a bit for each number of each row, whether it is positive; rows are of tokens less
    what all tokens have in common.
    """
    from apps.llm.bundled.embedding import Gone

    body = request.body
    model, texts, question = state.model(body.get("model")), body.get("input"), body.get("question")
    if not model.is_embedder:
        raise Refusal(400, f'"{body["model"]}" does not support embeddings')
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise Refusal(400, "invalid input type")
    if not isinstance(question, str | None):
        raise Refusal(400, "invalid question type")
    keep = seconds(body.get("keep_alive"), KEEP_ALIVE)
    with state.vectors.share(model, keep, request.gone) as (embedder, _load_ns):
        try:
            if question is not None:
                rows, of, words = embedder.wording(question, request.gone)
                told = b64encode(rows.astype("<f2").tobytes()).decode()
                request.json(200, {"rows": told, "of": of, "words": words})
                return
            vectors, sketches = embedder.sketch(
                texts, background=request.background, gone=request.gone
            )
        except Gone:
            raise Left from None
    drawn = [b64encode(each).decode() for each in sketches]
    request.json(200, {"embeddings": vectors, "sketches": drawn})


def _vectors(state: State, request: "Request", texts: object) -> tuple[list[list[float]], int, int]:
    """The vectors, the tokens read, and the nanoseconds loading took."""
    from apps.llm.bundled.embedding import Gone, TextTooLong  # and numpy: only once wanted

    body = request.body
    model = state.model(body.get("model"))
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise Refusal(400, "invalid input type")
    if not model.is_embedder:
        raise Refusal(400, f'"{body["model"]}" does not support embeddings')
    wanted = body.get("dimensions")
    if wanted is not None and (not isinstance(wanted, int) or wanted < 0):
        raise Refusal(400, "dimensions must be a non-negative integer")
    window(request.options, model.context_length)  # refuses nonsense; the window is the model's
    keep = seconds(body.get("keep_alive"), KEEP_ALIVE)
    # The turn is taken only to load; the work is sliced inside, so no query waits for a batch.
    with state.vectors.share(model, keep, request.gone) as (embedder, load_ns):
        try:
            rows, tokens = embedder.embed(
                texts,
                truncate=body.get("truncate") is not False,
                dimensions=wanted,
                background=request.background,
                gone=request.gone,
            )
        except TextTooLong:
            raise Refusal(400, "the input length exceeds the context length") from None
        except Gone:
            raise Left from None
    return rows, tokens, load_ns


def pull(state: State, request: "Request") -> None:
    """Fetch a model of the catalogue."""
    name = _named(request)
    if not name or not isinstance(name, str):
        raise Refusal(400, "model is required")
    streaming = request.body.get("stream") is not False
    offer = state.offers.get(full_name(name))
    if offer is None and streaming:
        return request.line({"error": NO_MANIFEST})
    if offer is None:
        raise Refusal(500, NO_MANIFEST)
    download = state.pull(offer)
    try:
        last = _follow(download, request, streaming)
    finally:
        state.leave(download)
    if not streaming:
        request.json(500 if "error" in last else 200, last)
    return None


def _follow(download: Pull, request: "Request", streaming: bool) -> dict[str, Any]:
    """Send the rows as they come (of many progress rows, the newest); gives the last one."""
    seen, last = 0, dict[str, Any]()
    while True:
        fresh, ended = download.after(seen, seconds=0.3)
        seen += len(fresh)
        if request.gone():
            return last
        for row, following in zip(fresh, [*fresh[1:], {}], strict=False):
            last = row
            outdated = "digest" in row and following.get("digest") == row["digest"]
            if streaming and not outdated:
                request.line(row)
        if ended and not fresh:
            return last


def try_out(state: State, request: "Request") -> None:
    """Not of Ollama's: whether this server is refused when it tries to leave, for the self-test."""
    with guard.allowed(str(request.body.get("purpose", ""))):
        request.json(200, {"refused": trying.is_refused()})


Endpoint = Callable[[State, "Request"], None]
GET: dict[str, Endpoint] = {"/api/version": version, "/api/tags": tags, "/api/ps": ps}
POST: dict[str, Endpoint] = {
    "/api/show": show,
    "/api/chat": chat,
    "/api/generate": generate,
    "/api/embed": embed,
    "/api/embeddings": embeddings,
    "/api/pull": pull,
    "/vault/sketch": sketch,
    "/vault/try-out": try_out,
}
DELETE: dict[str, Endpoint] = {"/api/delete": delete}
# Ollama has these, this server does not.
ELSEWHERE = ("/api/create", "/api/copy", "/api/push", "/api/blobs", "/v1/")
