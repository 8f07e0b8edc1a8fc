"""Every page of the vault for everybody: axe has nothing to say, light and dark, wide and on a
phone, full and empty; at any zoom nothing sticks out, is covered or hides that it is focused.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Page

from apps.library.models import Workspace
from tests.browser.conftest import Window
from tests.browser.furnished import SHADES, SIZES, STOPS, faults, furnish
from tests.fake_ollama import FakeOllama
from tests.test_doors import ADDRESSES, DOORS, things

__all__ = ["things"]

pytestmark = pytest.mark.browser
EMPTY = {
    *("chat:conversation_list", "chat:history", "library:document_list", "library:search"),
    *("study:home", "study:review", "study:quiz_list", "study:deck_list", "study:workshop_list"),
    *(
        "study:mindmap_list",
        "study:quiz_new",
        "progress:home",
        "vault:audit",
        "library:category_list",
    ),
}
# The last two are a laptop at 200 % and at 400 % zoom.
WIDE, PHONE, DOUBLED, ZOOMED = ((1280, 800), (390, 844), (640, 400), (320, 256))


def pages(reader: Client, *things: dict[str, Any]) -> Iterator[str]:
    """Every address of the URL map that answers with a whole page, once for each of the things."""
    doors = [address for address in ADDRESSES if "GET" in DOORS[address.name]]
    for url in dict.fromkeys(address.url(each) for each in things for address in doors):
        answer = reader.get(url)
        if answer.streaming:
            answer.close()
        elif answer.status_code == 200 and answer.content.startswith(b"<!doctype html"):
            yield url


def look(page: Page, url: str) -> Iterator[str]:
    """Everything that is wrong with a page, however it is looked at."""
    _stand(page, WIDE, color_scheme="light", forced_colors="none", reduced_motion="reduce")
    page.goto(url)
    yield from (f"{url} {fault}" for fault in faults(page))
    yield from _out(page, url)
    if page.locator("h1").count() != 1:
        yield f"{url} must have one heading of the first level"
    _stand(page, PHONE, color_scheme="dark")
    page.evaluate("scrollTo(0, 0)")  # half of a button may just be passing under the composer
    yield from (f"{url} dark phone {fault}" for fault in faults(page, SHADES + SIZES))
    yield from _out(page, url)
    _stand(page, DOUBLED)
    yield from _out(page, url)
    _stand(page, ZOOMED, forced_colors="active")
    yield from (f"{url} 400 % {fault}" for fault in page.evaluate(STOPS))
    yield from _out(page, url)


def _stand(page: Page, size: tuple[int, int], **media: Any) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.emulate_media(**media)


def _out(page: Page, url: str) -> Iterator[str]:
    if wide := page.evaluate("document.documentElement.scrollWidth - innerWidth"):
        yield f"{url}: {wide} px stick out at {page.viewport_size}"


def test_every_page_is_for_everybody(
    window: Window,
    workspace: Workspace,
    reader: Client,
    things: dict[str, Any],
    ollama: FakeOllama,
    complaints: list[str],
) -> None:
    furnish(things, workspace)
    over = things | {"attempt_id": things["over_id"], "document_id": things["manual_id"]}
    urls = [*pages(reader, things, over), "/nowhere/"]
    with window(workspace.owner) as page:
        found = [fault for url in urls for fault in look(page, url)]
    assert not found, "\n".join(found)
    assert all("404" in said for said in complaints)  # that of /nowhere/
    complaints.clear()


def test_an_empty_vault_is_for_everybody(window: Window, bob: User, alice: User) -> None:
    with window(bob) as page:
        urls = dict.fromkeys(each.url({}) for each in ADDRESSES if each.name in EMPTY)
        found = [fault for url in urls for fault in look(page, url)]
    with window() as page:
        found += look(page, "/login/")
    assert not found, "\n".join(found)
