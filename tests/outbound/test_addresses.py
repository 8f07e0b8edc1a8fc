"""Addresses: which are read, which are refused, and which numbers are of the public web."""

import pytest

from apps.outbound import addresses
from apps.outbound.addresses import Refused, parse

READ = {
    "https://example.org": "https://example.org/",
    " https://example.org/a?b=c#d ": "https://example.org/a?b=c",
    "HTTP://EXAMPLE.org:80/A": "http://example.org/A",
    "https://example.org:8443/": "https://example.org:8443/",
    "https://example.org.": "https://example.org/",
    "https://bücher.example/äpfel?q=ö": "https://xn--bcher-kva.example/%C3%A4pfel?q=%C3%B6",
    "https://example.org/a%20b?x=[1]": "https://example.org/a%20b?x=[1]",
    "https://example。org/": "https://example.org/",
    "https://93.184.216.34/": "https://93.184.216.34/",
    "https://[2606:2800:0220:0001::1]:443/": "https://[2606:2800:220:1::1]/",
    "https://example.org:/": "https://example.org/",
}


@pytest.mark.parametrize(("url", "spelled"), READ.items())
def test_addresses_have_one_spelling(url: str, spelled: str) -> None:
    assert str(parse(url)) == spelled


REFUSED = [
    "", "example.org", "//example.org/", "https://", "https:///path", "https:example.org",
    "file:///etc/passwd", "gopher://example.org/_x", "ftp://example.org/", "javascript:alert(1)",
    "data:text/html,x", "dict://example.org:11211/", "jar:http://example.org!/", "unix:/run/x",
    # two readers, two hosts
    "https://user@example.org/", "https://user:word@example.org/", "https://example.org@127.0.0.1/",
    "https://127.0.0.1\\@example.org/", "https://example.org\\.evil.org/", "https://a b.org/",
    "https://example.org\t.evil.org/", "https://example.org/\r\nHost: x", "https://exa\nmple.org/",
    "https://example.org\0/", "https://example.org%00.evil.org/", "https://%31%32%37.0.0.1/",
    "https://example.org#@127.0.0.1:22\\", "https://[::1/", "https://[::1]x/", "https://[v1.x]/",
    # numbers in disguise
    "http://2130706433/", "http://0x7f000001/", "http://017700000001/", "http://127.1/",
    "http://0x7f.0.0.1/", "http://0177.0.0.1/", "http://127.0.0.01/", "http://1.2.3.4.5/",
    "http://127.0.0.1.0x10/", "http://[::1%25eth0]/", "http://[fe80::1%eth0]/", "http://0/",
    "http://①②⑦.⓪.⓪.①:1/", "http://127。1/", "http://256.1.1.1/",
    # names of this machine and its network
    "http://localhost/", "http://LOCALHOST./", "http://localhost.localdomain/", "http://intranet/",
    "http://printer.local/", "http://host.docker.internal/", "http://metadata.google.internal/",
    "http://router.lan/", "http://nas.home.arpa/", "http://loc\u00adalhost/", "http://ｌocalhost/",
    "http://app.localhost/", "http://postgres/", "http://-x.org/", "http://a..org/",
    "http://under_score.example.org/",
    # ports
    "http://example.org:22/", "http://example.org:11434/", "http://example.org:5432/",
    "http://example.org:0/", "http://example.org:65536/", "http://example.org:-1/",
    "http://example.org:８０8/", "http://example.org:80:80/", "http://example.org:+80/",
    "https://example.org/" + "x" * 3000,
]  # fmt: skip


@pytest.mark.parametrize("url", REFUSED, ids=lambda url: ascii(url)[:40])
def test_odd_addresses_are_refused_with_a_sentence(url: str) -> None:
    with pytest.raises(Refused, match=r"^[A-Z“].*[./]$"):
        parse(url)


@pytest.mark.parametrize(
    ("to", "place"),
    [
        ("/b?c", "https://example.org/b?c"),
        ("b", "https://example.org/a/b"),
        ("//other.org/x", "https://other.org/x"),
        ("http://other.org", "http://other.org/"),
        ("?q", "https://example.org/a/?q"),
    ],
)
def test_redirects_are_read_relative_to_where_they_were_met(to: str, place: str) -> None:
    assert str(parse(to, base=parse("https://example.org/a/"))) == place


@pytest.mark.parametrize("to", ["file:///etc/passwd", "//localhost/", "http://127.1/", "/\\x"])
def test_redirects_are_judged_like_addresses(to: str) -> None:
    with pytest.raises(Refused):
        parse(to, base=parse("https://example.org/a/"))


PUBLIC = ["8.8.8.8", "93.184.216.34", "2606:2800:220:1::1", "64:ff9b::808:808", "192.0.1.1"]
NEARBY = [
    "127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1", "169.254.169.254", "169.254.170.2", "100.64.0.1", "100.127.255.255",
    "100.100.100.200", "192.0.0.1", "192.0.0.192", "192.0.2.1", "198.18.0.1", "198.51.100.1",
    "203.0.113.1", "192.88.99.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2002:7f00:1::", "2002:808:808::1",
    "2001::1", "2001:0:4136:e378::1", "2001:db8::1", "2001:20::1", "3fff::1", "5f00::1", "100::1",
    "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "4000::1",
    "localhost", "", "127.1", "1.2.3.4 ",
]  # fmt: skip


@pytest.mark.parametrize("number", PUBLIC)
def test_public_numbers(number: str) -> None:
    assert addresses.is_public(number)


@pytest.mark.parametrize("number", NEARBY)
def test_numbers_of_machines_near_us(number: str) -> None:
    assert not addresses.is_public(number)
