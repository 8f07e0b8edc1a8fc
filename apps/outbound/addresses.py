"""Which web addresses may be fetched: read strictly, once, and no address of a machine near us."""

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import quote, urljoin, urlsplit

import idna

from apps.web.telling import gettext as _

LONGEST = 2000  # characters of an address
USUAL = {"http": 80, "https": 443}
PORTS = frozenset({80, 443, 8080, 8443})
HOST_NAME = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))+")
NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")  # a last label like this makes an address of a name
NEARBY = (
    ".localhost", ".local", ".localdomain", ".internal", ".lan", ".home.arpa", ".intranet",
    ".private", ".corp", ".home",
)  # fmt: skip
# Of IPv6 only this block is given out to the public; NAT64 carries an IPv4 address in its end.
PUBLIC_IPV6 = ipaddress.IPv6Network("2000::/3")
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
# What different versions of Python judge differently is said here.
NOT_PUBLIC = [
    ipaddress.ip_network(each)
    for each in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
        "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16",
        "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3",
        "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
    )
]  # fmt: skip


class Refused(Exception):
    """An address is not fetched, or what came of it is not taken; str() is for the reader."""


@dataclass(frozen=True, slots=True)
class Address:
    """A web address in its parts, each spelled in the one way it is sent."""

    scheme: str
    host: str  # a name in its ASCII form, or a number without brackets
    port: int
    target: str  # path and query

    @property
    def authority(self) -> str:
        """Host and port as a browser shows them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == USUAL[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.target}"


def parse(url: str, ports: frozenset[int] = PORTS, base: Address | None = None) -> Address:
    """A web address, relative to `base` where there is one; raises Refused for anything odd.

    Whatever two programs could read differently is refused: what is judged is what is sent.
    """
    url = url.strip()
    if not url or len(url) > LONGEST:
        raise Refused(_("That is no web address. One begins with https://"))
    if re.search(r"[\x00-\x20\x7f\\]", url):
        raise Refused(_("The address holds spaces, backslashes or control characters."))
    try:
        parts = urlsplit(urljoin(str(base), url) if base else url)
        port = parts.port
    except ValueError:
        raise Refused(_("That is no web address: its host or port cannot be read.")) from None
    scheme = parts.scheme.lower()
    if scheme not in USUAL or not parts.netloc:
        raise Refused(_("Only addresses that begin with http:// or https:// are fetched."))
    if "@" in parts.netloc:
        raise Refused(_("Addresses with a user name or password in them are not fetched."))
    port = USUAL[scheme] if port is None else port
    if port not in ports:
        raise Refused(_("Port %(port)s is not one that web pages are served at.") % {"port": port})
    path = quote(parts.path or "/", safe="/:@!$&'()*+,;=~%-._")
    query = quote(parts.query, safe="/?:@!$&'()*+,;=~%-._[]")
    return Address(scheme, _host(parts.netloc), port, f"{path}?{query}" if query else path)


def _host(netloc: str) -> str:
    """The host of an address in the one form that is resolved, sent and checked."""
    if "%" in netloc:  # a hidden letter, or a zone, which is of the local network
        raise Refused(_("Hosts that are written with % are not fetched."))
    if netloc.startswith("["):
        inside, _bracket, after = netloc[1:].partition("]")
        if after and not re.fullmatch(r":[0-9]*", after):
            raise Refused(_("That is no web address: its host cannot be read."))
        return _number(inside, ipaddress.IPv6Address)
    name = netloc.partition(":")[0]
    try:
        host = idna.encode(name, uts46=True, transitional=False).decode().lower().rstrip(".")
    except (idna.IDNAError, UnicodeError):
        host = name.lower().rstrip(".")  # names with an underscore or the like fail below
    if NUMBER.fullmatch(host.rpartition(".")[2]):
        return _number(host, ipaddress.IPv4Address)
    if len(host) > 253 or not HOST_NAME.fullmatch(host):
        raise Refused(_("“%(name)s” is no name of a public web site.") % {"name": name[:60]})
    if host.endswith(NEARBY):
        raise Refused(
            _("“%(host)s” is a name of this machine or its network, not of the web.")
            % {"host": host[:60]}
        )
    return host


def _number(text: str, kind: type[ipaddress.IPv4Address | ipaddress.IPv6Address]) -> str:
    try:
        return str(kind(text))
    except ValueError:
        raise Refused(_("The host is a number that is not written in the usual way.")) from None


def is_public(number: str) -> bool:
    """Whether an IP address is one of the public internet, wherever another is hidden in it."""
    try:
        address = ipaddress.ip_address(number)
    except ValueError:  # also those with a zone, which are of the local network
        return False
    if isinstance(address, ipaddress.IPv6Address):
        if address in NAT64:
            return is_public(str(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)))
        if address not in PUBLIC_IPV6:
            return False
    return address.is_global and not any(address in network for network in NOT_PUBLIC)
