"""Connections to addresses that were vetted, and nowhere else, with one end to all patience."""

import time
from collections.abc import Iterable
from ssl import SSLContext
from typing import Any

import httpcore

TRIED = 3  # addresses of a name, one after the other


class Vetted(httpcore.NetworkBackend):
    """Whatever name is asked for: these numbers are reached, until this time (monotonic)."""

    def __init__(self, numbers: list[str], until: float) -> None:
        self._numbers = numbers
        self._until = until
        self._plain = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        trouble: Exception | None = None
        tried = self._numbers[:TRIED]
        for left, number in zip(range(len(tried), 0, -1), tried, strict=True):
            patience = remaining(self._until) / left
            try:
                stream = self._plain.connect_tcp(number, port, patience, local_address, None)
                return _Timed(stream, self._until)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                trouble = error
        raise trouble or httpcore.ConnectError("no address")


class _Timed(httpcore.NetworkStream):
    """A stream whose every step ends when the whole must: nobody may send a byte a minute."""

    def __init__(self, stream: httpcore.NetworkStream, until: float) -> None:
        self._stream = stream
        self._until = until

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, remaining(self._until))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, remaining(self._until))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        patience = remaining(self._until)
        return _Timed(self._stream.start_tls(ssl_context, server_hostname, patience), self._until)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def remaining(until: float) -> float:
    """Seconds that are left; raises httpcore's timeout where there are none."""
    left = until - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout("the time is up")
    return left
