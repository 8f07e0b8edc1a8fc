"""Let PostgreSQL's own files forget what was deleted.

A deleted row's bytes stay in the table's file until they are overwritten, and in the write-ahead
log until that is recycled. Rewriting the tables and moving the log on removes both. A rewrite locks
its table, so a large vault waits for the night with it.
"""

import logging

from django.conf import settings
from django.db import connection
from django.db.utils import DatabaseError

from apps.library import graphs

# What a deletion leaves dead rows in.
TABLES = (
    "library_chunkwords",
    "library_chunkvector",
    "library_chunk",
    "library_part",
    "library_likeness",
    "library_batchentry",
    "library_document",
    "library_termstatistic",
    "library_coverage",
    "django_q_ormq",
    "django_q_task",
    "chat_citation",
    "chat_step",
    "study_question",
    "study_card",
    "study_lessonsource",
)
# Values of them that ANALYZE kept: of an empty table for good, and of others as dead rows.
STATISTICS = "pg_statistic"
FORGET = "DELETE FROM pg_statistic WHERE starelid = %(table)s::regclass"
SMALL = 256 * 2**20  # bytes; tables together that are rewritten in a second or two
SIZE = "SELECT sum(pg_total_relation_size(t::regclass)) FROM unnest(%(tables)s::text[]) t"
IS_OURS = "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"

log = logging.getLogger(__name__)


def scrub(*, however_large: bool = False) -> bool:
    """Free deleted rows, and rewrite the tables where that is quick; returns whether it did.

    Must not run inside a transaction. On a server of somebody else's, where the vault may not
    move the log on, the rows are freed and their bytes are that server's matter.
    """
    names = ", ".join(TABLES)
    with connection.cursor() as cursor:
        cursor.execute(f"VACUUM (ANALYZE) {names}")
        cursor.execute(SIZE, {"tables": list(TABLES)})
        (size,) = cursor.fetchone()
        cursor.execute(IS_OURS)
        (ours,) = cursor.fetchone()
        if not ours or not settings.POSTGRES_IS_EMBEDDED or (size > SMALL and not however_large):
            return False
        graphs.drop()  # made again beside everything else; here the table would be locked for it
        try:
            cursor.execute("SET lock_timeout = '10s'")
            for name in TABLES:
                cursor.execute(FORGET, {"table": name})
                cursor.execute(f"VACUUM (FULL, ANALYZE) {name}")
            cursor.execute(f"VACUUM FULL {STATISTICS}")
        except DatabaseError as fault:  # somebody searches for long: the night is another chance
            log.warning("not rewritten now: %s", fault)
            return False
        finally:
            cursor.execute("RESET lock_timeout")
        cursor.execute("SELECT pg_switch_wal()")
        cursor.execute("CHECKPOINT")
        cursor.execute("CHECKPOINT")  # segments go once a second one no longer needs them
    return True
