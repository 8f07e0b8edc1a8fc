"""Stop an answer from outside, whether it searches, waits or listens to the model."""

import threading
from collections.abc import Iterator

from apps.llm import client


class Halted(Exception):
    """Somebody asked for the answer to end; str() is the state it ends in."""


class Halt:
    """One answer's stop button. Any thread may press it, and it stays pressed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._call: client.Call | None = None
        self._why = ""
        self._pressed = threading.Event()

    def press(self, why: str) -> str:
        """End the answer as `why`, "stopped" or "broken off"; the first reason is given back."""
        with self._lock:
            self._why = self._why or why
            call = self._call
        self._pressed.set()
        if call:
            call.stop()
        return self._why

    def check(self) -> None:
        """Raises Halted once the button is pressed."""
        if self._why:
            raise Halted(self._why)

    def wait(self, seconds: float) -> None:
        """Sleep, but raise Halted as soon as the button is pressed."""
        self._pressed.wait(seconds)
        self.check()

    def listen(self, call: client.Call) -> Iterator[client.Piece]:
        """Pass on what the model says. Raises Halted, or ModelError where the model fails."""
        with self._lock:
            self._call = call
        try:
            self.check()
            for piece in call:
                self.check()
                yield piece
        except client.ModelError:
            self.check()  # a call that was cut off may report that as a failure
            raise
        finally:
            call.stop()  # also where nobody reads on
        self.check()
