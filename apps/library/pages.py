"""Web pages as documents: fetched by the worker when a person asks, kept and read as files are.

A new page is a document at once, in the state `fetching` and without a file. One that is fetched
again is found as before meanwhile, and stays as it was where its text has not changed.
"""

import io
import mimetypes
import re
from datetime import datetime
from html import unescape
from urllib.parse import unquote, urlsplit

from django.db import transaction
from django.utils import timezone

from apps.library import dating, files, queue, sandbox, storing
from apps.library.locking import MovedOn
from apps.library.models import Category, Document, Workspace
from apps.library.parsing import ReadPart, Refusal
from apps.library.storing import Accepted, NotAccepted, Stored
from apps.outbound.fetch import Fetched, Refused, checked, fetch
from apps.web.telling import gettext as _

__all__ = ["NotAPage", "Refused", "add", "bring", "is_page", "refresh"]

ACT = "add a web page"
MOST_BYTES = 100 << 20
SECONDS = 60.0
TITLE = re.compile(r"<title[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)
HTML = ("text/html", "application/xhtml+xml", "")
# Types that say little; the end of the address says more.
VAGUE = ("application/octet-stream", "binary/octet-stream", "text/plain", "application/download")
State = Document.State


class NotAPage(Exception):
    """The document cannot be fetched; the message says why."""


def add(workspace: Workspace, url: str, category: Category | None = None) -> Accepted:
    """A document of a page, which a worker will fetch; one that is here is brought up to date.

    Its source is the address that was asked for. Raises Refused for one that is never fetched.
    """
    address = checked(url, act=ACT)
    with transaction.atomic():
        # Asked for twice at the same moment, it is one document.
        Workspace.objects.select_for_update(no_key=True).get(pk=workspace.pk)
        kept = workspace.documents.exclude(state=State.DELETING)
        document = kept.filter(source=address).first()
        if document is None:
            document = Document.objects.create(
                workspace=workspace,
                name=_provisional_name(address),
                source=address,
                category=category,
                state=State.FETCHING,
            )
            queue.ask_for_work()
            return Accepted(document, "queued")
    if document.state not in Document.UNFINISHED:
        refresh(document)
    return Accepted(document, "queued")


def refresh(document: Document) -> None:
    """Have it fetched again; it is found as it is until then. Raises NotAPage."""
    if not is_page(document):
        raise NotAPage(_("“%(name)s” was not added from the web.") % {"name": document})
    with transaction.atomic():
        rows = Document.objects.select_for_update(no_key=True)
        held = rows.exclude(state__in=(*Document.UNFINISHED, State.DELETING))
        if not held.filter(pk=document.pk).update(
            state=State.FETCHING, reason="", attempts=0, next_try=None,
            stage_began=timezone.now(), pulse=None,
        ):  # fmt: skip
            raise NotAPage(_("“%(name)s” is being read. Fetch it then.") % {"name": document})
        queue.ask_for_work()
    document.refresh_from_db()


def is_page(document: Document) -> bool:
    """Whether it came from the web."""
    return document.source.startswith(("http://", "https://"))


def bring(document: Document) -> None:
    """Fetch a document that waits for it. Raises MovedOn where it is no longer wanted."""
    try:
        page = fetch(document.source, act=ACT, most_bytes=MOST_BYTES, seconds=SECONDS)
        stored = storing.store(io.BytesIO(_with_charset(page)))
    except (Refused, NotAccepted) as refused:
        leave(document, str(refused))
        return
    try:
        if _says_the_same(document, stored):
            leave(document, "")
            files.remove(stored.name)
        else:
            _take_in(document, stored, _name(page), dating.sent(page.modified))
    except BaseException:
        files.remove(stored.name)
        raise


def leave(document: Document, reason: str) -> None:
    """As it was before, where it had been read; else failed. The reason is for the reader.

    Without a reason it was fetched, and its page is what it was.
    """
    with transaction.atomic():
        held = _held(document)
        if not reason:
            held.fetched_at = timezone.now()
        if held.chunk_count and files.exists(held.file.name):
            held.state, held.reason = State.READY, reason
        elif reason:
            held.state, held.reason = State.FAILED, reason
        else:
            storing.begin_again(held)
            return
        held.attempts, held.next_try = 0, None
        held.save()


def _take_in(document: Document, stored: Stored, name: str, changed: datetime | None) -> None:
    with transaction.atomic():
        held = _held(document)
        if old := held.file.name:
            held.revision += 1
            transaction.on_commit(lambda: files.remove(old))
        elif held.name == _provisional_name(held.source):  # else its owner has named it meanwhile
            held.name = storing.clean(name)
        held.file.name = stored.name
        held.size, held.sha256 = stored.size, stored.sha256
        held.fetched_at = timezone.now()
        held.changed_at, held.written_at = changed, None
        storing.begin_again(held)


def _held(document: Document) -> Document:
    rows = Document.objects.select_for_update(no_key=True)
    held = rows.filter(pk=document.pk, revision=document.revision, state=State.FETCHING).first()
    if held is None:
        raise MovedOn
    return held


def _says_the_same(document: Document, stored: Stored) -> bool:
    """Whether what came has the text that was read before; its bytes differ with every visit."""
    if not document.chunk_count or not files.exists(document.file.name):
        return False
    if document.sha256 == stored.sha256:
        return True
    parts = document.parts.filter(revision=document.revision).order_by("ordinal")
    known = list(parts.values_list("header", "text"))
    try:
        with files.on_disk(stored.name) as path:
            pieces = list(sandbox.read(path, document.name))
    except Refusal:
        return False
    return known == [(each.header, each.text) for each in pieces if isinstance(each, ReadPart)]


def _with_charset(page: Fetched) -> bytes:
    """The body, in UTF-8 where its sender declares another encoding that the file does not."""
    if page.content_type not in HTML or page.charset in ("", "utf-8", "utf-8-sig", "utf-16"):
        return page.body
    return b'<meta charset="utf-8">' + page.text().encode()


def _name(page: Fetched) -> str:
    """The page's title, else the last of its address; with the ending that fits what came."""
    last = _last(page.url)
    if page.content_type in HTML and not page.body.startswith(b"%PDF"):
        title = TITLE.search(page.text()[:200_000])
        words = " ".join(_plain(title[1]).split())[:120] if title else ""
        return f"{words or last.removesuffix('.html').removesuffix('.htm')}.html"
    ending = mimetypes.guess_extension(page.content_type) or ""
    if page.content_type in VAGUE or not ending or last.lower().endswith(ending):
        return last
    return f"{last}{ending}"


def _provisional_name(address: str) -> str:
    """What a page is called until its title is known."""
    parts = urlsplit(address)
    last = unquote(parts.path.rstrip("/").rpartition("/")[2])
    return storing.clean(f"{parts.hostname} {last}".strip())


def _last(address: str) -> str:
    parts = urlsplit(address)
    return unquote(parts.path.rstrip("/").rpartition("/")[2]) or (parts.hostname or "page")


def _plain(text: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", text)).replace("/", "∕")
