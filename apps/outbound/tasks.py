"""What the worker may be asked to do for the ledger."""

from apps.outbound import guard, ledger, trying


def take_in() -> int:
    """Each minute, by a schedule of django-q: what was noted comes into the database."""
    return ledger.take_in()


def try_out(purpose: str) -> bool:
    """Of the self-test: whether this worker's own attempt to leave is refused."""
    with guard.allowed(purpose):
        return trying.is_refused()
