"""What the worker may be asked to do for the library; the asking is in `queue`."""

from apps.library import ingestion, scrubbing


def work() -> str:
    """One slice for the document whose turn it is."""
    return ingestion.work_next()


def sweep() -> int:
    """Each minute, by a schedule of django-q: what a crash left waiting goes on."""
    return ingestion.sweep()


def scrub() -> bool:
    """After a deletion: PostgreSQL's files forget it, at once where that is quick."""
    return scrubbing.scrub()


def scrub_all() -> bool:
    """Each night: the same, however long it takes."""
    return scrubbing.scrub(however_large=True)
