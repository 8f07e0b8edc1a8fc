"""A model server that speaks Ollama's protocol and says what a test told it to.

It is a real HTTP server on a real port: the code under test opens a socket, sends JSON and reads
lines, exactly as in production. It refuses what Ollama refuses: unknown fields, missing models,
tools and thinking where the model has no such ability.

    ollama.says("Be", "cause [1].")                  one answer, in two pieces
    ollama.thinks("Hm.").says("Because [1].")        one answer that begins with a thought
    ollama.calls("search_library", question="tides") one answer that wants a tool used
    ollama.breaks_off_after("half an")               one answer that ends in the middle
    ollama.embeds("some text")                       the vector it gives for a text
    ollama.heard                                     every request: path and body
"""

import hashlib
import json
import select
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from tests.fake_models import DIMENSIONS, FakeModel, vector

CHAT, THINKER, EMBEDDER = "fake:latest", "thinker:latest", "embeddinggemma:latest"
FIELDS = {
    "/api/chat": {
        *("model", "messages", "tools", "stream", "think", "format", "options", "keep_alive"),
        *("truncate", "logprobs", "top_logprobs"),
    },
    "/api/embed": {
        *("model", "input", "truncate", "options", "keep_alive", "dimensions"),
    },
    "/api/show": {"model", "name", "verbose"},
    "/api/pull": {"model", "name", "insecure", "stream"},
    "/api/delete": {"model", "name"},
}
MESSAGE_FIELDS = {
    *("role", "content", "thinking", "images", "tool_calls", "tool_name", "tool_call_id"),
}
ROLES = {"system", "user", "assistant", "tool"}


@dataclass
class Heard:
    """A request that reached the server."""

    path: str
    body: dict[str, Any]


@dataclass
class Script:
    """What one answer does, act by act."""

    acts: list["Callable[[Speaker], None]"] = field(default_factory=list)
    whole: bool = True

    def says(self, *pieces: str, every: float = 0) -> Self:
        return self._lines("content", pieces, every)

    def thinks(self, *pieces: str, every: float = 0) -> Self:
        return self._lines("thinking", pieces, every)

    def calls(self, name: str, **arguments: object) -> Self:
        function = {"function": {"name": name, "arguments": arguments}}
        message = {"role": "assistant", "content": "", "tool_calls": [function]}
        self.acts.append(lambda speaker: speaker.row(message))
        return self

    def waits(self, seconds: float) -> Self:
        self.acts.append(lambda speaker: speaker.pause(lambda: False, seconds))
        return self

    def holds(self, until: threading.Event) -> Self:
        """Say nothing until the test says so."""
        self.acts.append(lambda speaker: speaker.pause(until.is_set, 30))
        return self

    def fails(self, reason: str) -> Self:
        """Report an error in the middle of the stream, as Ollama does: under status 200."""
        self.acts.append(lambda speaker: speaker.line({"error": reason}))
        self.whole = False
        return self

    def breaks_off_after(self, *pieces: str) -> Self:
        """Say that, and die in the middle of the next line."""
        self._lines("content", pieces, 0)
        self.acts.append(lambda speaker: speaker.chunk(b'{"model":"fake","mess'))
        self.whole = False
        return self

    def _lines(self, name: str, pieces: tuple[str, ...], every: float) -> Self:
        for piece in pieces:
            if every:
                self.waits(every)
            message = {"role": "assistant", "content": "", name: piece}
            self.acts.append(lambda speaker, message=message: speaker.row(message))
        return self


