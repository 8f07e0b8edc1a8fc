"""Ask the web for a person who wants that: a search, then the pages it names, all at once.

What leaves is the query that the person saw, and the addresses of the pages found; of the vault
nothing is sent. Every request goes through `apps.outbound.fetch` with its guards and its ledger.
(The library `ddgs` was not taken: its HTTP is a program of its own, which no guard here can hear.)
"""

import tempfile
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.chat.halting import Halt
from apps.chat.steps import Working
from apps.library import sandbox, storing
from apps.library.sandbox import ReadPart, Refusal
from apps.llm.client import ModelError
from apps.outbound.fetch import Refused, fetch

RESULTS = 5
SECONDS = 12.0  # for a page; who is slower is left out
MOST_BYTES = 3 << 20
RESULT_BYTES = 2 << 20
LONGEST = 60_000  # characters of a page
LOOK = 0.2  # seconds between two looks at Stop


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the web as it was read: its article in parts."""

    url: str
    title: str
    parts: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Result:
    url: str
    title: str

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or self.url


def pages(query: str, halt: Halt, notices: list[str]) -> Generator[Working, None, list[Page]]:
    """The pages a web search names, read; what could not be read is said in `notices`.

    Raises ModelError where the web is out of reach, Halted when stopped.
    """
    where = urlsplit(settings.WEB_SEARCH).hostname
    yield Working(_("Asking %(host)s: “%(query)s”…") % {"host": where, "query": query})
    act = f"web question: “{query}”"
    try:
        found = _soon(lambda: results(query, act), halt)
    except Refused as refused:
        raise ModelError(
            _(
                "The web could not be asked: %(reason)s Ask again without the web, or look at the"
                " connection and try again."
            )
            % {"reason": refused}
        ) from refused
    if not found:
        notices.append(_("The web search found nothing for “%(query)s”.") % {"query": query})
        return []
    hosts = ", ".join(each.host for each in found)
    yield Working(
        ngettext(
            "Reading %(number)s page: %(hosts)s…",
            "Reading %(number)s pages: %(hosts)s…",
            len(found),
        )
        % {"number": len(found), "hosts": hosts}
    )
    read: list[Page] = []
    with _Errands() as errands:
        tasks = {errands.submit(_read, each, act): each for each in found}
        left = set(tasks)
        while left:
            done, left = wait(left, LOOK)
            halt.check()
            for task in done:
                try:
                    read.append(task.result())
                except (Refused, Refusal) as reason:
                    said = _("%(host)s was left out: %(reason)s")
                    notices.append(said % {"host": tasks[task].host, "reason": reason})
    order = [each.url for each in found]
    return sorted(read, key=lambda page: order.index(page.url))


def results(query: str, act: str) -> list[Result]:
    """The first results for a query. Raises Refused where the search engine does not answer."""
    url = f"{settings.WEB_SEARCH}?{urlencode({'q': query})}"
    found = fetch(url, act=act, most_bytes=RESULT_BYTES, seconds=SECONDS)
    reader = _Results(found.url)
    reader.feed(found.text())
    return list({each.url: each for each in reader.found}.values())[:RESULTS]


class _Results(HTMLParser):
    """Reads DuckDuckGo's page for browsers without scripts; advertisements are passed over."""

    def __init__(self, own: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[Result] = []
        self._own = urlsplit(own).hostname
        self._url = ""
        self._title: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {key: value or "" for key, value in attrs}
        if tag == "a" and "result__a" in told.get("class", "").split():
            self._url, self._title = self._target(told.get("href", "")), []

    def handle_data(self, data: str) -> None:
        if self._url:
            self._title.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "a" and self._url:
            title = " ".join("".join(self._title).split())[:200]
            self.found.append(Result(self._url, storing.storable(title) or self._url))
            self._url = ""

    def _target(self, href: str) -> str:
        """Where a result leads: it is wrapped into an address of the engine's own."""
        href = f"https:{href}" if href.startswith("//") else href
        try:
            parts = urlsplit(href)
        except ValueError:
            return ""
        wrapped = parse_qs(parts.query).get("uddg", [""])[0]
        url = wrapped or href
        ours = (urlsplit(url).hostname or "").endswith(("duckduckgo.com", self._own or "?"))
        return url if url.startswith(("http://", "https://")) and not ours else ""


def _read(result: Result, act: str) -> Page:
    """One page: fetched, and its article read in the sandbox."""
    found = fetch(result.url, act=act, most_bytes=MOST_BYTES, seconds=SECONDS)
    name = "page.pdf" if found.content_type == "application/pdf" else "page.html"
    parts, left = list[dict[str, Any]](), LONGEST
    with tempfile.NamedTemporaryFile(prefix="vault-web-") as stored:
        stored.write(found.body)
        stored.flush()
        for piece in sandbox.read(Path(stored.name), name):
            if isinstance(piece, ReadPart) and left > 0:
                text = storing.storable(piece.text[:left])
                left -= len(text)
                label = piece.label[:200]
                place = {"kind": piece.kind, "place": piece.number, "label": label, "text": text}
                parts.append(place)
    return Page(result.url, result.title, parts)


class _Errands(ThreadPoolExecutor):
    """Threads that nobody waits for at the end: each has its own limit of time."""

    def __init__(self) -> None:
        spoken = translation.get_language() or settings.LANGUAGE_CODE
        super().__init__(
            RESULTS,
            thread_name_prefix="web",
            initializer=translation.activate,
            initargs=(spoken,),
        )

    def __exit__(self, *_: object) -> None:
        self.shutdown(wait=False, cancel_futures=True)


def _soon(errand: Any, halt: Halt) -> Any:
    """The errand's result; Stop is heard meanwhile."""
    with _Errands() as errands:
        task: Future[Any] = errands.submit(errand)
        while not task.done():
            wait([task], LOOK)
            halt.check()
        return task.result()
