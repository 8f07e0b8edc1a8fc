"""What the worker may be asked to do for the library; the asking is in `queue`."""

from django.db import connection

from apps.library import ingestion
from apps.library.discarding import TABLES


def work() -> str:
    """One slice for the document whose turn it is."""
    return ingestion.work_next()


def sweep() -> int:
    """Each minute, by a schedule of django-q: what a crash left waiting goes on."""
    return ingestion.sweep()


def vacuum() -> None:
    """Let PostgreSQL give up deleted rows now, and the samples of them in its statistics."""
    with connection.cursor() as cursor:
        cursor.execute(f"VACUUM (ANALYZE) {', '.join(TABLES)}")
