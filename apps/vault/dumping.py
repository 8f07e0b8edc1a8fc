"""The rows of the vault as text, out of one snapshot; and back into an empty schema.

It is PostgreSQL's own COPY, so an archive holds data and never a statement: whatever is in it,
nothing of it is ever run. What the queue keeps is left out for the same reason.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import psycopg
from django.apps import apps
from django.db import connections, models
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from psycopg import sql

from apps.vault import scratch
from apps.vault.archive import Archive, Manifest, Measured, NotABackup, TableEntry
from apps.web.telling import gettext as _

# Visits end with a restore. Tasks and schedules name what is to be run, so they are never taken
# from an archive; schedules come with the migrations, tasks are asked for again.
VISITS = frozenset({"django_session", "web_session", "web_tries"})
QUEUE = frozenset({"django_q_ormq", "django_q_schedule", "django_q_task"})
LEFT_OUT = VISITS | QUEUE

# Text that reads the same whatever the server's settings are.
PINNED = """
SET timezone = 'UTC'; SET datestyle = 'ISO, MDY'; SET intervalstyle = 'postgres';
SET extra_float_digits = 1; SET bytea_output = 'hex'; SET client_encoding = 'UTF8';
SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0
"""
TABLES = """
SELECT relname FROM pg_class
WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
"""
COLUMNS = """
SELECT attname FROM pg_attribute
WHERE attrelid = to_regclass(%(table)s) AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
ORDER BY attnum
"""
KEY = """
SELECT a.attname
FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
WHERE i.indrelid = %(table)s::regclass AND i.indisprimary
ORDER BY array_position(i.indkey::int2[], a.attnum)
"""
SEQUENCE = "SELECT pg_get_serial_sequence(%(table)s, %(column)s)"
SET_SEQUENCE = "SELECT setval(%(sequence)s, %(last)s, %(given)s)"
# All but what constraints own: those are needed while rows come in, and these slow them down.
INDEXES = """
SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid)
FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = ANY (%(tables)s)
  AND NOT i.indisunique AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = i.indexrelid)
"""
SIZE = "SELECT pg_database_size(current_database())"


@contextmanager
def snapshot(database: str) -> Iterator[psycopg.Connection]:
    """A connection that sees the database as it is now, whatever others write meanwhile."""
    with psycopg.connect(scratch.address(database)) as connection:
        connection.execute(PINNED)
        connection.commit()
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        connection.execute(sql.SQL("LOCK TABLE {} IN ACCESS SHARE MODE").format(_names(tables())))
        yield connection
        connection.rollback()


def tables() -> list[str]:
    """The tables whose rows a backup holds, by name."""
    known = connections["default"].introspection.django_table_names(only_existing=True)
    return sorted({*known, "django_migrations"} - LEFT_OUT)


def migrations(connection: psycopg.Connection) -> dict[str, list[str]]:
    """The migrations that have been applied, by app."""
    found: dict[str, list[str]] = {}
    for app, name in connection.execute("SELECT app, name FROM django_migrations ORDER BY 1, 2"):
        found.setdefault(app, []).append(name)
    return found


def copy_out(
    connection: psycopg.Connection, table: str, out: Measured, columns: list[str] | None = None
) -> TableEntry:
    """Write a table's rows in the order of its key, and tell what they were."""
    columns = columns or _column(connection, COLUMNS, table)
    keys = _column(connection, KEY, table)
    statement = sql.SQL("COPY (SELECT {} FROM {} ORDER BY {}) TO STDOUT").format(
        _names(columns), sql.Identifier(table), _names(keys or columns)
    )
    with connection.cursor() as cursor, cursor.copy(statement) as rows:
        for piece in rows:
            out.write(bytes(piece))
    sequences = {name: found for name in keys if (found := _sequence(connection, table, name))}
    return TableEntry(table, columns, out.lines, out.size, out.sha256, sequences)


def _sequence(connection: psycopg.Connection, table: str, column: str) -> list[int | bool] | None:
    """What was given last, and whether it was; None for a column that does not count up."""
    row = connection.execute(SEQUENCE, {"table": f'"{table}"', "column": column}).fetchone()
    if not row or not row[0]:
        return None
    place = sql.SQL("SELECT last_value, is_called FROM {}").format(
        sql.Identifier(*str(row[0]).replace('"', "").split("."))
    )
    last = connection.execute(place).fetchone()
    return list(last) if last else None


def _column(connection: psycopg.Connection, query: str, table: str) -> list[str]:
    rows = connection.execute(query.encode(), {"table": f'"{table}"'})
    return [row[0] for row in rows]


def _names(names: Iterable[str]) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Identifier, names))


# --- files that rows name ------------------------------------------------------------------------
def file_fields() -> list[tuple[str, str]]:
    """Table and column of every field that names a file in the vault's storage."""
    return [
        (model._meta.db_table, str(field.column))
        for model in apps.get_models()
        for field in model._meta.local_concrete_fields
        if isinstance(field, models.FileField)
    ]


