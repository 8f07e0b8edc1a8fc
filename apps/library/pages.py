"""Web pages as documents: fetched when a person asks, kept as they came, read as files are."""

import io
import mimetypes
import re
from html import unescape
from urllib.parse import unquote, urlsplit

from apps.library import ingestion
from apps.library.models import Category, Document, Workspace
from apps.library.storing import Accepted
from apps.outbound.fetch import Fetched, Refused, fetch

__all__ = ["NotAPage", "Refused", "add", "is_page", "refresh"]

ACT = "add a web page"
MOST_BYTES = 100 << 20
SECONDS = 60.0
TITLE = re.compile(r"<title[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)
HTML = ("text/html", "application/xhtml+xml", "")
# Types that say little; the end of the address says more.
VAGUE = ("application/octet-stream", "binary/octet-stream", "text/plain", "application/download")


class NotAPage(Exception):
    """The document did not come from the web; the message says so."""


def add(workspace: Workspace, url: str, category: Category | None = None) -> Accepted:
    """Fetch a page and have it read; one that is here already is brought up to date.

    The document's source is the address it was found at. Raises Refused and NotAccepted.
    """
    page = fetch(url, act=ACT, most_bytes=MOST_BYTES, seconds=SECONDS)
    return _accept(workspace, page, _name(page), page.url, category)


def refresh(document: Document) -> Accepted:
    """Fetch it again: `unchanged`, or the next revision. Raises Refused, NotAccepted, NotAPage."""
    if not is_page(document):
        raise NotAPage(f"“{document}” was not added from the web.")
    page = fetch(document.source, act=ACT, most_bytes=MOST_BYTES, seconds=SECONDS)
    return _accept(document.workspace, page, document.name, document.source, None)


def is_page(document: Document) -> bool:
    """Whether it came from the web."""
    return document.source.startswith(("http://", "https://"))


def _accept(
    workspace: Workspace, page: Fetched, name: str, source: str, category: Category | None
) -> Accepted:
    body = io.BytesIO(_with_charset(page))
    return ingestion.accept(workspace, body, name, category=category, source=source)


def _with_charset(page: Fetched) -> bytes:
    """The body, in UTF-8 where its sender declares another encoding that the file does not."""
    if page.content_type not in HTML or page.charset in ("", "utf-8", "utf-8-sig", "utf-16"):
        return page.body
    return b'<meta charset="utf-8">' + page.text().encode()


def _name(page: Fetched) -> str:
    """The page's title, else the last of its address; with the ending that fits what came."""
    address = urlsplit(page.url)
    last = unquote(address.path.rstrip("/").rpartition("/")[2]) or (address.hostname or "page")
    if page.content_type in HTML and not page.body.startswith(b"%PDF"):
        title = TITLE.search(page.text()[:200_000])
        words = " ".join(_plain(title[1]).split())[:120] if title else ""
        return f"{words or last.removesuffix('.html').removesuffix('.htm')}.html"
    ending = mimetypes.guess_extension(page.content_type) or ""
    if page.content_type in VAGUE or not ending or last.lower().endswith(ending):
        return last
    return f"{last}{ending}"


def _plain(text: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", text)).replace("/", "∕")