class FakeOllama(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Speaker)
        self.scripts: deque[Script] = deque()
        self.heard: list[Heard] = []
        self.hung_up: list[float] = []  # when a caller left before the end
        self.models: dict[str, FakeModel] = {}
        self.pulls_on = threading.Event()  # while it is not set, a download stands still
        self.pulls_on.set()
        self.has(CHAT, "completion", "tools")
        self.has(THINKER, "completion", "tools", "thinking", size=1_000_000_000)
        self.has(EMBEDDER, "embedding", size=600_000_000)
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def has(self, name: str, *abilities: str, **more: Any) -> None:
        """Install a model."""
        full = name if ":" in name else f"{name}:latest"
        self.models[full] = FakeModel(full, list(abilities), **more)

    def lacks(self, name: str) -> None:
        """Remove a model."""
        del self.models[name if ":" in name else f"{name}:latest"]

    def answer(self) -> Script:
        """The next answer, still empty."""
        self.scripts.append(Script())
        return self.scripts[-1]

    def says(self, *pieces: str, every: float = 0) -> Script:
        return self.answer().says(*pieces, every=every)

    def thinks(self, *pieces: str, every: float = 0) -> Script:
        return self.answer().thinks(*pieces, every=every)

    def calls(self, name: str, **arguments: object) -> Script:
        return self.answer().calls(name, **arguments)

    def breaks_off_after(self, *pieces: str) -> Script:
        return self.answer().breaks_off_after(*pieces)

    def embeds(self, text: str, dimensions: int = DIMENSIONS) -> list[float]:
        """The vector for a text: the same each time, and near to that of texts of like words."""
        return vector(text, dimensions)

    @property
    def asked(self) -> list[dict[str, Any]]:
        """The bodies of the chat requests, in order."""
        return [heard.body for heard in self.heard if heard.path == "/api/chat"]

    def handle_error(self, request: object, client_address: object) -> None:
        pass  # the caller's hanging up is noted in `hung_up`


class Refused(Exception):
    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