def file_names(connection: psycopg.Connection) -> set[str]:
    """Every file that a row names."""
    found: set[str] = set()
    for table, column in file_fields():
        if column not in _column(connection, COLUMNS, table):
            continue  # not there yet at the time of an older backup
        place = sql.SQL("SELECT DISTINCT {} FROM {}").format(
            sql.Identifier(column), sql.Identifier(table)
        )
        found.update(row[0] for row in connection.execute(place) if row[0])
    return found


# --- back in -------------------------------------------------------------------------------------
def unknown_migrations(applied: dict[str, list[str]]) -> list[str]:
    """Migrations that this Vaultsite does not have: it is older than what they were applied by."""
    loader = MigrationExecutor(connections["default"]).loader
    known = {*loader.disk_migrations, *loader.graph.nodes}
    return [
        f"{a}.{name}" for a, names in applied.items() for name in names if (a, name) not in known
    ]


def make_schema(applied: dict[str, list[str]]) -> None:
    """Give an empty database, at which Django's connection is, the schema of these migrations."""
    executor = MigrationExecutor(connections["default"])
    everything = executor.loader.graph.leaf_nodes()
    wanted = {(app, name) for app, names in applied.items() for name in names}
    plan = [
        step
        for step in executor.migration_plan(everything)
        if (step[0].app_label, step[0].name) in wanted
    ]
    executor.migrate(everything, plan=plan)
    MigrationRecorder(connections["default"]).ensure_schema()


def copy_in(archive: Archive, database: str) -> None:
    """Fill a schema that fits with the rows of an archive, in one transaction.

    Raises NotABackup where the rows do not fit the schema, or name what is not in the archive.
    """
    manifest = archive.manifest
    with psycopg.connect(scratch.address(database)) as connection:
        connection.execute(PINNED)
        _check_tables(connection, manifest)
        try:
            _load(connection, archive)
        except psycopg.DataError as fault:
            told = _("Its rows do not fit their tables (%(reason)s).")
            raise NotABackup(told % {"reason": _first_line(fault)}) from None
        except psycopg.IntegrityError as fault:
            told = _("Its rows do not fit each other (%(reason)s).")
            raise NotABackup(told % {"reason": _first_line(fault)}) from None
        _check_rows(connection, manifest)


def _load(connection: psycopg.Connection, archive: Archive) -> None:
    names = [table.name for table in archive.manifest.tables]
    indexes = connection.execute(INDEXES, {"tables": names}).fetchall()
    for name, _definition in indexes:
        connection.execute(sql.SQL("DROP INDEX {}").format(sql.SQL(name)))
    emptied = {row[0] for row in connection.execute(TABLES)} - QUEUE
    connection.execute(sql.SQL("TRUNCATE {}").format(_names(sorted(emptied))))
    for table in archive.manifest.tables:
        statement = sql.SQL("COPY {} ({}) FROM STDIN").format(
            sql.Identifier(table.name), _names(table.columns)
        )
        with connection.cursor() as cursor, cursor.copy(statement) as rows:
            archive.table(table, rows.write)
        for column, (last, given) in table.sequences.items():
            row = connection.execute(SEQUENCE, {"table": f'"{table.name}"', "column": column})
            (sequence,) = row.fetchone() or (None,)
            if sequence is None or last < 1:
                told = _("%(column)s is no column that counts up.")
                raise NotABackup(told % {"column": f"{table.name}.{column}"})
            connection.execute(SET_SEQUENCE, {"sequence": sequence, "last": last, "given": given})
    connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
    for _name, definition in indexes:
        connection.execute(definition)


def _check_tables(connection: psycopg.Connection, manifest: Manifest) -> None:
    """The tables of an archive are those of its schema, each with all its columns."""
    have = {row[0] for row in connection.execute(TABLES)} - LEFT_OUT
    if odd := sorted(have ^ {table.name for table in manifest.tables}):
        told = _("The table %(name)s is missing in it, or was not known at its time.")
        raise NotABackup(told % {"name": odd[0]})
    for table in manifest.tables:
        if sorted(_column(connection, COLUMNS, table.name)) != sorted(table.columns):
            told = _("The table %(name)s in it has other columns than at its time.")
            raise NotABackup(told % {"name": table.name})


def _check_rows(connection: psycopg.Connection, manifest: Manifest) -> None:
    """What the rows say of migrations and files is what the manifest says."""
    if migrations(connection) != manifest.migrations:
        raise NotABackup(_("Its rows tell of other migrations than its manifest."))
    known = {file.name for file in manifest.files} | {*manifest.missing}
    if odd := sorted(file_names(connection) - known):
        told = _("A row in it names the file “%(name)s”, which is not in it.")
        raise NotABackup(told % {"name": odd[0][:200]})


def _first_line(fault: Exception) -> str:
    return str(fault).strip().partition("\n")[0]
