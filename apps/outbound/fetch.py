"""Fetch one web page for a person: only from the public web, within limits, each try noted.

A name is resolved once, all its addresses must be public, and the connection goes to one of
these, so that nobody can answer with one address and be reached at another. Each redirect goes
through the same. Nothing of the vault is sent: no cookie, no referrer, no word of a document.
"""

import codecs
import re
import socket
import ssl
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import certifi
import httpcore

from apps.outbound import addresses, guard, noting
from apps.outbound.addresses import Address, Refused
from apps.outbound.connecting import Vetted
from apps.web.telling import gettext as _

__all__ = ["Door", "Fetched", "Refused", "checked", "fetch"]

MOST_BYTES = 20 << 20
SECONDS = 30.0
REDIRECTS = 5
REDIRECTED = (301, 302, 303, 307, 308)
AGENT = "Mozilla/5.0 (compatible; Vaultsite; a person's own vault)"
HEADERS = {
    "User-Agent": AGENT,
    "Accept": "text/html,application/xhtml+xml,*/*;q=0.8",
    "Accept-Encoding": "gzip, deflate",
    "Connection": "close",
}
UNPACKED = {"", "identity", "gzip", "x-gzip", "deflate"}
DECLARED = re.compile(rb"""<(?:meta|\?xml)[^>]*?(?:charset|encoding)\s*=\s*["']?([\w.:-]{2,40})""")
MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came: `url` is where it was found in the end, `body` unpacked, as it was sent.

    `charset` is the one its sender declares, "" where it declares none that exists; `modified`
    is the header Last-Modified as it was sent.
    """

    url: str
    status: int
    content_type: str  # in lower case, without parameters
    charset: str
    body: bytes
    modified: str = ""

    def text(self) -> str:
        """The body as text; what cannot be read is marked, never an error."""
        return self.body.decode(self.charset or "utf-8", "replace")


def _resolve(host: str, port: int) -> list[str]:
    """The IP addresses of a name, in the system's order."""
    rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(row[4][0]) for row in rows))


def _certificates() -> ssl.SSLContext:
    """The authorities of the system, and certifi's for systems that have none."""
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


@dataclass(frozen=True, slots=True)
class Door:
    """What may be reached, and how names become numbers. Only tests have one of their own."""

    resolve: Callable[[str, int], list[str]] = _resolve
    certificates: Callable[[], ssl.SSLContext] = _certificates
    ports: frozenset[int] = addresses.PORTS
    is_public: Callable[[str], bool] = addresses.is_public


DOOR = Door()


@dataclass(slots=True)
class _Errand:
    """One fetch with what it may still use."""

    act: str
    most_bytes: int
    until: float
    door: Door
    received: int = 0
    seconds: float = field(default=SECONDS)


def fetch(
    url: str,
    *,
    act: str,
    most_bytes: int = MOST_BYTES,
    seconds: float = SECONDS,
    redirects: int = REDIRECTS,
) -> Fetched:
    """What is at a web address, for an act of a person, which the ledger names.

    Raises Refused with a sentence for the person: where the address is not of the public web,
    nothing answers in time, it is larger than `most_bytes`, or the answer is not a page.
    """
    errand = _Errand(act, most_bytes, time.monotonic() + seconds, DOOR, seconds=seconds)
    place = _parsed(url, errand)
    for _hop in range(redirects + 1):
        found = _noted(place, errand)
        if isinstance(found, Fetched):
            return found
        place = found
    raise Refused(
        _("%(host)s sends from one address to the next, more than %(redirects)s times.")
        % {"host": place.host, "redirects": redirects}
    )


def checked(url: str, *, act: str) -> str:
    """A web address in the one way it is spelled, where it may be fetched at all; asks nobody.

    Raises Refused as `fetch` would; what only the name's own numbers can tell, that tells later.
    """
    errand = _Errand(act, 0, 0.0, DOOR)
    place = _parsed(url, errand)
    number = place.host.replace(".", "").isdigit() or ":" in place.host
    if number and not errand.door.is_public(place.host):
        _note(place.host, place.port, errand, allowed=False)
        raise Refused(_near(place))
    return str(place)


def _parsed(url: str, errand: _Errand, base: Address | None = None) -> Address:
    try:
        return addresses.parse(url, errand.door.ports, base)
    except Refused:
        printable = re.sub(r"[^\x21-\x7e]", "?", url.strip())
        _note(printable[:200] or "no address", 0, errand, allowed=False)
        raise


def _noted(place: Address, errand: _Errand) -> Fetched | Address:
    """Ask at a place and write down what became of it."""
    errand.received, reached = 0, False
    try:
        numbers = _vetted(place, errand)
        reached = True
        return _ask(place, numbers, errand)
    finally:
        _note(place.host, place.port, errand, allowed=reached)


def _note(host: str, port: int, errand: _Errand, *, allowed: bool) -> None:
    noting.note(
        *(guard.ledger_file(), guard.process(), noting.FETCH, host, port, errand.act, allowed),
        size=errand.received,
    )


def _vetted(place: Address, errand: _Errand) -> list[str]:
    """The IP addresses of the place; raises Refused unless each of them is public."""
    try:
        with guard.allowed(errand.act, place.host):
            numbers = errand.door.resolve(place.host, place.port)
    except (OSError, UnicodeError):
        numbers = []
    if not numbers:
        raise Refused(
            _("%(host)s was not found: no such site, or this machine is offline.")
            % {"host": place.host}
        )
    if not all(errand.door.is_public(number) for number in numbers):
        raise Refused(_near(place))
    return numbers


