"""What the worker may be asked to do for the library; the asking is in `queue`."""

from apps.library import (
    discarding,
    graphs,
    ingestion,
    queue,
    reanalysing,
    redrawing,
    reembedding,
    rule_learning,
    scrubbing,
    watching,
)


def work() -> str:
    """One slice for the document whose turn it is."""
    return ingestion.work_next()


def sweep() -> int:
    """Each minute, by a schedule of django-q: what a crash or an update left waiting goes on."""
    if reanalysing.is_due():
        queue.ask_for_reanalysis()
    if redrawing.is_due():
        queue.ask_for_sketches()
    if watching.due():
        queue.ask_for_look()
    if reembedding.look():
        queue.ask_for_embedding()
    if rule_learning.is_due():
        queue.ask_for_rule()
    if discarding.is_due():
        queue.ask_for_discard()
    if graphs.is_due():
        queue.ask_for_graphs()
    return ingestion.sweep()


def look() -> int:
    """What has changed in the watched folders."""
    return watching.look_where_due()


def reanalyse() -> int:
    """Some passages that an older analyser left."""
    return reanalysing.go_on()


def draw() -> int:
    """Some sketches of passages that have none."""
    return redrawing.go_on()


def embed() -> str:
    """A slice of work on a set of vectors that is to replace the one in use."""
    return reembedding.go_on()


def discard() -> int:
    """Some of the documents a person deleted by the thousand."""
    return discarding.go_on()


def graph() -> int:
    """The graphs over vectors that are to be made or to go."""
    return graphs.tend()


def learn_rule() -> int:
    """Some questions to a person's own documents, for the line of the relevance rule."""
    return rule_learning.go_on()


def scrub() -> bool:
    """After a deletion: PostgreSQL's files forget it, at once where that is quick."""
    return scrubbing.scrub()


def scrub_all() -> bool:
    """Each night: the same, however long it takes."""
    graphs.drop(broken_only=True)  # what could not be made is tried again once a day
    return scrubbing.scrub(however_large=True)
