"""Debian's Chromium under Playwright, kept from calling anybody but this machine."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

ARGUMENTS = [
    "--no-sandbox",  # CI runs as root, in a container
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]


def path() -> str | None:
    """Where Chromium is, None where there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


@contextmanager
def running() -> Iterator[Browser]:
    """A browser, gone at the end of the block."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path(), args=ARGUMENTS)
        yield browser
        browser.close()