def _near(place: Address) -> str:
    return _(
        "%(host)s leads to an address of this machine or its network, not of the public web."
        " Save the page as a file and add that."
    ) % {"host": place.host}


def _ask(place: Address, numbers: list[str], errand: _Errand) -> Fetched | Address:
    """The answer of a place, or the place it redirects to."""
    url = httpcore.URL(
        scheme=place.scheme.encode(),
        host=place.host.encode(),
        port=place.port,
        target=place.target.encode(),
    )
    patience = dict.fromkeys(("connect", "read", "write", "pool"), errand.seconds)
    pool = httpcore.ConnectionPool(
        ssl_context=errand.door.certificates() if place.scheme == "https" else None,
        network_backend=Vetted(numbers, errand.until),
        max_connections=1,
    )
    try:
        with (
            guard.allowed(errand.act, *numbers),
            pool,
            pool.stream(
                *("GET", url),
                headers=[("Host", place.authority), *HEADERS.items()],
                extensions={"timeout": patience},
            ) as response,
        ):
            return _answer(place, response, errand)
    except httpcore.TimeoutException:
        raise Refused(
            _("%(host)s did not answer within %(seconds)s seconds.")
            % {"host": place.host, "seconds": f"{errand.seconds:.0f}"}
        ) from None
    except (httpcore.NetworkError, httpcore.ProtocolError, zlib.error) as error:
        raise Refused(_trouble(place, error)) from None


def _trouble(place: Address, error: Exception) -> str:
    cause: BaseException | None = error
    while cause:
        if isinstance(cause, ssl.SSLError):
            return _("%(host)s did not prove who it is: its certificate is not valid.") % {
                "host": place.host
            }
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, httpcore.ConnectError):
        return _("%(host)s could not be reached.") % {"host": place.host}
    return _("%(host)s broke off, or sent what is no proper answer.") % {"host": place.host}


def _answer(place: Address, response: httpcore.Response, errand: _Errand) -> Fetched | Address:
    headers = {key.decode("latin-1").lower(): value for key, value in response.headers}
    if response.status in REDIRECTED and "location" in headers:
        return _parsed(headers["location"].decode("latin-1"), errand, base=place)
    if not 200 <= response.status < 300:
        raise Refused(_status(place, response.status))
    said = headers.get("content-type", b"").decode("latin-1").lower()
    body = b"".join(_unpacked(place, response, headers, errand))
    content_type = said.partition(";")[0].strip()
    modified = headers.get("last-modified", b"").decode("latin-1")
    charset = _charset(said, body[:2048])
    return Fetched(str(place), response.status, content_type, charset, body, modified)


def _status(place: Address, status: int) -> str:
    if status in (401, 403, 407, 429):
        return _("%(host)s does not show this page to a program (%(status)s).") % {
            "host": place.host,
            "status": status,
        }
    if status in (404, 410):
        return _("%(host)s has no page at this address (%(status)s).") % {
            "host": place.host,
            "status": status,
        }
    return _("%(host)s answered with the error %(status)s.") % {
        "host": place.host,
        "status": status,
    }


def _unpacked(
    place: Address, response: httpcore.Response, headers: dict[str, bytes], errand: _Errand
) -> Iterator[bytes]:
    """The body piece by piece; never more of it than may be, packed or unpacked."""
    packing = headers.get("content-encoding", b"").decode("latin-1").strip().lower()
    if packing not in UNPACKED:
        raise Refused(
            _("%(host)s packs its pages in a way that was not asked for.") % {"host": place.host}
        )
    too_much = Refused(
        _("The page is larger than %(size)s MB.") % {"size": errand.most_bytes >> 20 or 1}
    )
    declared = headers.get("content-length", b"")
    if declared.isdigit() and int(declared) > errand.most_bytes:
        raise too_much
    unpacker = _Unpacker() if packing not in ("", "identity") else None
    came = 0
    for piece in response.iter_stream():
        errand.received += len(piece)
        if unpacker:
            piece = unpacker.unpack(piece, errand.most_bytes - came + 1)
        came += len(piece)
        if came > errand.most_bytes or errand.received > errand.most_bytes:
            raise too_much
        yield piece
    if unpacker and not unpacker.finished:
        raise Refused(_("%(host)s broke off before the page was whole.") % {"host": place.host})


class _Unpacker:
    """gzip and deflate, the latter with or without its head, as senders do it."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(wbits=47)
        self._begun = False

    def unpack(self, piece: bytes, most: int) -> bytes:
        """What a piece comes to, at most so many bytes; what is left over then is lost."""
        try:
            found = self._inner.decompress(piece, most)
        except zlib.error:
            if self._begun:
                raise
            self._inner = zlib.decompressobj(wbits=-15)
            found = self._inner.decompress(piece, most)
        self._begun = True
        return found

    @property
    def finished(self) -> bool:
        return self._inner.eof or not self._begun


def _charset(said: str, head: bytes) -> str:
    """The encoding: by a mark at the start, by the header, by what the page says of itself."""
    for mark, name in MARKS.items():
        if head.startswith(mark):
            return name
    declared = re.search(r"charset\s*=\s*[\"']?([\w.:-]+)", said)
    if declared and (name := _known(declared[1])):
        return name
    within = DECLARED.search(head)
    return _known(within[1].decode("ascii", "replace")) if within else ""


def _known(name: str) -> str:
    """The name of an encoding of text as Python has it, "" where it has none."""
    try:
        found = codecs.lookup(name)
        "".encode(name)  # of the codecs that are not for text this raises
    except (LookupError, ValueError, UnicodeError):
        return ""
    return "" if found.name in ("idna", "punycode", "utf-7", "undefined") else found.name
