"""A GGUF model in memory, through xllamacpp."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import xllamacpp

from apps.llm.bundled.memory import give_back
from apps.llm.bundled.outcome import Cancelled, EngineError, Outcome, TooLong
from apps.llm.bundled.queue import never

BATCH = 32  # tokens read between two looks at "is the client gone?": up to a second on two cores
PROMPT_CACHE_MIB = 256  # read prompts kept, so that chat and background work don't evict each other


class Llama:
    """A loaded model. One generation at a time; the caller sees to that (`Slot`)."""

    def __init__(self, path: Path, num_ctx: int, threads: int) -> None:
        self.num_ctx = num_ctx
        self._folder = tempfile.TemporaryDirectory(prefix="llm-")
        params = xllamacpp.CommonParams()
        params.model.path = str(path)
        params.n_ctx, params.n_parallel = num_ctx, 1
        params.n_batch = params.n_ubatch = BATCH
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
        params.cache_ram_mib = PROMPT_CACHE_MIB
        params.force_pure_content_parser = True  # tool calls are read by tool_calls.py
        params.warmup, params.ui, params.verbosity = False, False, -1
        # The library insists on listening. A socket in a private folder keeps a second, unguarded
        # door off the network.
        params.hostnames = [str(Path(self._folder.name) / "llama.sock")]
        self._server = xllamacpp.Server(params)

    def close(self) -> None:
        """Unload, and give the memory back to the system."""
        self._server = None
        give_back()
        self._folder.cleanup()

    def generate(
        self,
        body: dict[str, Any],
        on_text: Callable[[str], None],
        gone: Callable[[], bool] = never,
        limit: int | None = None,
    ) -> Outcome:
        """Run `body`, an OpenAI-style request with "messages" or "prompt"; hand on each piece.

        `limit` counts prompt and answer together. Raises TooLong before the first piece,
        Cancelled as soon as `gone()` (also while the prompt is being read), EngineError where
        the library refuses.
        """
        limit = min(limit or self.num_ctx, self.num_ctx)
        outcome = Outcome()
        failure: list[BaseException] = []

        def on_chunk(chunk: dict[str, Any]) -> bool:
            """True stops the generation."""
            try:
                return _take(chunk, outcome, on_text, gone, limit)
            except BaseException as exception:  # it would be lost inside the library
                failure.append(exception)
                return True

        chat = "messages" in body
        run = self._server.handle_chat_completions if chat else self._server.handle_completions
        asked = {**body, "stream": True, "return_progress": True, "cache_prompt": True}
        refused = run(asked, on_chunk)
        if isinstance(refused, dict) and "error" in refused:
            _refuse(refused["error"])
        if failure:
            raise failure[0]
        return outcome


def _take(
    chunk: dict[str, Any],
    outcome: Outcome,
    on_text: Callable[[str], None],
    gone: Callable[[], bool],
    limit: int,
) -> bool:
    """Note what one chunk of the engine says; True when the answer must end here."""
    if "error" in chunk:
        _refuse(chunk["error"])
    if gone():
        raise Cancelled
    if progress := chunk.get("prompt_progress"):
        outcome.prompt_tokens = progress["total"]
        if progress["total"] > limit:
            raise TooLong(progress["total"], limit)
    for choice in chunk.get("choices", ()):
        if text := choice.get("text") or (choice.get("delta") or {}).get("content"):
            outcome.tokens += 1
            on_text(text)
        if choice.get("finish_reason"):
            outcome.reason = "length" if choice["finish_reason"] == "length" else "stop"
    if timings := chunk.get("timings"):
        outcome.prompt_tokens = timings["cache_n"] + timings["prompt_n"]
        outcome.prompt_ns = int(timings["prompt_ms"] * 1e6)
        outcome.tokens = timings["predicted_n"]
        outcome.tokens_ns = int(timings["predicted_ms"] * 1e6)
    elif outcome.prompt_tokens + outcome.tokens >= limit:
        outcome.reason = "length"
        return True
    return False


def _refuse(error: dict[str, Any]) -> NoReturn:
    if error.get("type") == "exceed_context_size_error":
        raise TooLong(error["n_prompt_tokens"], error["n_ctx"])
    raise EngineError(error.get("message", json.dumps(error)))
