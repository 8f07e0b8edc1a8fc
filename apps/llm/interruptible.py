"""A connection to the model server that any other thread may end at any moment.

A thread that waits for a word sits in recv(), and closing a socket does not wake it; shutting the
socket down does. The client hands no socket out, but httpcore tells of each connection it makes
through the `trace` extension.
"""

import contextlib
import socket
import threading
from collections.abc import Mapping
from typing import Any

import httpx


class Interruptible:
    """Give `hooks` to a client of its own; `stop()` then ends whatever that client is doing."""

    def __init__(self) -> None:
        self.stopped = False
        self.hooks = {"request": [self._listen]}
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None

    def stop(self) -> None:
        """Hang up. The server notices, and stops working too."""
        with self._lock:
            self.stopped = True
            self._hang_up()

    def _listen(self, request: httpx.Request) -> None:
        request.extensions["trace"] = self._note
        if self.stopped:
            raise ConnectionError

    def _note(self, event: str, info: Mapping[str, Any]) -> None:
        if event == "connection.connect_tcp.complete":
            with self._lock:
                self._socket = info["return_value"].get_extra_info("socket")
                if self.stopped:
                    self._hang_up()

    def _hang_up(self) -> None:
        if self._socket is not None:
            with contextlib.suppress(OSError):  # closed already
                self._socket.shutdown(socket.SHUT_RDWR)
