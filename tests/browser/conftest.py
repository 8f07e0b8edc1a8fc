"""Chromium in front of the real web server, on the test database; its console must stay empty.

A story takes `page` (Alice is signed in, 1280 wide), or opens windows of its own with `window`:

    with window(bob, width=390) as page: ...
    with window(alice, java_script_enabled=False) as page: ...

`complaints` holds what console and policy said; a story that provokes one takes it out again.
"""

import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest
import waitress
from django.conf import settings
from django.contrib.auth.models import User
from django.core.wsgi import get_wsgi_application
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.browser import chromium

expect.set_options(timeout=30_000)  # of a machine that does other things as well

Window = Callable[..., AbstractContextManager[Page]]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if not chromium.path():
        reason = "Chromium is not installed: apt-get install chromium"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with chromium.running() as browser:
        yield browser


@pytest.fixture(scope="session")
def address(django_db_setup: None) -> Iterator[str]:
    """The real web server in this process, on the test database."""
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    server = waitress.create_server(
        get_wsgi_application(),
        host="127.0.0.1",
        port=0,
        threads=16,
        channel_request_lookahead=1,
        asyncore_use_poll=True,
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.effective_port}"
    server.task_dispatcher.shutdown(timeout=1)
    server.close()


@pytest.fixture
def complaints() -> list[str]:
    """What the browser had to say against the pages, and whom else they asked."""
    return []


@pytest.fixture
def window(
    transactional_db: None, browser: Browser, address: str, complaints: list[str]
) -> Iterator[Window]:
    """Open browser windows in which a person is signed in, or nobody."""

    @contextmanager
    def opened(
        person: User | None = None, width: int = 1280, height: int = 800, **options: Any
    ) -> Iterator[Page]:
        viewport = {"width": width, "height": height}
        context = browser.new_context(base_url=address, viewport=viewport, **options)
        context.set_default_timeout(30_000)  # as above
        _listen(context, address, complaints)
        if person:
            sign_in(context, person, address)
        yield context.new_page()
        context.close()

    yield opened
    assert complaints == []


@pytest.fixture
def page(window: Window, alice: User) -> Iterator[Page]:
    """A window in which Alice is signed in."""
    with window(alice) as page:
        yield page


def go_to(stop: Locator, key: str = "Tab") -> None:
    """Press a key until the focus is there, as a person does who has no mouse."""
    stop.wait_for()
    for _ in range(80):
        if stop.evaluate("(it) => it === document.activeElement"):
            return
        stop.page.keyboard.press(key)
    raise AssertionError(f"{key} never came to {stop}")


def press(stop: Locator, key: str = "Tab") -> None:
    """Go there without a mouse, and press Enter."""
    go_to(stop, key)
    stop.page.keyboard.press("Enter")


def keeps_focus(page: Page) -> None:
    """Whatever has been swapped, the keyboard is somewhere on the page."""
    page.wait_for_function("document.activeElement && document.activeElement !== document.body")


def sign_in(context: BrowserContext, person: User, address: str) -> None:
    """Let a browser be a person's from here on, without the login page."""
    client = Client()
    client.force_login(person)
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": address}])


def _listen(context: BrowserContext, address: str, complaints: list[str]) -> None:
    def note_request(url: str) -> None:
        if not url.startswith((address, "data:", "blob:")):
            complaints.append(f"asked somebody else: {url}")

    context.on("request", lambda request: note_request(request.url))
    context.on("console", lambda said: complaints.append(f"{said.type}: {said.text}"))
    context.on("weberror", lambda error: complaints.append(str(error.error)))
