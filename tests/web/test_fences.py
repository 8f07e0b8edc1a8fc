"""What each answer tells the browser, and whose requests are answered at all."""

from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from pytest_django import Settings

from apps.web import headers
from tests.test_doors import ADDRESSES, DOORS, things  # noqa: F401  (a fixture)
from vaultsite import env

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "media-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
    "require-trusted-types-for": "'script'",
    "trusted-types": "vault",
}
ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": headers.FEATURES,
}
EVIL = "https://evil.example"


def policy_of(answer: Any) -> dict[str, str]:
    directives = answer.headers["Content-Security-Policy"].split(";")
    return {name: value for name, _, value in (each.strip().partition(" ") for each in directives)}


def release(answer: Any) -> None:
    """Close the file of an answer without ending the request, and with it the transaction."""
    for closer in answer._resource_closers:
        if getattr(closer, "__self__", None) is not answer:
            closer()


def test_every_answer_is_fenced(reader: Client, things: dict[str, Any]) -> None:  # noqa: F811
    """All addresses, with what the walk over the doors knows of them."""
    kinds = set()
    for address in ADDRESSES:
        if "GET" not in DOORS[address.name]:
            continue
        answer = reader.get(address.url(things))
        kind = answer.headers.get("Content-Type", "").partition(";")[0]
        kinds.add(kind)
        release(answer)
        assert {name: answer.headers.get(name) for name in ALWAYS} == ALWAYS, address
        if kind == "text/html":
            assert policy_of(answer) == POLICY, address
        else:
            assert answer.headers["Content-Security-Policy"] == headers.INERT, address
            told = answer.headers.get("Content-Disposition", "attachment")
            if kind not in {"", "application/json", "text/event-stream", "image/png"}:
                assert told.startswith("attachment"), address
    assert {"text/html", "text/csv", "text/markdown", "text/event-stream"} <= kinds


@pytest.mark.parametrize("path", ["/nowhere/", "/login/", "/static/js/theme.js", "/healthz"])
def test_so_is_what_no_view_has_made(client: Client, alice: object, path: str) -> None:
    answer = client.get(path)
    assert {name: answer.headers.get(name) for name in ALWAYS} == ALWAYS
    assert "'none'" in policy_of(answer)["default-src"]
    release(answer)


def test_the_admin_is_as_strict_but_for_trusted_types(reader: Client) -> None:
    named = {name: words for name, words in POLICY.items() if "trusted-types" not in name}
    assert policy_of(reader.get("/admin/")) == named


@pytest.mark.parametrize(
    "told",
    [
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
        {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
        {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "object"},
    ],
)
def test_a_strangers_page_may_not_look(reader: Client, told: dict[str, str]) -> None:
    for path in ("/library/", "/healthz", "/progress/export/json/", "/theme/"):
        assert reader.get(path, headers=told).status_code == 403
        assert reader.post(path, headers=told).status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none", "same-origin", None])
def test_a_link_may_lead_here(reader: Client, site: str | None) -> None:
    told = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    answer = reader.get("/library/", headers=told | ({"Sec-Fetch-Site": site} if site else {}))
    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://testserver", 302),
        ("http://testserver:8001", 403),
        ("https://testserver", 403),
        ("http://127.0.0.1", 403),
        ("http://testserver.evil.example", 403),
        ("http://[", 403),
        (EVIL, 403),
        ("null", 403),
        ("", 403),
    ],
)
def test_what_changes_something_comes_from_our_own_origin(
    reader: Client, origin: str, status: int
) -> None:
    """Before any CSRF token is looked at: this client sends one that fits."""
    answer = reader.post("/theme/", {"theme": "dark"}, headers={"Origin": origin})
    assert answer.status_code == status
    assert ("theme" in reader.cookies) == (status == 302)


def test_a_proxy_with_https_may_be_named(reader: Client, settings: Settings) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://vault.example.org"]
    told = {"Origin": "https://vault.example.org"}
    assert reader.post("/theme/", {"theme": "dark"}, headers=told).status_code == 302


def test_a_form_without_a_token_is_refused(alice: object) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice)
    for path in ("/theme/", "/logout/", "/account/people/", "/library/upload/"):
        answer = strict.post(path)
        assert answer.status_code == 403 and "grown old" in answer.text


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "192.168.1.5:8000", "localhost@evil.example", "a b",
     "[::1", "x" * 5000],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/", "/login/", "/healthz", "/api/search"])
def test_by_another_name_nothing_is_answered(alice: object, host: str, path: str) -> None:
    answer = Client(headers={"host": host}).get(path)
    assert answer.status_code == 400 and "alice" not in answer.text


def test_the_address_it_listens_on_is_a_name_and_wildcards_are_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NAMES", " vault.example.org, 192.168.1.5,")
    assert env.hosts("NAMES", "192.168.1.7")[2:] == ["192.168.1.7"]
    assert env.hosts("NAMES", "fd00::7")[2:] == ["[fd00::7]"]
    for listening in ("0.0.0.0", "::"):
        assert env.hosts("NAMES", listening) == ["vault.example.org", "192.168.1.5"]
    for wild in ("*", ".example.org", "*.example.org"):
        monkeypatch.setenv("NAMES", f"good.example.org,{wild}")
        with pytest.raises(ImproperlyConfigured, match="write each name"):
            env.hosts("NAMES", "127.0.0.1")


def test_cookies_are_closed_to_scripts_and_to_strangers(client: Client, alice: object) -> None:
    client.get("/login/")
    client.post("/login/", {"username": "alice", "password": "correct horse battery"})
    for name in ("sessionid", "csrftoken"):
        assert client.cookies[name]["httponly"] and client.cookies[name]["samesite"] == "Lax"


@pytest.mark.parametrize(
    "path",
    ["/static/../vaultsite/settings.py", "/static/%2e%2e/manage.py", "/static//etc/passwd",
     "/static/..%2f..%2fmanage.py", "/static/css/%00.css", "/library/documents/../../account/",
     "/%2e%2e/%2e%2e/etc/passwd", "/static/%5c..%5cmanage.py", "/\\evil.example"],
)  # fmt: skip
def test_a_path_leads_nowhere_it_should_not(reader: Client, path: str) -> None:
    answer = reader.get(path)
    assert answer.status_code == 404 and "SECRET_KEY" not in answer.text


@pytest.mark.parametrize("back", [EVIL, "//evil.example", "/\\evil.example", "javascript:alert(1)"])
def test_nobody_is_sent_elsewhere(client: Client, alice: object, back: str) -> None:
    form = {"username": "alice", "password": "correct horse battery", "next": back}
    assert client.post("/login/", form).url == "/"
    assert client.post("/theme/", {"theme": "dark"}, headers={"Referer": back}).url == "/"
