"""A graph over the vectors of a very large workspace, so that not each of them is compared.

Up to MANY passages, and wherever a search is narrowed, every vector is compared: that is exact.
Above, a search of the whole workspace walks pgvector's HNSW. PostgreSQL's catalogue alone knows
which graphs there are. A worker makes one beside everything else; search is exact until it is done.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction
from django.db.utils import DatabaseError
from psycopg import sql

from apps.library.locking import advisory_lock
from apps.library.models import EmbeddingSet, VectorStatistic

logger = logging.getLogger(__name__)

MANY = 200_000  # passages with a vector that are compared one by one
LEFT = 0.8  # of these, below which a graph goes again
MOST_DIMENSIONS = 4_000  # pgvector's limit for halfvec
ROOM = 7304  # of advisory locks: one worker at a time
PREFIX = "chunk_vector_graph_"
A_PASSAGE = 700  # bytes of the graph in memory while it is made, beside the numbers
MEGABYTES = (64, 1024)  # least and most memory for making one; with less it only takes longer

IS_THERE = """
SELECT EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass(%(name)s) AND indisvalid)
"""
STANDING = """
SELECT relname, indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
WHERE indrelid = 'library_chunkvector'::regclass AND starts_with(relname, %(prefix)s)
"""
# Partial, so that no workspace is looked through for another's passages. `ranking.BY_GRAPH` writes
# the distance in the same way.
MAKE = """
CREATE INDEX CONCURRENTLY {name} ON library_chunkvector
USING hnsw ((embedding::halfvec({dimensions})) halfvec_ip_ops) WITH (m = 16, ef_construction = 64)
WHERE embedding_set_id = {set} AND workspace_id = {workspace}
"""
DROP = "DROP INDEX CONCURRENTLY IF EXISTS {name}"
# One process: a database in a container may have no memory to share among several, and the other
# processors are for whoever asks meanwhile.
ROOM_TO_WORK = """
SELECT set_config('maintenance_work_mem', %(memory)s, false),
       set_config('max_parallel_maintenance_workers', '0', false)
"""
AS_BEFORE = "RESET maintenance_work_mem; RESET max_parallel_maintenance_workers"
# As far as pgvector goes: E5's vectors lie close together. Of the fifty nearest of 60,000, made of
# real ones, 400 finds 97.8 %, 600 99.0 %, 800 99.5 % and 1000 99.6 %.
# Passages deleted since would leave too few: then the walk goes on.
WALK = "SET LOCAL hnsw.ef_search = 1000; SET LOCAL hnsw.iterative_scan = relaxed_order"


def name(workspace_id: int, embedding_set_id: int) -> str:
    """What the graph of a workspace in a set of vectors is called in the database."""
    return f"{PREFIX}{embedding_set_id}_{workspace_id}"


def is_there(workspace_id: int, embedding_set_id: int) -> bool:
    """Whether the graph is complete, and may be walked."""
    with connection.cursor() as cursor:
        cursor.execute(IS_THERE, {"name": name(workspace_id, embedding_set_id)})
        (there,) = cursor.fetchone() or (False,)
    return bool(there)


@contextmanager
def walked() -> Iterator[None]:
    """Inside, a statement that uses a graph walks it far enough to find nearly all."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(WALK)
        yield


def is_due() -> bool:
    """Whether a graph is to be made or to go."""
    standing, wanted = _standing(), _wanted(MANY)
    return bool(wanted.keys() - standing.keys() or standing.keys() - _wanted(MANY * LEFT).keys())


def tend() -> int:
    """Make the graphs that are missing, take away those nobody needs; returns how many of both.

    Must not run inside a transaction. What could not be made is not tried again before `drop`.
    """
    done = 0
    with advisory_lock(ROOM, 0) as mine:
        if not mine:
            return 0
        for old in _standing().keys() - _wanted(MANY * LEFT).keys():
            let_go(old)
            done += 1
        for new, statistic in _wanted(MANY).items():
            if new not in _standing():
                make(statistic)
                done += 1
    return done


def make(statistic: VectorStatistic) -> None:
    """Make the graph of a workspace in a set; where that fails, search goes on exactly."""
    called = name(statistic.workspace_id, statistic.embedding_set_id)
    dimensions = statistic.embedding_set.dimensions
    least, most = MEGABYTES
    needed = statistic.passages * (2 * dimensions + A_PASSAGE) >> 20
    logger.info("making a graph over %d vectors: %s", statistic.passages, called)
    with connection.cursor() as cursor:
        cursor.execute(ROOM_TO_WORK, {"memory": f"{min(max(needed, least), most)}MB"})
        try:
            cursor.execute(
                sql.SQL(MAKE).format(
                    name=sql.Identifier(called),
                    dimensions=sql.Literal(dimensions),
                    set=sql.Literal(statistic.embedding_set_id),
                    workspace=sql.Literal(statistic.workspace_id),
                )
            )
        except DatabaseError as fault:
            logger.warning("search compares each vector, no graph could be made: %s", fault)
        finally:
            cursor.execute(AS_BEFORE)


def drop(*, broken_only: bool = False) -> None:
    """Take the graphs away; `tend` makes those again that are wanted. Not while one is made."""
    with advisory_lock(ROOM, 0) as mine:
        for each, complete in _standing().items() if mine else ():
            if not complete or not broken_only:
                let_go(each)


def _standing() -> dict[str, bool]:
    """The graphs there are, and whether each is complete."""
    with connection.cursor() as cursor:
        cursor.execute(STANDING, {"prefix": PREFIX})
        return dict(cursor.fetchall())


def _wanted(more_than: float) -> dict[str, VectorStatistic]:
    """The graphs there should be, each with what is known of its vectors."""
    large = VectorStatistic.objects.defer("centroid").filter(
        embedding_set__state=EmbeddingSet.State.ACTIVE,
        embedding_set__dimensions__lte=MOST_DIMENSIONS,
        passages__gt=more_than,
    )
    found = large.select_related("embedding_set")
    return {name(each.workspace_id, each.embedding_set_id): each for each in found}


def let_go(called: str) -> None:
    """Take a graph away, if it is there. Must not run inside a transaction."""
    logger.info("taking away the graph %s", called)
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL(DROP).format(name=sql.Identifier(called)))
