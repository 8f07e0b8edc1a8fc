"""The MCP server, tried with the SDK's own client: over stdin and stdout, and over HTTP."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import httpx
import httpx2
import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.utils import timezone
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from pytest_django import Settings

from apps.library.models import Chunk, Document, Workspace
from apps.progress import ledger
from apps.progress.kinds import Kind
from apps.study.models import Card, Deck
from apps.vault import tokens
from apps.vault.mcp_server import ModelServer, address, for_person
from apps.vault.mcp_tools import DATA
from apps.vault.models import Token
from tests.chat.conftest import add_document, free_port, wait_until
from tests.fake_ollama import FakeOllama
from vaultsite.runtime import processes

ROOT = Path(__file__).resolve().parent.parent.parent
READING = {"search", "ask", "list_documents", "read_passage", "due_cards", "weak_topics"}
SECONDS = 30.0


@pytest.fixture
def alice(transactional_db: None) -> User:
    person = User.objects.create_superuser("alice", password="correct horse battery")
    home = Workspace.objects.create(owner=person, name="Home")
    add_document(home, "Sea.md", "p. 4", "Tides rise because the moon pulls the oceans.")
    deck = Deck.objects.create(owner=person, workspace=home, title="Sea")
    past = timezone.now() - timedelta(days=1)
    Card.objects.create(deck=deck, ordinal=0, front="Why tides?", back="!", guid="g", due_at=past)
    return person


@pytest.fixture
def bob(transactional_db: None) -> User:
    person = User.objects.create_user("bob", password="correct horse battery")
    Workspace.objects.create(owner=person, name="Home")
    return person


def environment(ollama: FakeOllama) -> dict[str, str]:
    database = django_settings.DATABASES["default"]
    url = f"postgresql://{database['USER']}@/{database['NAME']}?host={database['HOST']}"
    return {
        **os.environ,
        "DATABASE_URL": url + (f"&port={database['PORT']}" if database["PORT"] else ""),
        "OLLAMA_HOST": ollama.url,
        "SECRET_KEY": django_settings.SECRET_KEY,
        "PYTHONWARNINGS": "error::ResourceWarning",
    }


def talk(client: Callable[[], Any], say: Callable[[Client], Awaitable[None]]) -> None:
    """Say something to a server, within half a minute; the main thread may have a loop already."""

    async def whole() -> None:
        with anyio.fail_after(SECONDS):
            async with client() as talking:
                await say(talking)

    with ThreadPoolExecutor(1) as aside:
        aside.submit(anyio.run, whole).result()


async def told(client: Client, tool: str, **arguments: Any) -> Any:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return str(result.content[0].text)  # type: ignore[union-attr]


def test_over_stdio_an_assistant_finds_asks_and_reads(alice: User, ollama: FakeOllama) -> None:
    ollama.says("Tides rise because the moon pulls the oceans [1].")
    chunk = Chunk.objects.get()
    command = StdioServerParameters(
        command=sys.executable,
        args=["manage.py", "mcp", "--owner", "alice"],
        cwd=ROOT,
        env=environment(ollama),
    )

    async def say(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} == READING
        for tool in tools:
            assert tool.annotations and tool.annotations.read_only_hint
            assert str(tool.description).endswith(DATA)
        found = await told(client, "search", query="why do tides rise")
        (hit,) = found["passages"]
        assert hit["document"] == "Sea.md" and hit["locator"] == "p. 4" and "moon" in hit["quote"]
        assert hit["link"] == f"{address()}/library/passages/{chunk.pk}/"
        answer = await told(client, "ask", question="Why do tides rise?")
        assert answer["answer"].endswith("[1].") and answer["sources"][0]["document"] == "Sea.md"
        (read,) = (await told(client, "read_passage", passage=hit["passage"], around=1))["result"]
        assert read["quote"] == chunk.text
        assert "no passage 0" in await refused(client, "read_passage", passage=0)
        assert "Moon.md" in await refused(client, "search", query="x", scope=["Moon.md"])

    talk(lambda: Client(command), say)


@contextmanager
def over_http(ollama: FakeOllama, *more: str) -> Iterator[str]:
    port = free_port()
    command = [sys.executable, "manage.py", "mcp", "--http", "--port", str(port), *more]
    process = subprocess.Popen(command, cwd=ROOT, env=environment(ollama))
    url = f"http://127.0.0.1:{port}/mcp"

    def answers() -> bool:
        try:
            return httpx.get(url, timeout=2).status_code == 401
        except httpx.TransportError:
            return False

    try:
        wait_until(answers, SECONDS)
        yield url
    finally:
        process.terminate()
        process.wait(20)


def with_token(url: str, token: str) -> Callable[[], Any]:
    @asynccontextmanager
    async def client() -> AsyncIterator[Client]:
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=SECONDS) as http,
            Client(streamable_http_client(url, http_client=http)) as talking,
        ):
            yield talking

    return client


def test_over_http_a_token_opens_its_owners_vault_alone(
    alice: User, bob: User, ollama: FakeOllama
) -> None:
    mine = tokens.make(alice, "assistant", ["read"])
    writing = tokens.make(alice, "scribe", ["read", "write"])
    theirs = tokens.make(bob, "assistant", ["read"])
    blind = tokens.make(alice, "blind", ["write"])
    chunk = Chunk.objects.get()

    async def alices(client: Client) -> None:
        assert {tool.name for tool in (await client.list_tools()).tools} == READING | {
            "add_document"
        }
        assert (await told(client, "list_documents"))["documents"][0]["name"] == "Sea.md"
        cards = await told(client, "due_cards")
        assert cards["due"] == 1 and cards["cards"][0]["front"] == "Why tides?"
        note = {"name": "notes.md", "text": "# Notes"}
        assert "may not write" in await refused(client, "add_document", **note)

    async def scribes(client: Client) -> None:
        note = {"name": "notes.md", "text": "# Notes", "changed_at": "2024-03-15T09:30:00Z"}
        assert (await told(client, "add_document", **note))["name"] == "notes.md"

    async def bobs(client: Client) -> None:
        assert (await told(client, "search", query="tides"))["passages"] == []
        assert (await told(client, "list_documents"))["documents"] == []
        assert (await told(client, "due_cards"))["cards"] == []
        assert "no passage" in await refused(client, "read_passage", passage=chunk.pk)

    with over_http(ollama, "--allow-writes") as url:
        talk(with_token(url, mine), alices)
        talk(with_token(url, writing), scribes)
        talk(with_token(url, theirs), bobs)
        added = Document.objects.get(name="notes.md", workspace__owner=alice)
        assert added.changed_at == datetime(2024, 3, 15, 9, 30, tzinfo=UTC)
        tokens.revoke(Token.objects.get(name="scribe"))
        assert httpx.post(url, json={}, timeout=10).status_code == 401
        for token, status in {"x": 401, writing: 401, blind: 403}.items():
            assert knock(url, token) == status
        assert knock(url, mine) == 200
        assert knock(url, mine, Host="evil.example") == 421
        assert knock(url, mine, Origin="https://evil.example") == 403


def knock(url: str, token: str, **headers: str) -> int:
    """The status of a first message with this token."""
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    sent = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"}
    return httpx.post(url, json=hello, headers=sent | headers, timeout=10).status_code


def test_a_server_for_one_workspace_opens_no_other(alice: User, ollama: FakeOllama) -> None:
    office = Workspace.objects.create(owner=alice, name="Office")
    chunk = Chunk.objects.get()  # in the other one

    async def say(client: Client) -> None:
        assert (await told(client, "search", query="tides"))["passages"] == []
        assert "Office alone" in await refused(client, "search", query="x", workspace="Home")
        assert "no passage" in await refused(client, "read_passage", passage=chunk.pk)
        assert "less than or equal" in await refused(client, "search", query="x", limit=999)

    with ModelServer() as models:
        talk(lambda: Client(for_person(alice, office, models)), say)


def test_up_opens_the_door_where_a_port_is_set(settings: Settings) -> None:
    settings.MCP_PORT = 0
    assert processes._mcp() is None
    settings.MCP_PORT = 8765
    child = processes._mcp()
    assert child and child.command[-3:] == ["manage", "mcp", "--http"]


def test_weak_topics_are_told(alice: User, ollama: FakeOllama) -> None:
    for _ in range(3):
        facts = {"document": "7", "document_name": "Sea.md", "section": "Tides"}
        ledger.record(alice, Kind.QUIZ_ANSWERED, correct=False, **facts)

    async def say(client: Client) -> None:
        (topic,) = (await told(client, "weak_topics"))["topics"]
        assert topic == {"document": "Sea.md", "section": "Tides", "answers": 3, "wrong": 3}

    with ModelServer() as models:
        talk(lambda: Client(for_person(alice, None, models)), say)
