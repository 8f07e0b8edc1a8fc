"""Fetching pages: what comes, what is refused, and that nobody near us is ever reached."""

import gzip
import json
import socket
import ssl
import threading
import time
import zlib
from typing import Any

import pytest

from apps.outbound import fetch as fetching
from apps.outbound import guard
from apps.outbound.fetch import Door, Fetched, Refused
from tests.fake_web import FakeWeb

ACT = "test of fetching"
FOREIGN = "203.0.113.9"  # kept free for documentation


def fetch(url: str, **limits: Any) -> Fetched:
    return fetching.fetch(url, act=ACT, **limits)


def noted() -> dict[str, Any]:
    """The last line of the ledger."""
    line: dict[str, Any] = json.loads(guard.ledger_file().read_text().splitlines()[-1])
    return line


def test_a_page_comes_as_it_was_sent(web: FakeWeb) -> None:
    url = web.shows("/story", "<title>Tides</title>Ebb and flöw")
    page = fetch(url + "#later")
    assert (page.url, page.status, page.content_type) == (url, 200, "text/html")
    assert page.body == "<title>Tides</title>Ebb and flöw".encode()
    assert page.text().endswith("flöw")
    path, headers = web.heard[0]
    assert (path, headers["Host"]) == ("/story", f"news.test:{web.port}")
    assert headers.keys() == {"Host", "User-Agent", "Accept", "Accept-Encoding", "Connection"}
    line = noted()
    assert (line["how"], line["host"], line["purpose"]) == ("fetch", "news.test", ACT)
    assert line["allowed"] is True and line["size"] == len(page.body)


# --- who is reached -----------------------------------------------------------------------------
NEARBY = [
    "127.0.0.1", "10.0.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1", "::1",
    "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "fe80::1", "fd00::1",
]  # fmt: skip


@pytest.mark.parametrize("number", NEARBY)
def test_names_that_lead_near_us_are_refused(
    web: FakeWeb, number: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "DOOR", Door(resolve=web.resolve, ports=frozenset([web.port])))
    web.names["evil.example"] = [number]
    with pytest.raises(Refused, match="not of the public web"):
        fetch(web.url("/", host="evil.example"))
    host = f"[{number}]" if ":" in number else number
    with pytest.raises(Refused, match="not of the public web"):
        fetch(web.url("/", host=host))
    assert web.heard == []
    assert noted()["allowed"] is False and noted()["purpose"] == ACT


def test_one_bad_address_among_good_ones_is_enough(web: FakeWeb) -> None:
    web.names["mixed.test"] = ["127.0.0.1", "10.0.0.1"]
    with pytest.raises(Refused, match=r"^mixed\.test leads to"):
        fetch(web.url("/", host="mixed.test"))
    assert web.heard == []


def test_a_name_that_changes_its_mind_is_looked_up_once(web: FakeWeb) -> None:
    """Rebinding: vetted with one address, reached at that one, whatever the name says next."""
    answers = [["127.0.0.1"], ["10.0.0.1"]]
    web.shows("/", "the first")
    door = web.door(resolve=lambda host, port: answers.pop(0))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fetching, "DOOR", door)
        assert fetch(web.url("/")).body == b"the first"
    assert answers == [["10.0.0.1"]]


def test_the_real_door_reaches_nobody_here(web: FakeWeb, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "DOOR", Door())
    for url in (web.url("/", "127.0.0.1"), "http://127.0.0.1/", "http://[::1]/", "http://0.0.0.0/"):
        with pytest.raises(Refused):
            fetch(url)
    assert web.heard == []


@pytest.mark.parametrize(
    "to",
    [
        "http://127.0.0.2/", "http://localhost/", "http://169.254.169.254/latest/meta-data/",
        "http://[::ffff:7f00:1]/", "file:///etc/passwd", "gopher://news.test/", "//10.0.0.1/",
        "http://user@news.test/", "http://host.docker.internal/", "http://2130706433/",
        "http://news.test:22/",
    ],
)  # fmt: skip
def test_redirects_are_judged_anew(web: FakeWeb, to: str) -> None:
    url = web.redirects("/go", to)
    with pytest.raises(Refused):
        fetch(url)
    assert [path for path, _ in web.heard] == ["/go"]
    assert noted()["allowed"] is True or noted()["host"] != "news.test"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_followed(web: FakeWeb, status: int) -> None:
    web.shows("/b/there", "arrived")
    web.redirects("/b/here", "there", status)
    page = fetch(web.redirects("/a", web.url("/b/here", host="other.test"), status))
    assert page.url == web.url("/b/there", host="other.test")
    assert page.body == b"arrived"
    assert web.looked_up == ["news.test", "other.test", "other.test"]


