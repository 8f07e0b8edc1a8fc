"""Who is next: a queue for one model in which a person's question goes before background work."""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 4  # questions that may overtake waiting background work before it has its turn
PLACES = 512  # requests that may wait, as many as Ollama lets wait


class Full(Exception):
    """No place left in the queue."""


class Left(Exception):
    """The one who waited is gone."""


def never() -> bool:
    """For callers who do not go away."""
    return False


class Queue:
    """Lets one through at a time.

    Two lines, each first come first served: questions and background work. Questions go first,
    but never more than PATIENCE in a row while background work waits, so a busy chat slows a
    quiz down and cannot stop it.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._busy = False
        self._questions: deque[object] = deque()
        self._background: deque[object] = deque()
        self._overtaken = 0

    @property
    def idle(self) -> bool:
        """Nobody inside, nobody waiting."""
        with self._changed:
            return not (self._busy or self._questions or self._background)

    @property
    def waiting(self) -> int:
        """How many wait for their turn."""
        with self._changed:
            return len(self._questions) + len(self._background)

    @contextmanager
    def turn(self, background: bool = False, gone: Callable[[], bool] = never) -> Iterator[None]:
        """Wait for the turn and hold it for the block.

        Raises Full, or Left when `gone()` while waiting.
        """
        self._wait(background, gone)
        try:
            yield
        finally:
            with self._changed:
                self._busy = False
                self._changed.notify_all()

    def _wait(self, background: bool, gone: Callable[[], bool]) -> None:
        me, line = object(), self._background if background else self._questions
        with self._changed:
            if len(self._questions) + len(self._background) >= PLACES:
                raise Full
            line.append(me)
            try:
                while self._busy or self._next() is not me:
                    self._changed.wait(0.2)
                    if gone():
                        raise Left
                overtakes = not background and bool(self._background)
                self._overtaken = self._overtaken + 1 if overtakes else 0
                self._busy = True
            finally:
                line.remove(me)
                self._changed.notify_all()

    def _next(self) -> object | None:
        if self._background and (not self._questions or self._overtaken >= PATIENCE):
            return self._background[0]
        return self._questions[0] if self._questions else None
