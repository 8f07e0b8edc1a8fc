"""Share one slow look among all who wait for it."""

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

Seen = TypeVar("Seen")


class Shared(Generic[Seen]):
    """Calls `look` for one caller at a time. Whoever came before the last look began shares what
    it saw, so nobody is told of a time before he asked, and a crowd costs two looks at most."""

    def __init__(self, look: Callable[[], Seen]) -> None:
        self._look = look
        self._looking = threading.Lock()
        self._last: tuple[float, Seen] | None = None

    def __call__(self) -> Seen:
        came = time.monotonic()
        with self._looking:
            if self._last is None or self._last[0] <= came:
                self._last = (time.monotonic(), self._look())
            return self._last[1]
