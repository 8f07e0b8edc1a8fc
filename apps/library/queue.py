"""Ask the worker: the one place of the library that speaks to the queue.

The truth about work is in the rows of documents. What waits in the queue is a bell: it says that
there is something to do, not what, so no bell is ever about a document, a lost one is rung again
by the sweep, and one too many finds nothing to do.
"""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone
from django_q.models import OrmQ, Task
from django_q.tasks import async_task

WORK = "apps.library.tasks.work"
SCRUB = "apps.library.tasks.scrub"
REANALYSE = "apps.library.tasks.reanalyse"
LOOK = "apps.library.tasks.look"
EMBED = "apps.library.tasks.embed"
DRAW = "apps.library.tasks.draw"
DISCARD = "apps.library.tasks.discard"
GRAPH = "apps.library.tasks.graph"
LONG = 7_000  # seconds for a task that is one long statement; less than until it counts as lost
RULE = "apps.library.tasks.learn_rule"
LOOKED_AT = 50  # waiting tasks that are looked at before another bell is rung
FIGURES = """
SELECT (SELECT count(*) FROM django_q_ormq), (SELECT count(*) FROM django_q_task WHERE NOT success)
"""
KEPT_FAILURES = timedelta(days=7)


def ask_for_work(bells: int = 1) -> None:
    """Wake workers once what is being stored is stored; no more bells than there are workers."""
    transaction.on_commit(lambda: _ask(WORK, bells, workers()), robust=True)


def workers() -> int:
    """How many slices can be worked on at the same time on this machine."""
    return int(str(settings.Q_CLUSTER["workers"]))


def ask_for_scrub() -> None:
    """Let the database give up what was deleted, once the deletion is stored."""
    transaction.on_commit(lambda: _ask(SCRUB, 1, 1), robust=True)


def ask_for_reanalysis() -> None:
    """Let a worker analyse the next passages that an older analyser left."""
    transaction.on_commit(lambda: _ask(REANALYSE, 1, 1), robust=True)


def ask_for_look() -> None:
    """Let a worker look at the watched folders that are due."""
    transaction.on_commit(lambda: _ask(LOOK, 1, 1), robust=True)


def ask_for_embedding() -> None:
    """Let a worker go on with the sets of vectors that are built or deleted."""
    transaction.on_commit(lambda: _ask(EMBED, 1, 1), robust=True)


def ask_for_sketches() -> None:
    """Let a worker draw the next sketches that are missing."""
    transaction.on_commit(lambda: _ask(DRAW, 1, 1), robust=True)


def ask_for_discard() -> None:
    """Let a worker delete the documents that are marked for it."""
    transaction.on_commit(lambda: _ask(DISCARD, 1, 1), robust=True)


def ask_for_graphs() -> None:
    """Let a worker make the graphs over vectors that are missing, however long that takes."""
    transaction.on_commit(lambda: _ask(GRAPH, 1, 1, timeout=LONG), robust=True)


def ask_for_rule() -> None:
    """Let a worker go on learning where the line of somebody's relevance rule should be."""
    transaction.on_commit(lambda: _ask(RULE, 1, 1), robust=True)


def figures() -> dict[str, int]:
    """How the queue stands, for an operator: tasks `waiting`, and `failed` within a week."""
    with connection.cursor() as cursor:
        cursor.execute(FIGURES)
        return dict(zip(("waiting", "failed"), cursor.fetchone() or (), strict=True))


def tidy() -> None:
    """Forget failed tasks after a week; django-q itself forgets only those that succeeded."""
    Task.objects.filter(success=False, stopped__lt=timezone.now() - KEPT_FAILURES).delete()


def _ask(task: str, times: int, enough: int, **more: Any) -> None:
    for _ in range(min(times, enough - _waiting(task))):
        # `save` is false: thousands of slices would push all other results out of the list.
        options = {"task_name": task.rpartition(".")[2], "save": False, **more}
        async_task(task, q_options=options)


def _waiting(task: str) -> int:
    """How many such tasks nobody has fetched yet. Fetched ones may be a dead worker's."""
    waiting = OrmQ.objects.filter(lock__lte=timezone.now()).order_by("pk")[:LOOKED_AT]
    return sum(row.task.get("func") == task for row in waiting)
