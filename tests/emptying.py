"""Empty the database after a test that has committed, in one round trip.

Django would truncate each table, which makes new files of all of them, and then look for the
permissions of every model: a third of a second for each test. Here the few rows are deleted, and
what no test writes, the kinds and permissions of models, stays.
"""

from functools import cache

from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.test import TransactionTestCase

KEPT = {Permission._meta.db_table, ContentType._meta.db_table}


def install() -> None:
    """Let the tests that commit end with this."""
    TransactionTestCase._fixture_teardown = lambda _case: empty()


def empty() -> None:
    """Delete all rows. Waits, as TRUNCATE does, for threads that are still writing some."""
    with connection.cursor() as cursor:
        cursor.execute(_statements())  # one transaction, at whose end keys are compared


@cache
def _statements() -> str:
    tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
    names = [connection.ops.quote_name(name) for name in sorted({*tables} - KEPT)]
    deletions = "".join(f"DELETE FROM {name};" for name in names)
    return f"BEGIN; LOCK TABLE {', '.join(names)} IN EXCLUSIVE MODE; {deletions} COMMIT"
