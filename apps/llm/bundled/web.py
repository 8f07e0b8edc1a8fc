"""HTTP on the loopback: a thread for each request, and an eye on whether the client is there."""

import json
import select
import socket
import sys
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from apps.llm.bundled import routes
from apps.llm.bundled.options import Refusal
from apps.llm.bundled.outcome import Cancelled, EngineError
from apps.llm.bundled.queue import Full, Left
from apps.llm.bundled.state import State

LARGEST = 64 << 20  # bytes of a request body
PATIENCE = 30  # seconds a client may take to accept what is sent, or to send what it promised
LOOPBACK = {"localhost", "127.0.0.1", "::1"}
BUSY = "server busy, please try again.  maximum pending requests exceeded"


class Server(ThreadingHTTPServer):
    """Listens on 127.0.0.1 only. Threads die with the process."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, port: int, state: State) -> None:
        super().__init__(("127.0.0.1", port), Request)
        self.state = state

    @property
    def address(self) -> str:
        """Where clients find it."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is no event; anything else goes to the log."""
        if not isinstance(sys.exc_info()[1], ConnectionError | TimeoutError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class Request(BaseHTTPRequestHandler):
    """One connection. Endpoints use `body`, `options`, `background`, `json`, `line`, `gone`."""

    protocol_version = "HTTP/1.1"
    server_version = "vault-models"
    timeout = PATIENCE
    disable_nagle_algorithm = True
    server: Server
    body: dict[str, Any]
    _streaming: bool

    def do_GET(self) -> None:
        self._answer(routes.GET)

    def do_HEAD(self) -> None:
        self._answer(routes.GET)

    def do_POST(self) -> None:
        self._answer(routes.POST)

    def do_DELETE(self) -> None:
        self._answer(routes.DELETE)

    def _answer(self, table: Mapping[str, Callable[[State, "Request"], None]]) -> None:
        self._streaming, self.body = False, {}
        try:
            self._guard()
            path = urlsplit(self.path).path
            if path == "/" and table is routes.GET:
                self._text(200, "Ollama is running")
            elif endpoint := table.get(path):
                if table is not routes.GET:
                    self._read()
                endpoint(self.server.state, self)
                if self._streaming:
                    self.wfile.write(b"0\r\n\r\n")
            else:
                self._unknown(path)
        except Refusal as refusal:
            self._fail(refusal.status, refusal.text)
        except Full:
            self._fail(503, BUSY)
        except (Left, Cancelled, ConnectionError, TimeoutError):
            self.close_connection = True
        except EngineError as error:
            self._fail(400, str(error))
        except Exception as error:  # the last net: one bad request must not silence the server
            self._fail(500, str(error) or type(error).__name__)

    def _guard(self) -> None:
        """Refuse web pages: a foreign Origin, or a host name that was bent to point here."""
        host = urlsplit(f"//{self.headers.get('Host', '')}").hostname
        origin = self.headers.get("Origin")
        if host not in LOOPBACK or (origin and urlsplit(origin).hostname not in LOOPBACK):
            self.close_connection = True
            raise Refusal(403, "forbidden")

    def _unknown(self, path: str) -> None:
        self.close_connection = True  # the body was not read
        if any(path in table for table in (routes.GET, routes.POST, routes.DELETE)):
            self._text(405, "405 method not allowed")
        elif path.startswith(routes.ELSEWHERE):
            raise Refusal(501, "not supported by the bundled server")
        else:
            self._text(404, "404 page not found")

    def _read(self) -> None:
        raw = self.rfile.read(self._length())
        if not raw.strip():
            raise Refusal(400, "missing request body")
        try:
            body = json.loads(raw)
            if b"\\ud" in raw.lower():  # half a surrogate pair is no text; all behind would stumble
                body = json.loads(json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"))
        except (ValueError, RecursionError) as error:
            raise Refusal(400, f"invalid JSON: {error}") from None
        if not isinstance(body, dict):
            raise Refusal(400, "json: cannot unmarshal into Go value of type api.Request")
        if not isinstance(body.get("options", {}), dict | None):
            field = "Go struct field .options of type map[string]interface {}"
            raise Refusal(400, f"json: cannot unmarshal into {field}")
        self.body = body

    def _length(self) -> int:
        if self.headers.get("Transfer-Encoding"):
            self.close_connection = True
            raise Refusal(411, "a body of known length is needed")
        try:
            length = int(self.headers.get("Content-Length") or 0)
        except ValueError:
            length = -1
        if length < 0:
            self.close_connection = True
            raise Refusal(400, "bad Content-Length")
        if length > LARGEST:
            self.close_connection = True
            raise Refusal(413, "http: request body too large")
        return length

    @property
    def options(self) -> dict[str, Any]:
        """The request's options, never None."""
        return self.body.get("options") or {}

    @property
    def background(self) -> bool:
        """True for work nobody waits for: header `X-Priority: background`, or option `priority`."""
        return "background" in (self.headers.get("X-Priority"), self.options.get("priority"))

    def gone(self) -> bool:
        """Has the client hung up?"""
        try:
            poll = select.poll()
            poll.register(self.connection, select.POLLIN | select.POLLHUP | select.POLLERR)
            if not poll.poll(0):
                return False
            peeked: bytes = self.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
            return peeked == b""
        except (BlockingIOError, InterruptedError):
            return False
        except (OSError, ValueError):
            return True

    def json(self, status: int, content: object) -> None:
        """Send one JSON object and the end of the answer."""
        raw = b"" if content is None else json.dumps(content, ensure_ascii=False).encode()
        self._head(status, "application/json; charset=utf-8", len(raw))
        if self.command != "HEAD":
            self.wfile.write(raw)

    def line(self, content: dict[str, Any]) -> None:
        """Send one line of NDJSON, at once."""
        if not self._streaming:
            self._streaming = True
            self._head(200, "application/x-ndjson", None)
        raw = json.dumps(content, ensure_ascii=False).encode() + b"\n"
        self.wfile.write(b"%x\r\n%s\r\n" % (len(raw), raw))

    def _text(self, status: int, text: str) -> None:
        self._head(status, "text/plain; charset=utf-8", len(text))
        if self.command != "HEAD":
            self.wfile.write(text.encode())

    def _head(self, status: int, kind: str, length: int | None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if length is None:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(length))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()

    def _fail(self, status: int, text: str) -> None:
        try:
            if self._streaming:
                self.line({"error": text})
                self.wfile.write(b"0\r\n\r\n")
            else:
                self.json(status, {"error": text})
        except OSError:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Say nothing: what people ask is nobody's business."""
