"""What the schema itself promises."""

from django.core.management import call_command
from django.db import connection


def test_migrations_are_complete(db):
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


def test_what_search_scans_is_stored_inside_the_row(db):
    """`p` is PLAIN and `e` EXTERNAL: neither is compressed, vectors are never moved out."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT attname, attstorage::text FROM pg_attribute"
            " WHERE attname IN ('embedding', 'lexemes')"
            " AND attrelid IN ('library_chunkvector'::regclass, 'library_chunkwords'::regclass)"
        )
        assert dict(cursor.fetchall()) == {"embedding": "p", "lexemes": "e"}
