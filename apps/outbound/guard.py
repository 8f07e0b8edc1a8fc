"""The one door to the network: every connection this process is about to make is judged here.

An audit hook of Python hears of each connect, send and name lookup before it happens. It lets
through what stays on this machine, the servers a person has configured (DATABASE_URL, OLLAMA_HOST)
and what a named act of a person needs; all else raises Refused. What is refused, and what is let
through beyond this machine, is written to the ledger file. Needs no Django, for the parsers and
the model server have none. SECURITY.md says what a hook cannot see.
"""

import _socket
import contextlib
import os
import sys
import time
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from apps.outbound import configured, noting
from apps.web.told import gettext as _

Reach = Literal["configured", "loopback", "nothing"]

FRESH = 30.0  # seconds that the addresses of a name are believed
HASTE = 1.0  # seconds between two lookups of a name because of an address that is not known
SELDOM = 60.0  # seconds between two notes of the same configured server

# Libraries that would ask their makers for news are told not to; whoever we start inherits it.
QUIET = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "SCARF_NO_ANALYTICS": "true",
    "ANONYMIZED_TELEMETRY": "False",
    "GRADIO_ANALYTICS_ENABLED": "False",
    "WANDB_MODE": "disabled",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
}
# What is heard of: where in its arguments the address stands, and what it is called.
EVENTS = {
    "socket.connect": (1, "connect"),
    "socket.sendto": (1, "send"),
    "socket.sendmsg": (1, "send"),
    "socket.getaddrinfo": (0, "look up"),
    "socket.gethostbyname": (0, "look up"),
    "socket.gethostbyaddr": (0, "ask the name of"),
    "socket.getnameinfo": (0, "ask the name of"),
    "socket.bind": (1, "listen"),
}
KERNELS = {getattr(_socket, f"AF_{name}", -1) for name in ("NETLINK", "ALG")}  # not of a network
ANYWHERE, MAPPED = b"\0" * 16, b"\0" * 10 + b"\xff\xff"


class Refused(PermissionError):
    """A connection the vault does not make; str() is a sentence for the reader."""


@dataclass(frozen=True, slots=True)
class _Armed:
    process: str
    reach: Reach
    since: float
    ledger: Path | None


@dataclass(frozen=True, slots=True)
class _Act:
    purpose: str
    hosts: frozenset[str]


_armed: _Armed | None = None
_act: ContextVar[_Act | None] = ContextVar("act", default=None)
_here = {"", "localhost", "127.0.0.1", "::1"}  # hosts that are this machine, and were met
_noted: dict[tuple[str, int], float] = {}
_found: dict[str, tuple[float, frozenset[bytes]]] = {}  # the addresses of names, and since when


def arm(process: str, *, reach: Reach = "configured", ledger: Path | None = None) -> None:
    """Judge the connections of this process from now on, under this name. It cannot be undone.

    With the reach "loopback" no configured server is let through, with "nothing" nothing at all.
    """
    global _armed
    if _armed is None:
        os.environ.update(QUIET)
        _armed = _Armed(process[:40], reach, time.time(), ledger)
        sys.addaudithook(_hear)


def process() -> str:
    """The name this process is watched under, "" where it is not."""
    return _armed.process if _armed else ""


def armed_since() -> float | None:
    """When this process was armed, in seconds since 1970; None where it is not."""
    return _armed.since if _armed else None


@contextlib.contextmanager
def allowed(purpose: str, *hosts: str) -> Iterator[None]:
    """Let this thread reach these hosts for a block: a person's act, which the ledger names.

    Without hosts it lets nothing through and only names what is tried.
    """
    token = _act.set(_Act(purpose, frozenset(host.lower() for host in hosts)))
    try:
        yield
    finally:
        _act.reset(token)


def note(purpose: str, host: str, port: int = 443, how: str = "connect") -> None:
    """Write down what another program does for a person, which no hook of ours can hear."""
    _write(how, host, port, purpose, True)


# --- the judgement ------------------------------------------------------------------------------
def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    """The hook. It is called for thousands of events a second that are not about the network."""
    watched = EVENTS.get(event)
    if watched is None or _armed is None:
        return
    place, how = watched
    if len(arguments) <= place:
        return
    address = arguments[place]
    if _armed.reach == "nothing":
        if how != "listen":  # whoever listens does not leave: urllib3 tries whether it could
            _write(how, *_spelled(address, arguments), _named(), False)
        raise Refused(_("Whoever reads a document has no business on the network; it was refused."))
    if how == "listen" or address is None:
        return
    if type(address) is not tuple and how in ("connect", "send"):
        return  # a path: Python itself takes nothing but a tuple for a network
    host, port = _spelled(address, arguments)
    if host in _here:
        return
    if how in ("connect", "send") and getattr(arguments[0], "family", None) in KERNELS:
        return
    _judge(how, host, port)


