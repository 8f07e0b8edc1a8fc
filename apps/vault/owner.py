"""The first person of a vault: made once, by whoever comes first."""

from django.contrib.auth.models import User
from django.db import connection, transaction

# Two who set up the vault at the same moment wait here for each other.
LOCK = "SELECT pg_advisory_xact_lock(hashtext('vault:owner'))"


class AlreadyOwned(Exception):
    """Somebody owns this vault: the first visit is over for ever."""


def is_owned() -> bool:
    return User.objects.exists()


def create(name: str, password: str) -> User:
    """Make the owner of an empty vault, who may do everything. Raises AlreadyOwned."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(LOCK)
        if is_owned():
            raise AlreadyOwned("This vault has an owner already. Sign in instead.")
        return User.objects.create_superuser(name, password=password)
