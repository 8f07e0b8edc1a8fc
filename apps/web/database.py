"""Give database connections back, and replace the dead ones of a server that was restarted."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import OperationalError, connection
from django.http import HttpRequest, HttpResponse


@contextmanager
def borrowed() -> Iterator[None]:
    """Give the connection back to the pool at the end of the block.

    Django gives a request's connection back when its response is closed, which
    for a stream is minutes later, and a thread's own never: without this, ten
    open answers empty a pool of ten.
    """
    try:
        yield
    except OperationalError:
        replace_dead()
        raise
    finally:
        connection.close()


def replace_dead() -> None:
    """Check every idle connection of the pool; a restart of the server kills all at once."""
    connection.close()
    if pool := getattr(connection, "pool", None):
        pool.check()


class ConnectionMiddleware:
    """After a request that met a dead connection, the next ones meet none."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            return self._get_response(request)
        except OperationalError:  # from another middleware: reading the session
            replace_dead()
            raise

    def process_exception(self, request: HttpRequest, error: Exception) -> None:
        if isinstance(error, OperationalError):
            replace_dead()
