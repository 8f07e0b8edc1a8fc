"""Give database connections back, and replace the dead ones of a server that was restarted."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
from django.conf import settings
from django.db import OperationalError, connection
from django.http import HttpRequest, HttpResponse
from psycopg_pool import PoolTimeout


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


def is_busy(error: BaseException | None) -> bool:
    """Whether the database answers, and only had no connection left for who met this error."""
    if error is None or not isinstance(error.__cause__, PoolTimeout):
        return False
    try:
        psycopg.connect(settings.DATABASE_URL, connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True


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
