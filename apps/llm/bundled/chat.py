"""/api/chat and /api/generate."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NoReturn

from apps.llm.bundled import extractive, tool_calls
from apps.llm.bundled.grammar import grammar, schema_of
from apps.llm.bundled.options import Message, Refusal, fitted, sampling, seconds, window
from apps.llm.bundled.outcome import Outcome
from apps.llm.bundled.slot import KEEP_ALIVE
from apps.llm.bundled.state import State
from apps.llm.bundled.store import Model

if TYPE_CHECKING:
    from apps.llm.bundled.llama import Llama
    from apps.llm.bundled.web import Request

Shape = Callable[[str, dict[str, Any]], dict[str, Any]]
ROLES = ("system", "user", "assistant", "tool")
LIVES = 10.0  # seconds without a word, after which a row without one tells that it is at work
NO_IMAGES = "this model is missing data required for image input"


def chat(state: State, request: "Request") -> None:
    """Answer a conversation, as NDJSON or in one piece."""
    body = request.body
    model = state.model(body.get("model"))
    messages = _messages(body.get("messages"))
    functions = tool_calls.checked(body.get("tools"))
    _check_abilities(model, body, "chat")
    if functions and "tools" not in model.capabilities:
        raise Refusal(400, f"{model.name} does not support tools")
    answer = Answer(request, _as_message)
    if not messages:
        return _load_or_unload(state, request, model, answer)
    return _write(state, request, model, answer, messages, functions)


def generate(state: State, request: "Request") -> None:
    """Answer a single prompt."""
    body = request.body
    model = state.model(body.get("model"))
    _check_abilities(model, body, "generate")
    if body.get("suffix"):
        raise Refusal(400, f"{model.name} does not support insert")
    answer = Answer(request, _as_response)
    prompt, system = body.get("prompt") or "", body.get("system")
    if not prompt:
        return _load_or_unload(state, request, model, answer)
    if body.get("raw"):
        if system or body.get("template") or body.get("context"):
            raise Refusal(400, "raw mode does not support template, system, or context")
        return _write(state, request, model, answer, prompt, [])
    asked = [{"role": "system", "content": system}] if system else []
    messages = _messages([*asked, {"role": "user", "content": prompt}])
    return _write(state, request, model, answer, messages, [])


def _as_message(text: str, more: dict[str, Any]) -> dict[str, Any]:
    return {"message": {"role": "assistant", "content": text, **more}}


def _as_response(text: str, more: dict[str, Any]) -> dict[str, Any]:
    return {"response": text, **more}


def _messages(given: object) -> list[Message]:
    if given is None:
        return []
    if not isinstance(given, list) or not all(isinstance(message, dict) for message in given):
        _misshapen("messages of type []api.Message")
    found = []
    for message in given:
        role, content = message.get("role"), message.get("content") or ""
        if role not in ROLES:
            raise Refusal(400, f'invalid role: "{role}"')
        if not isinstance(content, str):
            _misshapen("messages.content of type string")
        if message.get("images"):
            raise Refusal(400, NO_IMAGES)
        found.append({**message, "content": content})
    return found


def _misshapen(what: str) -> NoReturn:
    raise Refusal(400, f"json: cannot unmarshal into Go struct field ChatRequest.{what}")


def _check_abilities(model: Model, body: dict[str, Any], what: str) -> None:
    if "completion" not in model.capabilities:
        raise Refusal(400, f'"{body["model"]}" does not support {what}')
    if body.get("think"):
        raise Refusal(400, f'"{body["model"]}" does not support thinking')
    if body.get("images"):
        raise Refusal(400, NO_IMAGES)


def _load_or_unload(state: State, request: "Request", model: Model, answer: "Answer") -> None:
    keep = seconds(request.body.get("keep_alive"), KEEP_ALIVE)
    limit = window(request.options, model.context_length)
    if not model.built_in and keep == 0:
        state.llm.unload(model)
    elif not model.built_in:
        with state.llm.use(model, limit, keep, gone=request.gone):
            pass
    reason = "unload" if keep == 0 else "load"
    request.json(200, answer.row("", {}, done=True, done_reason=reason))


def _write(
    state: State,
    request: "Request",
    model: Model,
    answer: "Answer",
    prompt: list[Message] | str,
    functions: list[dict[str, Any]],
) -> None:
    """Generate from messages (or a raw prompt) and send what is written."""
    if model.is_extractive:
        return _extract(answer, prompt)
    body = request.body
    asked = sampling(request.options)
    limit = room = window(request.options, model.context_length)
    if (schema := schema_of(body.get("format"))) is not None:
        asked["grammar"] = grammar(schema)
    if functions:
        room = max(limit or 0, min(tool_calls.ROOM, model.context_length))
    keep = seconds(body.get("keep_alive"), KEEP_ALIVE)
    with state.llm.use(model, room, keep, request.background, answer.gone) as (engine, load_ns):
        answer.load_ns = load_ns
        if functions and isinstance(prompt, list):
            chosen: list[str] = []
            decision = tool_calls.decision(prompt, functions)
            outcome = engine.generate(decision, chosen.append, answer.gone)
            if call := tool_calls.call_in("".join(chosen), prompt):
                return answer.finish(outcome, [call])
        outcome = _generate(engine, request, answer, prompt, asked, limit)
    return answer.finish(outcome)


def _generate(
    engine: "Llama",
    request: "Request",
    answer: "Answer",
    prompt: list[Message] | str,
    asked: dict[str, Any],
    limit: int | None,
) -> Outcome:
    def run(given: list[Message]) -> Outcome:
        words = {"messages": given} if isinstance(prompt, list) else {"prompt": prompt}
        return engine.generate({**words, **asked}, answer.add, answer.gone, limit)

    if isinstance(prompt, list):
        return fitted(tool_calls.told(prompt), run, request.body.get("truncate") is not False)
    return fitted([{"role": "user", "content": prompt}], run, truncate=False)


def _extract(answer: "Answer", prompt: list[Message] | str) -> None:
    """Answer with the model that has no weights."""
    messages = prompt if isinstance(prompt, list) else [{"role": "user", "content": prompt}]
    text = extractive.answer(messages)
    first, *rest = text.split(" ")
    for piece in (first, *(f" {word}" for word in rest)):
        answer.add(piece)
    read = sum(len(message["content"].split()) for message in messages)
    answer.finish(Outcome(tokens=1 + len(rest), prompt_tokens=read))


class Answer:
    """Sends the rows of one answer: each piece as it comes, or all of it at the end."""

    def __init__(self, request: "Request", shape: Shape) -> None:
        self.load_ns = 0
        self._streaming = request.body.get("stream") is not False
        self._request, self._shape = request, shape
        self._pieces: list[str] = []
        self._started = time.perf_counter_ns()
        self._told = time.monotonic()

    def row(self, text: str, more: dict[str, Any], *, done: bool, **tail: Any) -> dict[str, Any]:
        """One object of the answer."""
        return {
            "model": self._request.body["model"],
            "created_at": datetime.now(UTC).isoformat().replace("+00:00", "Z"),
            **self._shape(text, more),
            "done": done,
            **tail,
        }

    def gone(self) -> bool:
        """Has the client hung up?

        One who waits, for a turn or for a long prompt to be read, is told now and then that this
        is no silence: by an empty row, which every client of the protocol passes over.
        """
        if self._request.gone():
            return True
        now = time.monotonic()
        if self._streaming and now - self._told > LIVES:
            self._told = now
            self._request.line(self.row("", {}, done=False))
        return False

    def add(self, piece: str) -> None:
        """A piece of text was written."""
        if piece:
            self._pieces.append(piece)
            if self._streaming:
                self._request.line(self.row(piece, {}, done=False))
                self._told = time.monotonic()

    def finish(self, outcome: Outcome, calls: list[dict[str, Any]] | None = None) -> None:
        """The end: tool calls if there are any, then what it cost."""
        cost = {
            "done_reason": outcome.reason,
            "total_duration": time.perf_counter_ns() - self._started,
            "load_duration": self.load_ns,
            "prompt_eval_count": outcome.prompt_tokens,
            "prompt_eval_duration": outcome.prompt_ns,
            "eval_count": outcome.tokens,
            "eval_duration": outcome.tokens_ns,
        }
        called = {"tool_calls": calls} if calls else {}
        if not self._streaming:
            return self._request.json(
                200, self.row("".join(self._pieces), called, done=True, **cost)
            )
        if called:
            self._request.line(self.row("", called, done=False))
        return self._request.line(self.row("", {}, done=True, **cost))
