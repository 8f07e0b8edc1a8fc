"""Ask the worker: the one place of this room that speaks to the queue."""

from django_q.tasks import async_task

TRY_OUT = "apps.outbound.tasks.try_out"


def ask_to_try_out(purpose: str) -> None:
    """Have a worker try to leave; what became of it stands in the ledger under that purpose."""
    async_task(TRY_OUT, purpose, q_options={"task_name": "try_out", "save": False})
