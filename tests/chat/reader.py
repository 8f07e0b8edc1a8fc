"""A reader at the wire: signed in, over a real socket, without a browser."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from django.contrib.auth.models import User
from django.test import Client

HOST = "127.0.0.1"
HTMX = {"HX-Request": "true"}


@dataclass(frozen=True, slots=True)
class Message:
    number: int
    html: str


class Reader:
    server: Any = None  # the process behind it, where it has one of its own

    def __init__(self, url: str, person: User | None) -> None:
        self.http = httpx.Client(base_url=url, timeout=20)
        self.session = ""
        if person:
            signed_in = Client()
            signed_in.force_login(person)
            self.session = signed_in.cookies["sessionid"].value
            self.http.cookies.set("sessionid", self.session, domain=HOST)

    def page(self, conversation_id: int) -> str:
        reply = self.http.get(f"/chat/{conversation_id}/")
        assert reply.status_code == 200
        return reply.text

    def post(self, path: str, headers: dict | None = None, **data: Any) -> httpx.Response:
        return self.http.post(path, data=data, headers=self._token() | (headers or {}))

    def send(self, path: str, headers: dict | None = None, **data: Any) -> httpx.Response:
        """Post a form in which values that are (name, bytes) are files."""
        files = {key: value for key, value in data.items() if isinstance(value, tuple)}
        words = {key: value for key, value in data.items() if key not in files}
        headers = self._token() | (headers or {})
        return self.http.post(path, data=words, files=files, headers=headers)

    def _token(self) -> dict[str, str]:
        if "csrftoken" not in self.http.cookies:  # a browser has it from some page
            self.http.cookies.set("csrftoken", "a" * 32, domain=HOST)
        return {"x-csrftoken": self.http.cookies["csrftoken"]}

    def ask(self, conversation_id: int, question: str = "Why do tides rise?") -> int:
        """Ask, and return the number of the answer."""
        reply = self.post(f"/chat/{conversation_id}/ask/", HTMX, question=question)
        assert reply.status_code == 200, reply.text
        return answer_in(reply.text)

    def again(self, turn_id: int, **data: Any) -> int:
        """Try again, and return the number of the new answer."""
        reply = self.post(f"/chat/turns/{turn_id}/retry/", HTMX, **data)
        assert reply.status_code == 200, reply.text
        return answer_in(reply.text)

    @contextmanager
    def events(self, answer_id: int, after: int = 0, **headers: str) -> Iterator["Stream"]:
        path = f"/chat/answers/{answer_id}/events/?after={after}"
        with self.http.stream("GET", path, headers=headers) as reply:
            assert reply.headers["Content-Type"] == "text/event-stream"
            yield Stream(reply)

    def read_to_the_end(self, answer_id: int, after: int = 0) -> list[Message]:
        with self.events(answer_id, after) as stream:
            return list(stream)

    def last(self, answer_id: int) -> str:
        """What the last message of the stream brings."""
        return self.read_to_the_end(answer_id)[-1].html


class Stream:
    """Messages as they arrive; `beats` counts the signs of life between them."""

    def __init__(self, reply: httpx.Response) -> None:
        self.beats = 0
        self._lines = reply.iter_lines()

    def __iter__(self) -> Iterator[Message]:
        number, data = 0, list[str]()
        for line in self._lines:
            if line.startswith(":"):
                self.beats += 1
            elif line.startswith("id: "):
                number = int(line[4:])
            elif line.startswith("data: "):
                data.append(line[6:])
            elif not line and data:
                yield Message(number, "\n".join(data))
                data = []


def answer_in(html: str) -> int:
    """The number of the first answer in a piece of a page."""
    found = re.search(r'id="status-(\d+)"', html)
    assert found, html
    return int(found[1])


def text_of(html: str) -> str:
    """The answer as a reader would see it: the last text part, without chips' popovers and tags."""
    parts = re.findall(r'<div id="text-\d+"[^>]*>(.*?)</div>', html, re.S)
    if not parts:
        return ""
    text = re.sub(r'<span class="peek".*?</span></span>', "", parts[-1], flags=re.S)
    return re.sub(r"<[^>]+>", "", text).strip()
