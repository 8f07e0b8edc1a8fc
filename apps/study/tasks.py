"""What the worker may be asked to do for the study room; the asking is in `queue`."""

from apps.study import generation


def work() -> str:
    """One slice of the job whose turn it is."""
    return generation.work_next()


def sweep() -> None:
    """Each minute, by a schedule of django-q: what a crash left waiting goes on."""
    generation.sweep()
