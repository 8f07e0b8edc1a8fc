"""Take pictures of the main pages of a running vault: light and dark, wide and on a phone.

    python -m tests.browser.shots --name alice --password … --at http://127.0.0.1:8000 --only chat

They land in `shots/`, which git ignores. A page that is named by a link is reached by that link.
"""

import argparse
from pathlib import Path

from playwright.sync_api import BrowserContext, Page

from tests.browser import chromium

FOLDER = Path(__file__).resolve().parents[2] / "shots"
PAGES = {
    "login": "/login/",
    "chat": "/chat/",
    "library": "/library/",
    "upload": "/library/upload/",
    "categories": "/library/categories/",
    "workspaces": "/library/workspaces/",
    "search": "/search/",
    "search-found": "/search/?q=notice",
    "study": "/study/",
    "progress": "/progress/",
    "account": "/account/",
    "password": "/account/password/",
    "models": "/models/",
    "health": "/health/",
    "backups": "/backups/",
    "styleguide": "/styleguide/",
    "missing": "/nowhere/",
}
# Pages whose address holds an id: where to look, and the link to follow.
BEHIND = {
    "conversation": ("/chat/", "main .conversations a"),
    "document": ("/library/", "main td.name a"),
}
SIZES = {"wide": (1280, 800), "phone": (390, 844)}


def sign_in(page: Page, name: str, password: str) -> None:
    page.goto("/login/")
    page.locator("[name=username]").fill(name)
    page.locator("[name=password]").fill(password)
    page.locator("main button").click()


def picture(page: Page, name: str, size: str, theme: str) -> None:
    page.wait_for_timeout(300)
    page.screenshot(path=FOLDER / f"{name}-{size}-{theme}.png", full_page=True)


def take(context: BrowserContext, wanted: argparse.Namespace, size: str, theme: str) -> None:
    """One picture of each page in one size and theme."""
    page = context.new_page()
    if wanted.only in ("", "login"):
        page.goto("/login/")
        picture(page, "login", size, theme)
    sign_in(page, wanted.name, wanted.password)
    for name, path in PAGES.items():
        if name != "login" and wanted.only in name:
            page.goto(path)
            picture(page, name, size, theme)
    for name, (path, link) in BEHIND.items():
        page.goto(path)
        if wanted.only in name and page.locator(link).count():
            page.goto(page.locator(link).first.get_attribute("href") or path)
            picture(page, name, size, theme)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--at", default="http://127.0.0.1:8000", help="address of the vault")
    parser.add_argument("--name", required=True)
    parser.add_argument("--password", required=True)
    parser.add_argument("--only", default="", help="pages with this in their name")
    wanted = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    with chromium.running() as browser:
        for size, (width, height) in SIZES.items():
            for theme in ("light", "dark"):
                viewport = {"width": width, "height": height}
                context = browser.new_context(base_url=wanted.at, viewport=viewport)
                context.add_cookies([{"name": "theme", "value": theme, "url": wanted.at}])
                take(context, wanted, size, theme)
                context.close()


if __name__ == "__main__":
    main()
