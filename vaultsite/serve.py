"""The web process: waitress, 64 threads, and a clean way to end.

`python -m vaultsite.serve` listens on VAULT_HOST and VAULT_PORT, or on the socket it was handed
by `manage.py up`, which stays open while this process is started again.
"""

import contextlib
import logging
import os
import signal
import socket
import tempfile
from typing import Any

from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.utilities import BadRequest

from apps.outbound import guard

THREADS = 64  # one open answer keeps one thread
POOL = 10  # connections to the database; a stream gives its own back while it waits


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens there; raises OSError where it may not, or somebody else does."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
        sock.listen(1024)
    except OSError:
        sock.close()
        raise
    return sock


class InsufficientStorage(BadRequest):  # type: ignore[misc]  # waitress has no types
    """The answer to a body that found no room on the disk while it arrived."""

    code, reason = 507, "Insufficient Storage"


class Parser(HTTPRequestParser):  # type: ignore[misc]
    """Waitress' reader of requests, which keeps long bodies in files: a full disk is told."""

    def received(self, data: bytes) -> int:
        try:
            return super().received(data)  # type: ignore[no-any-return]
        except OSError as problem:
            logging.getLogger("vaultsite").error("a request found no room: %s", problem)
            self.error = InsufficientStorage(
                "The disk of this vault is full or may not be written to. Make room, try again."
            )
            self.completed = True
            return len(data)

    def close(self) -> None:
        with contextlib.suppress(OSError):  # what was not yet written finds no room either
            super().close()


class Channel(HTTPChannel):  # type: ignore[misc]
    parser_class = Parser


def server(sock: socket.socket) -> Any:
    """A waitress on this socket."""
    from django.conf import settings
    from waitress import create_server

    from vaultsite.wsgi import application

    # Waitress keeps what arrives in a temporary file: on the vault's own disk, not in /tmp.
    tempfile.tempdir = str(settings.FILE_UPLOAD_TEMP_DIR)
    made = create_server(
        application,
        sockets=[sock],
        threads=THREADS,
        connection_limit=1000,  # the default of 100 counts idle keep-alive connections too
        asyncore_use_poll=True,  # select() ends at file descriptor 1024
        channel_request_lookahead=1,  # else a reader's leaving shows only at the second write
        max_request_body_size=settings.REQUEST_LIMIT_BYTES,
        max_request_header_size=32 << 10,
        channel_timeout=60,  # seconds that a client may say nothing; it has no thread meanwhile
        **_proxy(settings.TRUSTED_PROXY),
        ident=None,
    )
    made.channel_class = Channel
    return made


def _proxy(address: str) -> dict[str, Any]:
    """Believe this proxy who asks and whether by HTTPS, and nobody else."""
    if not address:
        return {"clear_untrusted_proxy_headers": True}
    return {
        "trusted_proxy": address,
        "trusted_proxy_headers": {"x-forwarded-for", "x-forwarded-proto"},
        "clear_untrusted_proxy_headers": True,
    }


def main() -> None:
    guard.arm("web")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vaultsite.settings")
    os.environ.setdefault("DATABASE_POOL", str(POOL))  # before the settings are read
    os.environ.setdefault("PGAPPNAME", "vaultsite web")
    from django.conf import settings

    handed = os.environ.pop("VAULT_SOCKET", "")
    sock = socket.socket(fileno=int(handed)) if handed else listening(settings.HOST, settings.PORT)
    web = server(sock)
    from apps.chat import attachments, writing
    from apps.library import bells
    from apps.llm import catalogue
    from apps.web.database import borrowed  # Django is set up by now

    def end(*_: object) -> None:
        writing.wind_up()  # first: every open stream then ends by itself
        raise SystemExit

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    logging.getLogger("vaultsite").info("listening on %s:%s", *sock.getsockname()[:2])
    with borrowed():
        writing.find_broken_off()  # what a server that was killed has left unfinished
        attachments.read_on()
    catalogue.ensure_default_pull()
    bells.start()
    web.run()


if __name__ == "__main__":
    main()
