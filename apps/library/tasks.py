"""What the worker may be asked to do for the library; the asking is in `queue`."""

from apps.library import ingestion, queue, reanalysing, scrubbing, watching


def work() -> str:
    """One slice for the document whose turn it is."""
    return ingestion.work_next()


def sweep() -> int:
    """Each minute, by a schedule of django-q: what a crash or an update left waiting goes on."""
    if reanalysing.is_due():
        queue.ask_for_reanalysis()
    if watching.due():
        queue.ask_for_look()
    return ingestion.sweep()


def look() -> int:
    """What has changed in the watched folders."""
    return watching.look_where_due()


def reanalyse() -> int:
    """Some passages that an older analyser left."""
    return reanalysing.go_on()


def scrub() -> bool:
    """After a deletion: PostgreSQL's files forget it, at once where that is quick."""
    return scrubbing.scrub()


def scrub_all() -> bool:
    """Each night: the same, however long it takes."""
    return scrubbing.scrub(however_large=True)
