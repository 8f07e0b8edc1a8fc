"""Wake those who follow an answer written in this process.

A notice carries no news. It says "look", the database is where to look, and a
follower in another process, who hears nothing, looks twice a second by itself.
"""

import threading
from weakref import WeakValueDictionary


class Notifier:
    """Knows the number of the last step that can be read."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._number = 0

    def notify(self, number: int) -> None:
        with self._changed:
            self._number = number
            self._changed.notify_all()

    def wait(self, after: int, seconds: float) -> bool:
        """Wait for a step later than `after`; one that was told of already counts."""
        with self._changed:
            return self._changed.wait_for(lambda: self._number > after, seconds)


_notifiers: WeakValueDictionary[int, Notifier] = WeakValueDictionary()
_lock = threading.Lock()


def notifier(answer_id: int) -> Notifier:
    """The answer's notifier, which lasts as long as somebody holds it."""
    with _lock:
        return _notifiers.setdefault(answer_id, Notifier())
