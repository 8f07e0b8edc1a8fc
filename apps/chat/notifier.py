"""Wake those who follow an answer written in this process.

A notice brings the account as it has just been written down, so that nobody here need ask the
database. A follower in another process hears nothing and looks twice a second by itself.
"""

import threading
from weakref import WeakValueDictionary

from apps.chat.steps import Account


class Notifier:
    """Knows the account of all steps that can be read."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._account = Account()

    def notify(self, account: Account) -> None:
        with self._changed:
            self._account = account
            self._changed.notify_all()

    def wait(self, after: int, seconds: float) -> Account | None:
        """Wait for a step later than `after`; one that was told of already counts."""
        with self._changed:
            told = self._changed.wait_for(lambda: self._account.number > after, seconds)
            return self._account if told else None


_notifiers: WeakValueDictionary[int, Notifier] = WeakValueDictionary()
_lock = threading.Lock()


def notifier(answer_id: int) -> Notifier:
    """The answer's notifier, which lasts as long as somebody holds it."""
    with _lock:
        return _notifiers.setdefault(answer_id, Notifier())