def _spelled(address: Any, arguments: tuple[Any, ...]) -> tuple[str, int]:
    """Host and port of whatever was given as an address; the port is 0 where there is none."""
    port: Any = 0
    if isinstance(address, tuple) and address:
        port = address[1] if len(address) > 1 else 0
        address = address[0]
    elif len(arguments) > 1 and not isinstance(arguments[1], tuple):
        port = arguments[1]  # of getaddrinfo(host, port)
    if isinstance(address, bytes | bytearray | memoryview):
        address = bytes(address).decode("ascii", "backslashreplace")
    if isinstance(port, str | bytes) and port.isdigit():
        port = int(port)
    host = "" if address is None else str(address)
    return host, port if type(port) is int and 0 <= port < 65536 else 0


def _judge(how: str, host: str, port: int) -> None:
    """Let it pass or raise Refused. Nothing else is ever raised."""
    try:
        purpose = _purpose(how, host.lower().rstrip("."), port)
    except Exception:  # whatever is odd about it: it is nothing we know
        purpose = None
    if purpose is None:
        _write(how, host, port, _named(), False)
        told = _(
            "%(host)s was not contacted: the vault reaches only this machine and the servers you"
            " have configured. The audit page lists the attempt."
        )
        raise Refused(told % {"host": host[:100]})
    if purpose and how in ("connect", "send"):
        _note_seldom(how, host, port, purpose)


def _named() -> str:
    """The act that is under way in this thread, "" where there is none."""
    act = _act.get()
    return act.purpose if act else ""


def _purpose(how: str, host: str, port: int) -> str | None:
    """Why it may pass, "" where it stays on this machine; None where it may not."""
    packed = _packed(host)
    if host in _here or (packed and _is_here(packed)):
        if len(_here) < 1000:
            _here.add(host)
        return ""
    if packed and how == "look up":
        return ""  # a number is looked up nowhere; the connection will be judged
    act = _act.get()
    if act and _is_one_of(host, packed, act.hosts):
        return act.purpose
    assert _armed
    if _armed.reach == "configured":
        for server, its_port, purpose in configured.servers():
            fits = how not in ("connect", "send") or port == its_port
            if fits and _is_one_of(host, packed, frozenset([server])):
                return purpose
    return None


def _is_one_of(host: str, packed: bytes, hosts: frozenset[str]) -> bool:
    return host in hosts or (
        bool(packed) and any(packed in _addresses(name, packed) for name in hosts)
    )


def _packed(host: str) -> bytes:
    """The bytes of an address written as a number, IPv4 in an IPv6 coat as IPv4; b"" for names."""
    with contextlib.suppress(OSError, ValueError):
        return _socket.inet_pton(_socket.AF_INET, host)
    with contextlib.suppress(OSError, ValueError):
        packed = _socket.inet_pton(_socket.AF_INET6, host.partition("%")[0])
        return packed[12:] if packed.startswith(MAPPED) else packed
    return b""


def _is_here(packed: bytes) -> bool:
    """Loopback, or the address that stands for "this machine"."""
    if len(packed) == 4:
        return packed[0] == 127 or packed == ANYWHERE[:4]
    return packed in (ANYWHERE, ANYWHERE[:15] + b"\1")


def _addresses(name: str, wanted: bytes) -> frozenset[bytes]:
    """What a permitted host is reached by, remembered; looked up anew where `wanted` is missing."""
    if number := _packed(name):
        return frozenset([number])
    when, known = _found.get(name, (0.0, frozenset[bytes]()))
    age = time.monotonic() - when
    if when and age < (FRESH if wanted in known else HASTE):
        return known
    with contextlib.suppress(OSError, UnicodeError):
        rows = _socket.getaddrinfo(name, None)  # heard by the hook, which lets this name pass
        known = frozenset(_packed(str(row[4][0])) for row in rows)
    _found[name] = (time.monotonic(), known)
    return known


# --- the ledger ---------------------------------------------------------------------------------
def ledger_file() -> Path:
    """Where this process notes what it tries."""
    return (_armed and _armed.ledger) or noting.default_file()


def _note_seldom(how: str, host: str, port: int, purpose: str) -> None:
    """Note it; a configured server, which is asked all the time, once a minute."""
    if purpose in configured.PURPOSES:
        now = time.monotonic()
        if now - _noted.get((host, port), -SELDOM) < SELDOM:
            return
        _noted[host, port] = now
    _write(how, host, port, purpose, True)


def _write(how: str, host: str, port: int, purpose: str, allowed: bool) -> None:
    process = _armed.process if _armed else ""
    noting.note(ledger_file(), process, how, host, port, purpose, allowed)