def test_circles_end(web: FakeWeb) -> None:
    web.redirects("/a", "/b")
    web.redirects("/b", "/a")
    with pytest.raises(Refused, match="more than 5 times"):
        fetch(web.url("/a"))
    assert len(web.heard) == 6


def test_unknown_names_and_closed_ports_are_told(web: FakeWeb) -> None:
    def nobody(host: str, port: int) -> list[str]:
        raise socket.gaierror("no such name")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fetching, "DOOR", web.door(resolve=nobody))
        with pytest.raises(Refused, match=r"^gone\.example was not found"):
            fetch("https://gone.example/")
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(fetching, "DOOR", web.door(ports=frozenset([port])))
            with pytest.raises(Refused, match="could not be reached"):
                fetch(f"http://news.test:{port}/")


def test_the_guard_lets_only_the_vetted_address_through(web: FakeWeb) -> None:
    """A public address is let through for the act, and stands in the ledger."""
    door = web.door(resolve=lambda host, port: [FOREIGN], is_public=lambda number: True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fetching, "DOOR", door)
        with pytest.raises(Refused):  # nobody is there, or a proxy of this network says so
            fetch("http://news.test/", seconds=0.3)
    lines = [json.loads(line) for line in guard.ledger_file().read_text().splitlines()[-2:]]
    assert [(line["how"], line["host"], line["allowed"]) for line in lines] == [
        ("connect", FOREIGN, True),
        ("fetch", "news.test", True),
    ]
    assert {line["purpose"] for line in lines} == {ACT}


# --- how much, how long -------------------------------------------------------------------------
def test_too_large_a_page_is_not_taken(web: FakeWeb) -> None:
    url = web.shows("/big", b"x" * 2_000_000)
    with pytest.raises(Refused, match="larger than 1 MB"):
        fetch(url, most_bytes=1 << 20)
    assert fetch(url, most_bytes=2_000_000).body == b"x" * 2_000_000


def test_a_page_that_does_not_say_how_large_it_is_is_cut_off(web: FakeWeb) -> None:
    sent = 0

    def endless(visit: Any) -> None:
        nonlocal sent
        visit.send_response(200)
        visit.end_headers()
        while sent < 50_000_000:
            visit.wfile.write(b"x" * 65536)
            sent += 65536

    with pytest.raises(Refused, match="larger than 1 MB"):
        fetch(web.does("/endless", endless), most_bytes=1 << 20)
    assert 1 << 20 <= noted()["size"] < 2 << 20
    assert sent < 20_000_000


@pytest.mark.parametrize("packing", ["gzip", "deflate", "x-gzip"])
def test_a_bomb_is_not_unpacked(web: FakeWeb, packing: str) -> None:
    bomb = b"0" * 100_000_000
    packed = zlib.compress(bomb) if packing == "deflate" else gzip.compress(bomb, 6)
    url = web.shows("/bomb", packed, Content_Encoding=packing)
    with pytest.raises(Refused, match="larger than 1 MB"):
        fetch(url, most_bytes=1 << 20)


def test_packed_pages_are_unpacked(web: FakeWeb) -> None:
    body = b"all the news " * 1000
    for number, (packing, packed) in enumerate(
        [
            ("gzip", gzip.compress(body)),
            ("deflate", zlib.compress(body)),
            ("deflate", zlib.compress(body)[2:-4]),
            ("identity", body),
        ]
    ):
        assert fetch(web.shows(f"/{number}", packed, Content_Encoding=packing)).body == body
    for packing, packed in [("br", body), ("zstd", body), ("gzip, gzip", body), ("gzip", body)]:
        with pytest.raises(Refused):
            fetch(web.shows("/odd", packed, Content_Encoding=packing))
    with pytest.raises(Refused, match="before the page was whole"):
        fetch(web.shows("/half", gzip.compress(body)[:-20], Content_Encoding="gzip"))


