"""What the worker may be asked to do for the chat."""

from datetime import timedelta

from apps.chat import attachments, writing

STEPS_KEPT = timedelta(hours=1)  # after an answer's end; a page that follows it has long caught up


def sweep() -> None:
    """Every few minutes, by a schedule of django-q: end what broke off, let go of what is over."""
    writing.find_broken_off()
    writing.sweep(STEPS_KEPT)
    attachments.tidy()
