"""Alice's conversation, two passages about the sea, and web servers to ask through."""

import logging
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import httpx
import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.db import connection, transaction

from apps.chat import step_writer, writing
from apps.chat.models import Conversation
from apps.library import indexing
from apps.library.models import Chunk, Document, Workspace
from tests.chat.reader import Reader
from tests.fake_ollama import FakeOllama

PASSAGES = [
    ("Sea.md", "p. 4", "Tides rise because the moon pulls the water of the oceans."),
    ("Sky.md", "p. 9", "The sun makes tides rise as well, but less, because it is far away."),
]


def wait_until(holds: Callable[[], object], seconds: float = 10) -> float:
    """Wait, and return how long it took."""
    began = time.monotonic()
    while not holds():
        assert time.monotonic() - began < seconds, "waited in vain"
        time.sleep(0.01)
    return time.monotonic() - began


@transaction.atomic
def add_document(workspace: Workspace, name: str, label: str, text: str) -> Chunk:
    """A document of one passage, which can be found by its words."""
    document = Document.objects.create(
        workspace=workspace, name=name, language="en", state="ready", sha256="0" * 64, chunk_count=1
    )
    place = {"revision": 1, "ordinal": 0, "kind": "page", "number": 4, "label": label, "text": text}
    part = document.parts.create(**place)
    chunk = document.chunks.create(part=part, start=0, end=len(text), digest=name, **place)
    indexing.add_words(document, [chunk])
    return chunk


@pytest.fixture
def alice(transactional_db) -> Iterator[User]:
    person = User.objects.create_superuser("alice", password="correct horse battery")
    home = Workspace.objects.create(owner=person, name="Home")
    for name, label, text in PASSAGES:
        add_document(home, name, label, text)
    yield person
    writing.wind_up()
    wait_until(lambda: not step_writer.at_work())
    connection.close()


@pytest.fixture
def bob(alice) -> User:
    """Another person of the same vault, who must never see what is Alice's."""
    person = User.objects.create_user("bob", password="correct horse battery")
    Workspace.objects.create(owner=person, name="Home")
    return person


@pytest.fixture
def talk(alice: User) -> Conversation:
    return Conversation.objects.create(owner=alice, workspace=alice.workspaces.get())


@pytest.fixture
def ollama(ollama: FakeOllama) -> FakeOllama:
    """A model large enough that what it says is kept even where no passage supports it."""
    ollama.has("fake", "completion", "tools", "thinking", size=9_000_000_000)
    return ollama


@pytest.fixture(scope="session")
def waitress() -> Iterator[str]:
    """The real web server, in this process, on the test database."""
    from vaultsite.serve import listening, server

    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    sock = listening("127.0.0.1", 0)
    web = server(sock)
    threading.Thread(target=web.run, daemon=True).start()
    yield f"http://127.0.0.1:{sock.getsockname()[1]}"
    web.task_dispatcher.shutdown(timeout=1)
    web.close()


@pytest.fixture
def reader(waitress, alice, ollama) -> Iterator[Reader]:
    known = Reader(waitress, alice)
    yield known
    known.http.close()


def addresses(ollama_url: str) -> dict[str, str]:
    """What another process needs to know, to be one of this test's vault."""
    database = django_settings.DATABASES["default"]
    url = f"postgresql://{database['USER']}@/{database['NAME']}?host={database['HOST']}"
    return {
        "DATABASE_URL": url + (f"&port={database['PORT']}" if database["PORT"] else ""),
        "OLLAMA_HOST": ollama_url,
        "VAULT_CHAT_MODEL": django_settings.CHAT_MODEL,
        "SECRET_KEY": django_settings.SECRET_KEY,
    }


class Elsewhere:
    """A web process of its own, which may be killed."""

    def __init__(self, ollama_url: str, **environment: str) -> None:
        port = environment.setdefault("VAULT_PORT", str(free_port()))
        ours = addresses(ollama_url)
        command = [sys.executable, "-m", "vaultsite.serve"]
        self.process = subprocess.Popen(command, env=os.environ | ours | environment)
        self.url = f"http://127.0.0.1:{port}"
        wait_until(self._answers, 20)

    def end(self, how: str = "kill") -> float:
        """End it, and return the seconds that took."""
        began = time.monotonic()
        getattr(self.process, how)()
        self.process.wait(20)
        return time.monotonic() - began

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/static/css/vault.css", timeout=2).status_code < 500
        except httpx.TransportError:
            return False


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        return int(sock.getsockname()[1])


@pytest.fixture
def elsewhere(alice, ollama) -> Iterator[Callable[..., Elsewhere]]:
    started: list[Elsewhere] = []

    def start(**environment: str) -> Elsewhere:
        started.append(Elsewhere(ollama.url, **environment))
        return started[-1]

    yield start
    for server in started:
        if server.process.poll() is None:
            server.end()


@pytest.fixture
def far_reader(elsewhere, alice) -> Iterator[Reader]:
    """Alice, in a web process of its own that can be killed: `far_reader.server`."""
    server = elsewhere()
    known = Reader(server.url, alice)
    known.server = server
    yield known
    known.http.close()