def test_a_server_may_not_hold_us(web: FakeWeb) -> None:
    held = threading.Event()

    def silent(visit: Any) -> None:
        held.wait(30)

    def drips_headers(visit: Any) -> None:
        visit.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while not held.wait(0.05):
            visit.wfile.write(b"X: y\r\n")

    def drips_body(visit: Any) -> None:
        visit.send_response(200)
        visit.end_headers()
        while not held.wait(0.05):
            visit.wfile.write(b"x")

    for odd in (silent, drips_headers, drips_body):
        began = time.monotonic()
        with pytest.raises(Refused, match="did not answer within"):
            fetch(web.does("/slow", odd), seconds=0.4)
        assert time.monotonic() - began < 10
    held.set()


def test_what_is_no_proper_answer_is_told(web: FakeWeb) -> None:
    def nonsense(visit: Any) -> None:
        visit.wfile.write(b"220 mail.example ESMTP\r\n")

    def breaks_off(visit: Any) -> None:
        visit.send_response(200)
        visit.send_header("Content-Length", "1000")
        visit.end_headers()
        visit.wfile.write(b"half a page")

    def huge_headers(visit: Any) -> None:
        visit.wfile.write(b"HTTP/1.1 200 OK\r\n" + b"X: " + b"y" * 200_000 + b"\r\n\r\n")

    for odd in (nonsense, breaks_off, huge_headers):
        with pytest.raises(Refused, match="broke off, or sent"):
            fetch(web.does("/odd", odd))
    for status, words in [(404, "no page"), (403, "to a program"), (500, "the error 500")]:
        with pytest.raises(Refused, match=words):
            fetch(web.shows("/status", "x", status=status))


# --- what it says of itself ---------------------------------------------------------------------
@pytest.mark.parametrize(
    ("content_type", "body", "charset"),
    [
        ("text/html; charset=ISO-8859-1", b"caf\xe9", "iso8859-1"),
        ("text/html; charset=utf-8", b"\xef\xbb\xbfcaf\xc3\xa9", "utf-8-sig"),
        ("text/html", "<p>café".encode("utf-16"), "utf-16"),
        ("text/html", b'<meta charset="windows-1252"><p>caf\xe9', "cp1252"),
        ("text/html", b'<meta content="text/html; charset=shift_jis">\x83\x4a', "shift_jis"),
        ("text/html; charset=nonsense", b"cafe", ""),
        ("text/html; charset=base64", b"cafe", ""),
        ("text/html; charset=utf-7", b"cafe", ""),
        ("Application/PDF", b"%PDF", ""),
        ("", b"cafe", ""),
    ],
)
def test_the_encoding_is_the_declared_one(
    web: FakeWeb, content_type: str, body: bytes, charset: str
) -> None:
    page = fetch(web.shows("/page", body, content_type))
    assert page.charset == charset
    assert page.content_type == content_type.partition(";")[0].lower()
    assert "caf" in page.text() or "カ" in page.text() or page.body == b"%PDF"


# --- who it is ----------------------------------------------------------------------------------
@pytest.fixture
def secure(web: FakeWeb, monkeypatch: pytest.MonkeyPatch) -> FakeWeb:
    """The same web by https, with a certificate for news.test."""
    trustme = pytest.importorskip("trustme")
    authority = trustme.CA()
    theirs = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("news.test").configure_cert(theirs)
    asked: list[str] = []
    theirs.sni_callback = lambda _socket, name, _context: asked.append(name or "")
    web.socket = theirs.wrap_socket(web.socket, server_side=True)
    ours = ssl.create_default_context()
    authority.configure_trust(ours)
    monkeypatch.setattr(fetching, "DOOR", web.door(certificates=lambda: ours))
    web.names["sni"] = asked
    return web


def test_the_certificate_is_for_the_name_not_the_number(secure: FakeWeb) -> None:
    secure.shows("/", "proven")
    assert fetch(secure.url("/", scheme="https")).body == b"proven"
    assert secure.names["sni"] == ["news.test"]
    for host in ("other.test", "127.0.0.1"):
        with pytest.raises(Refused, match="did not prove who it is"):
            fetch(secure.url("/", host=host, scheme="https"))
    assert len(secure.heard) == 1


def test_an_unknown_authority_is_refused(secure: FakeWeb, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "DOOR", secure.door())
    with pytest.raises(Refused, match="its certificate is not valid"):
        fetch(secure.url("/", scheme="https"))
