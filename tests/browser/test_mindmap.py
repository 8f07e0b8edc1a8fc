"""A mindmap in the browser: looked at, zoomed, folded, asked about; nothing overlaps."""

import re

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect

from apps.library.models import Workspace
from apps.study.models import Mindmap
from tests.browser.conftest import Window, go_to, press

pytestmark = pytest.mark.browser

OVERLAPS = """() => {
  const boxes = [...document.querySelectorAll('.map-node')].map((node) => ({
    rect: node.querySelector('rect').getBBox(),
    texts: [...node.querySelectorAll(':scope > text')].map((text) => text.getBBox()),
  }));
  const apart = (a, b) => a.x + a.width <= b.x || b.x + b.width <= a.x
    || a.y + a.height <= b.y || b.y + b.height <= a.y;
  const inside = (a, b) => a.x >= b.x && a.x + a.width <= b.x + b.width;
  let faults = 0;
  boxes.forEach((one, n) => {
    faults += one.texts.filter((text) => !inside(text, one.rect)).length;
    faults += boxes.slice(0, n).filter((other) => !apart(one.rect, other.rect)).length;
  });
  return faults;
}"""


def node(label: str, *children: dict[str, object]) -> dict[str, object]:
    return {"label": label, "chunk": None, "quote": "", "children": list(children)}


@pytest.fixture
def drawn(alice: User, workspace: Workspace) -> Mindmap:
    labels = [
        "Notice period of three months in writing to the cooperative",
        "Wärmepumpe und Nebenkostenabrechnung",
        "MWMWMWMW WWWWWWWW MMMMMMMM",
        "漢字仮名交じり文と機械学習の部屋の温度",
        "مرحبا بالعالم العربي",
    ]
    branches = [node(each, node(f"{each[:50]} one"), node(f"{each[:40]} two")) for each in labels]
    return Mindmap.objects.create(
        owner=alice, workspace=workspace, title="Lease", tree=node("Lease", *branches)
    )


def view(page: Page) -> list[float]:
    """What of the picture is seen: left, top, width, height."""
    told = page.locator(".map-picture").get_attribute("viewBox") or ""
    return [round(float(number), 1) for number in told.split()]


def test_open_zoom_fold_and_ask(page: Page, drawn: Mindmap) -> None:
    page.goto(drawn.get_absolute_url())
    picture = page.locator(".map-picture")
    whole = view(page)
    assert page.evaluate(OVERLAPS) == 0
    page.locator("[data-zoom='1.25']").click()
    assert view(page) != whole
    page.keyboard.press("0")
    assert view(page) == whole
    picture.hover()
    page.mouse.wheel(0, -300)
    assert view(page) != whole
    for _ in range(30):
        page.keyboard.press("+")
    assert abs(whole[2] / view(page)[2] - 2.5) < 0.01
    page.keyboard.press("0")
    go_to(page.locator("[data-node='0']"))
    page.keyboard.press(" ")
    assert "gone" in (page.locator(".map-node[data-path='0.0']").get_attribute("class") or "")
    page.keyboard.press(" ")
    page.locator(".map-node[data-path='0.0'] > text").first.click()
    expect(page.locator("#panel h2")).to_be_visible()
    press(page.locator("#panel [data-close-panel]"))
    press(page.locator("[data-node='0.0']"))
    expect(page.locator("#panel h2")).to_have_text(
        "Notice period of three months in writing to the co one"
    )
    press(page.get_by_role("link", name="Ask about this"))
    expect(page.locator("textarea[name=question]")).to_have_value(
        re.compile("What do my documents say about “Notice period")
    )


def test_without_script_the_list_leads_to_the_nodes(
    window: Window, alice: User, drawn: Mindmap
) -> None:
    with window(alice, width=390, java_script_enabled=False) as page:
        page.goto(drawn.get_absolute_url())
        page.locator(".map-tree [data-node='1']").click()
        assert page.url.endswith(reverse("study:node", args=[drawn.pk, "1"]))
        expect(page.locator("#panel h2")).to_have_text("Wärmepumpe und Nebenkostenabrechnung")
