"""Slow down whoever guesses passwords, by the name that is tried and by the address it comes from.

A few tries are free. After that each one has to wait, twice as long as the one before, up to a
quarter of an hour. A try that comes too early is refused before its password is looked at, so it
costs one statement, writes nothing and does not make the wait longer. Who is signed in stays so.

Unknown names wait like known ones: the answer does not tell which exist. The clock is the
database's, one for all processes; where it was set back, the next try is let through and counted.
"""

import ipaddress
import math

from django.db import connection, transaction
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.web.models import Tries

FREE = {Tries.Kind.NAME: 5, Tries.Kind.ADDRESS: 20}
SHORTEST = 30  # seconds
LONGEST = 900  # seconds
FORGET = 3600  # seconds without a try after which the counting starts anew
# An address that tries a new name each time leaves rows behind: they go with the next new one.
SWEEP = "DELETE FROM web_tries WHERE last < clock_timestamp() - make_interval(secs => %(forget)s)"
WAIT = """
CASE WHEN kept.count < %(free)s OR kept.last > clock_timestamp() THEN 0
     ELSE greatest(0, extract(epoch FROM kept.last - clock_timestamp())
          + least(%(longest)s, %(shortest)s * power(2, least(kept.count - %(free)s, 20))))
END
"""
ASK = f"SELECT {WAIT} FROM web_tries AS kept WHERE key = %(key)s"
COUNT = f"""
INSERT INTO web_tries AS kept (key, kind, count, last)
VALUES (%(key)s, %(kind)s, 1, clock_timestamp())
ON CONFLICT (key) DO UPDATE
SET count = CASE WHEN kept.last < clock_timestamp() - make_interval(secs => %(forget)s) THEN 1
            ELSE least(kept.count + 1, 1000) END,
    last = clock_timestamp()
WHERE {WAIT} = 0
RETURNING count
"""


class Wait(Exception):
    """Too many tries; `seconds` is how long until the next one is looked at."""

    def __init__(self, seconds: float) -> None:
        self.seconds = max(1, math.ceil(seconds))
        super().__init__(
            _(
                "Too many wrong passwords. Wait %(time)s, then try again; or ask an owner of this"
                " vault to unlock you."
            )
            % {"time": spoken(self.seconds)}
        )


def count(name: str, address: str) -> None:
    """Count one try, before its password is looked at. Raises Wait where it comes too early.

    Counting first is what holds for hundreds that come at the same moment.
    """
    # The address first: who floods from one is stopped there, and leaves no rows for names.
    counted = ((Tries.Kind.ADDRESS, _place(address)), (Tries.Kind.NAME, _hidden(name)))
    for kind, key in counted:
        if wait := _ask(kind, key):
            raise Wait(wait)
    for kind, key in counted:
        _count(kind, key)


def succeeded(name: str, address: str) -> None:
    """Take back what a right password has counted.

    The address keeps its other tries: else whoever has an account could guess those of others,
    signing in in between.
    """
    with transaction.atomic():
        Tries.objects.filter(key=_hidden(name)).delete()
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE web_tries SET count = greatest(count - 1, 0) WHERE key = %(key)s",
                {"key": _place(address)},
            )


def wait_of(name: str) -> float:
    """The seconds somebody of that name has to wait; 0 where they need not."""
    return _ask(Tries.Kind.NAME, _hidden(name))


def waiting_addresses() -> list[tuple[str, float]]:
    """The addresses that have to wait, with the seconds."""
    kept = Tries.objects.filter(kind=Tries.Kind.ADDRESS, count__gte=FREE[Tries.Kind.ADDRESS])
    asked = [(each.key, _ask(Tries.Kind.ADDRESS, each.key)) for each in kept.order_by("key")[:50]]
    return [(key, seconds) for key, seconds in asked if seconds]


def unlock(*, name: str | None = None, address: str | None = None) -> int:
    """Forget the tries of a name or an address, else all of them; how many there were."""
    tries = Tries.objects.all()
    if name is not None:
        tries = tries.filter(key=_hidden(name))
    if address is not None:
        tries = tries.filter(key=_place(address))
    return int(tries.delete()[0])


def spoken(seconds: float) -> str:
    """A wait as it is said: "40 seconds", "2 minutes", never less than it is."""
    if seconds <= 90:
        whole = max(1, math.ceil(seconds))
        return ngettext("%(n)s second", "%(n)s seconds", whole) % {"n": whole}
    minutes = math.ceil(seconds / 60)
    return ngettext("%(n)s minute", "%(n)s minutes", minutes) % {"n": minutes}


def _count(kind: Tries.Kind, key: str) -> None:
    wanted = _values(kind, key) | {"kind": kind.value, "forget": FORGET}
    with connection.cursor() as cursor:
        cursor.execute(COUNT, wanted)
        row = cursor.fetchone()
        if row is None:  # others of the same moment have used the tries up
            raise Wait(_ask(kind, key))
        if row[0] == 1:
            cursor.execute(SWEEP, wanted)


def _ask(kind: Tries.Kind, key: str) -> float:
    with connection.cursor() as cursor:
        cursor.execute(ASK, _values(kind, key))
        row = cursor.fetchone()
    return float(row[0]) if row else 0.0


def _values(kind: Tries.Kind, key: str) -> dict[str, str | int]:
    return {"key": key, "free": FREE[kind], "shortest": SHORTEST, "longest": LONGEST}


def _hidden(name: str) -> str:
    return salted_hmac("vaultsite.tries", name.casefold(), algorithm="sha256").hexdigest()


def _place(address: str) -> str:
    """The address; of IPv6 its network, which one household has to itself."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return "local"
    if isinstance(found, ipaddress.IPv6Address) and not found.ipv4_mapped:
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(getattr(found, "ipv4_mapped", None) or found)
