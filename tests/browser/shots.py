"""Take pictures of all pages of a running vault: light and dark, wide and on a phone.

    python -m tests.browser.shots --name ada --password … [--at http://127.0.0.1:8000] [--only chat]

They land in `shots/`, which git ignores. A page whose address holds an id is reached as a person
reaches it: by the first link of that kind on the page before. What is not there is left out.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import BrowserContext, Page

from tests.browser import chromium

FOLDER = Path(__file__).resolve().parents[2] / "shots"
PAGES = {
    "guide": "/guide/",
    "guide-trouble": "/guide/trouble/",
    "chat": "/chat/",
    "conversations": "/chat/conversations/",
    "instructions": "/chat/instructions/",
    "prompts": "/chat/prompts/",
    "library": "/library/",
    "upload": "/library/upload/",
    "folders": "/library/folders/",
    "categories": "/library/categories/",
    "workspaces": "/library/workspaces/",
    "search": "/search/",
    "search-found": "/search/?q=filter",
    "search-nothing": "/search/?q=zzyzx",
    "study": "/study/",
    "quizzes": "/study/quizzes/",
    "quiz-new": "/study/quizzes/new/",
    "decks": "/study/decks/",
    "deck-new": "/study/decks/new/",
    "deck-import": "/study/decks/import/",
    "review": "/study/review/",
    "workshops": "/study/workshops/",
    "workshop-new": "/study/workshops/new/",
    "mindmaps": "/study/mindmaps/",
    "mindmap-new": "/study/mindmaps/new/",
    "progress": "/progress/",
    "account": "/account/",
    "password": "/account/password/",
    "tokens": "/account/tokens/",
    "browsers": "/account/browsers/",
    "people": "/account/people/",
    "models": "/models/",
    "health": "/health/",
    "audit": "/audit/",
    "backups": "/backups/",
    "styleguide": "/styleguide/",
    "missing": "/nowhere/",
}
# Where to look for a link, and what its address is like.
BEHIND = {
    "conversation": ("/chat/conversations/", r"/chat/\d+/"),
    "document": ("/library/", r"/library/documents/\d+/"),
    "quiz": ("/study/quizzes/", r"/study/quizzes/\d+/"),
    "deck": ("/study/decks/", r"/study/decks/\d+/"),
    "workshop": ("/study/workshops/", r"/study/workshops/\d+/"),
    "mindmap": ("/study/mindmaps/", r"/study/mindmaps/\d+/"),
    "badge": ("/progress/", r"/progress/badges/[\w-]+/"),
    "day": ("/progress/", r"/progress/days/[\d-]+/"),
}
SIZES = {"wide": (1280, 800), "phone": (390, 844)}


def sign_in(page: Page, name: str, password: str) -> None:
    page.goto("/login/")
    page.locator("[name=username]").fill(name)
    page.locator("[name=password]").fill(password)
    page.locator("main button.primary").click()


def first_link(page: Page, pattern: str) -> str:
    """The first address on a page that is like this, "" where there is none."""
    links = page.locator("main a[href]").evaluate_all(
        "links => links.map(link => link.getAttribute('href'))"
    )
    return next((link for link in links if re.fullmatch(pattern + r"(\?.*)?", link)), "")


def addresses(page: Page, only: str) -> Iterator[tuple[str, str]]:
    """Each page's name and address."""
    yield from ((name, path) for name, path in PAGES.items() if only in name)
    for name, (path, pattern) in BEHIND.items():
        if only in name:
            page.goto(path)
            if link := first_link(page, pattern):
                yield name, link


def take(context: BrowserContext, wanted: argparse.Namespace, size: str, theme: str) -> None:
    """One picture of each page in one size and theme."""
    page = context.new_page()

    def picture(name: str) -> None:
        page.wait_for_timeout(300)
        page.screenshot(path=FOLDER / f"{name}-{size}-{theme}.png", full_page=wanted.whole)
        width = context.pages[0].viewport_size or {"width": 0}
        if page.evaluate("document.documentElement.scrollWidth") > width["width"]:
            sys.stdout.write(f"{name} at {size} scrolls sideways\n")

    if wanted.only in "login":
        page.goto("/login/")
        picture("login")
    sign_in(page, wanted.name, wanted.password)
    for name, address in addresses(page, wanted.only):
        page.goto(address)
        picture(name)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--at", default="http://127.0.0.1:8000", help="address of the vault")
    parser.add_argument("--name", required=True)
    parser.add_argument("--password", required=True)
    parser.add_argument("--only", default="", help="pages with this in their name")
    parser.add_argument("--size", choices=SIZES, help="one of the two only")
    parser.add_argument("--theme", choices=("light", "dark"), help="one of the two only")
    parser.add_argument("--width", type=int, help="another width, in pixels: 320 is zoom 400 %%")
    parser.add_argument(
        "--whole", action="store_true", help="all of a page, not what is seen first"
    )
    wanted = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    sizes = {f"{wanted.width}": (wanted.width, 800)} if wanted.width else SIZES
    with chromium.running() as browser:
        for size in [wanted.size] if wanted.size else sizes:
            width, height = sizes[size]
            for theme in [wanted.theme] if wanted.theme else ("light", "dark"):
                viewport = {"width": width, "height": height}
                context = browser.new_context(base_url=wanted.at, viewport=viewport)
                context.add_cookies([{"name": "theme", "value": theme, "url": wanted.at}])
                take(context, wanted, size, theme)
                context.close()


if __name__ == "__main__":
    main()