class Speaker(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: FakeOllama
    begun: bool

    def do_GET(self) -> None:
        entries = [model.entry for model in self.server.models.values()]
        found: dict[str, Any] = {
            "/api/version": {"version": "0.12.0"},
            "/api/tags": {"models": entries},
            "/api/ps": {"models": [{**e, "size_vram": 0, "context_length": 4096} for e in entries]},
        }
        if self.path in found:
            self._json(200, found[self.path])
        else:
            self._json(404, {"error": "404 page not found"})

    def do_POST(self) -> None:
        self.begun = False
        try:
            body = self._body()
            self.server.heard.append(Heard(self.path, body))
            acts = {
                "/api/chat": self._chat,
                "/api/embed": self._embed,
                "/api/show": self._show,
                "/api/pull": self._pull,
            }
            acts[self.path](body)
        except Refused as refused:
            self._json(refused.status, {"error": refused.reason})
        except OSError:
            self.server.hung_up.append(time.monotonic())
            self.close_connection = True

    def do_DELETE(self) -> None:
        try:
            body = self._body()
            self.server.heard.append(Heard(self.path, body))
            del self.server.models[self._model(body).name]
            self._json(200, None)
        except Refused as refused:
            self._json(refused.status, {"error": refused.reason})

    # --- the endpoints --------------------------------------------------------------------------
    def _chat(self, body: dict[str, Any]) -> None:
        model = self._model(body)
        self._check_messages(body.get("messages"))
        for wish, ability in (("tools", "tools"), ("think", "thinking")):
            if body.get(wish) and ability not in model.abilities:
                raise Refused(400, f'"{body["model"]}" does not support {ability}')
        if "completion" not in model.abilities:
            raise Refused(400, f'"{body["model"]}" does not support chat')
        form = body.get("format")
        if form and form != "json" and not (isinstance(form, dict) and form):
            raise Refused(400, f'invalid format: {form!r}; expected "json" or a JSON schema')
        try:
            script = self.server.scripts.popleft()
        except IndexError:
            raise Refused(500, "the test gave this server nothing to say") from None
        if body.get("stream", True):
            self._stream(script)
        else:
            self._in_one_piece(script)

    def _stream(self, script: Script) -> None:
        for act in script.acts:
            act(self)
        if script.whole:
            self.row({"role": "assistant", "content": ""}, done=True)
            self.wfile.write(b"0\r\n\r\n")
        self.close_connection = True

    def _in_one_piece(self, script: Script) -> None:
        listener = Listener(self)
        for act in script.acts:
            act(listener)
        if listener.error:
            raise Refused(500, listener.error)
        if not script.whole:
            self.close_connection = True
            return
        self._json(200, {"model": "fake", "message": listener.message, **_cost(), "done": True})

    def _embed(self, body: dict[str, Any]) -> None:
        model = self._model(body)
        given = body.get("input")
        texts = [given] if isinstance(given, str) else given or []
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise Refused(400, "invalid input type")
        if "embedding" not in model.abilities:
            raise Refused(400, f'"{body["model"]}" does not support embeddings')
        dimensions = body.get("dimensions") or model.dimensions
        vectors = [self.server.embeds(text, dimensions) for text in texts]
        self._json(200, {"model": body["model"], "embeddings": vectors, "prompt_eval_count": 1})

    def _show(self, body: dict[str, Any]) -> None:
        model = self._model(body)
        self._json(
            200,
            {
                "modelfile": "",
                "parameters": "",
                "template": "{{ .Prompt }}",
                "license": model.license,
                "details": model.entry["details"],
                "model_info": model.info,
                "capabilities": model.abilities,
                "modified_at": model.entry["modified_at"],
            },
        )

    def _pull(self, body: dict[str, Any]) -> None:
        name = body.get("model") or body.get("name") or ""
        if "nowhere" in name:
            self.line({"error": "pull model manifest: file does not exist"})
        else:
            digest = hashlib.sha256(name.encode()).hexdigest()
            part = {"status": f"pulling {digest[:12]}", "digest": f"sha256:{digest}", "total": 100}
            self.line({"status": "pulling manifest"})
            for completed in (0, 40, 80, 100):
                self.line({**part, "completed": completed})
                self.pause(self.server.pulls_on.is_set, 30)
            self.line({"status": "verifying sha256 digest"})
            self.line({"status": "writing manifest"})
            self.server.has(name, "completion")
            self.line({"status": "success"})
        self.wfile.write(b"0\r\n\r\n")

    # --- what is refused ------------------------------------------------------------------------
    def _body(self) -> dict[str, Any]:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if not raw:
            raise Refused(400, "missing request body")
        body: dict[str, Any] = json.loads(raw)
        if self.path not in FIELDS:
            raise Refused(404, "404 page not found")
        if unknown := set(body) - FIELDS[self.path]:
            raise Refused(400, f"unknown fields: {', '.join(sorted(unknown))}")
        if not isinstance(body.get("options") or {}, dict):
            raise Refused(400, "options must be an object")
        return body

    def _model(self, body: dict[str, Any]) -> FakeModel:
        name = body.get("model") or body.get("name")
        if not name:
            raise Refused(400, "model is required")
        found = self.server.models.get(name if ":" in name else f"{name}:latest")
        if found is None:
            raise Refused(404, f"model '{name}' not found")
        return found

    def _check_messages(self, messages: object) -> None:
        if not isinstance(messages, list):
            raise Refused(400, "messages must be a list")
        for message in messages:
            if message.get("role") not in ROLES:
                raise Refused(400, f'invalid role: "{message.get("role")}"')
            if unknown := set(message) - MESSAGE_FIELDS:
                raise Refused(400, f"unknown message fields: {', '.join(sorted(unknown))}")
            if not isinstance(message.get("content") or "", str):
                raise Refused(400, "content must be text")

    # --- sending --------------------------------------------------------------------------------
    def row(self, message: dict[str, Any], done: bool = False) -> None:
        cost = _cost() if done else {}
        self.line({"model": "fake", "message": message, "done": done, **cost})

    def line(self, row: dict[str, Any]) -> None:
        self.chunk(json.dumps({"created_at": "2026-01-01T00:00:00Z", **row}).encode() + b"\n")

    def chunk(self, data: bytes) -> None:
        if not self.begun:  # like Ollama: not even headers before the first word
            self.begun = True
            self.send_response(200)
            self.send_header("Content-Type", "application/x-ndjson")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def pause(self, over: Callable[[], bool], seconds: float) -> None:
        """Wait, but notice within 20 ms when the caller hangs up."""
        deadline = time.monotonic() + seconds
        while not over() and (left := deadline - time.monotonic()) > 0:
            readable, _, _ = select.select([self.connection], [], [], min(left, 0.02))
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                raise ConnectionAbortedError

    def _json(self, status: int, content: object) -> None:
        body = b"" if content is None else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


class Listener:
    """Collects a script's rows into the one message of an answer that is not streamed."""

    def __init__(self, speaker: Speaker) -> None:
        self.pause = speaker.pause
        self.message: dict[str, Any] = {"role": "assistant", "content": ""}
        self.error = ""

    def row(self, message: dict[str, Any], done: bool = False) -> None:
        for key, value in message.items():
            if key != "role":
                self.message[key] = self.message.get(key, type(value)()) + value

    def line(self, row: dict[str, Any]) -> None:
        self.error = row["error"]

    def chunk(self, data: bytes) -> None:
        pass


def _cost() -> dict[str, Any]:
    numbers = ("total_duration", "load_duration", "prompt_eval_count", "eval_count")
    return {"done_reason": "stop", **dict.fromkeys(numbers, 1)}
