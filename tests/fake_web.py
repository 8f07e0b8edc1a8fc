"""A web of one server: names that end in `.test` lead to it, and only to it.

The fixture `web` of tests/conftest.py opens the door of `apps.outbound.fetch` to this server;
how names and numbers are judged is otherwise as ever.
"""

import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from apps.outbound import addresses, fetch

HERE = "127.0.0.1"
Odd = Callable[["_Visit"], None]


@dataclass(frozen=True, slots=True)
class Page:
    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


class FakeWeb(ThreadingHTTPServer):
    """Answers with the pages it was given; `heard` is what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__((HERE, 0), _Visit)
        self.pages: dict[str, Page | Odd] = {}
        self.heard: list[tuple[str, dict[str, str]]] = []
        self.names: dict[str, list[str]] = {}
        self.looked_up: list[str] = []
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def url(self, path: str = "/", host: str = "news.test", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"

    def shows(
        self, path: str, body: str | bytes, content_type: str = "text/html; charset=utf-8",
        status: int = 200, **headers: str,
    ) -> str:  # fmt: skip
        """Put a page at a path from now on; its address comes back."""
        raw = body.encode() if isinstance(body, str) else body
        named = {key.replace("_", "-"): value for key, value in headers.items()}
        self.pages[path] = Page(raw, status, {"Content-Type": content_type, **named})
        return self.url(path)

    def redirects(self, path: str, to: str, status: int = 302) -> str:
        return self.shows(path, b"", status=status, Location=to)

    def does(self, path: str, odd: Odd) -> str:
        """Have a path answered by hand."""
        self.pages[path] = odd
        return self.url(path)

    def resolve(self, host: str, port: int) -> list[str]:
        """What a name leads to: what the test said, this server, or nothing."""
        self.looked_up.append(host)
        if host in self.names:
            return self.names[host]
        return [HERE] if host.endswith(".test") else fetch._resolve(host, port)

    def door(self, **changes: Any) -> fetch.Door:
        opened = fetch.Door(
            resolve=self.resolve,
            ports=addresses.PORTS | {self.port},
            is_public=lambda number: number == HERE or addresses.is_public(number),
        )
        return replace(opened, **changes)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A visitor who leaves in the middle is no trouble."""


class _Visit(BaseHTTPRequestHandler):
    server: FakeWeb
    connection: socket.socket
    timeout = 5

    def do_GET(self) -> None:
        self.server.heard.append((self.path, dict(self.headers.items())))
        page = self.server.pages.get(self.path)
        if page is None:
            page = Page(b"no such page", 404)
        if not isinstance(page, Page):
            page(self)
            return
        self.send_response(page.status)
        for key, value in page.headers.items():
            self.send_header(key, value)
        if "Content-Length" not in page.headers:
            self.send_header("Content-Length", str(len(page.body)))
        self.end_headers()
        self.wfile.write(page.body)

    def log_message(self, format: str, *args: Any) -> None:
        pass
