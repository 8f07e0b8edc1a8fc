"""Ask the worker: the one place of the study room that speaks to the queue."""

from django.db import transaction
from django.utils import timezone
from django_q.models import OrmQ
from django_q.tasks import async_task

WORK = "apps.study.tasks.work"


def ask_for_work() -> None:
    """Ring once what is being stored is stored, unless a bell is waiting already."""
    transaction.on_commit(_ring, robust=True)


def _ring() -> None:
    waiting = OrmQ.objects.filter(lock__lte=timezone.now()).order_by("pk")[:50]
    if not any(row.task.get("func") == WORK for row in waiting):
        async_task(WORK, q_options={"task_name": "study", "save": False})
