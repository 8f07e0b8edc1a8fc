"""What needs a language model. The smallest will do: this is about the protocol, not the words."""

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import ollama
import psutil
import pytest

from tests.llm.bundled.conftest import Running

pytestmark = pytest.mark.real_model
MODEL = "tiny"
LONG = {"num_predict": 400, "temperature": 0}


def user(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


@pytest.fixture
def client(writer: Running) -> Iterator[ollama.Client]:
    with writer.client() as client:
        yield client


def test_show_and_list(client: ollama.Client) -> None:
    shown = client.show(MODEL)
    assert {"completion", "tools"} <= set(shown.capabilities)
    arch = shown.modelinfo["general.architecture"]
    assert shown.modelinfo[f"{arch}.context_length"] >= 2048
    assert shown.modelinfo[f"{arch}.embedding_length"] > 0
    assert shown.details.format == "gguf" and shown.template
    assert "tiny:latest" in [m.model for m in client.list().models]


def test_an_answer_in_one_piece(client: ollama.Client) -> None:
    reply = client.chat(MODEL, user("Say hi"), options={"num_predict": 8, "temperature": 0})
    assert reply.model == MODEL and reply.done and reply.done_reason in ("length", "stop")
    assert reply.message.role == "assistant" and reply.message.content
    assert reply.eval_count <= 8 and reply.prompt_eval_count > 3
    assert min(reply.total_duration, reply.prompt_eval_duration, reply.eval_duration) > 0


def test_a_streamed_answer_is_the_same_in_pieces(client: ollama.Client) -> None:
    options = {"num_predict": 12, "temperature": 0}
    rows = list(client.chat(MODEL, user("Count to ten"), stream=True, options=options))
    assert all(not row.done and row.message.content for row in rows[:-1])
    assert rows[-1].done and rows[-1].message.content == "" and rows[-1].eval_count == 12
    assert rows[-1].done_reason == "length" and len(rows) > 6
    whole = client.chat(MODEL, user("Count to ten"), options=options).message.content
    assert "".join(row.message.content for row in rows) == whole
    assert [row.created_at for row in rows] == sorted(row.created_at for row in rows)


def test_generate(client: ollama.Client) -> None:
    short = {"num_predict": 5}
    assert client.generate(MODEL, "Say hi", options=short).response
    rows = list(client.generate(MODEL, "Say hi", system="Be brief.", stream=True, options=short))
    assert rows[-1].done and "".join(row.response for row in rows)
    assert client.generate(MODEL, "One, two,", raw=True, options=short).response
    assert client.generate(MODEL).done_reason == "load"


def test_seed_stop_and_bad_options(client: ollama.Client) -> None:
    hot = {"num_predict": 20, "temperature": 1.0, "seed": 7}
    story = user("Tell a story")
    once, twice = (client.chat(MODEL, story, options=hot).message.content for _ in range(2))
    assert once == twice
    stop = {"stop": ["e"], "num_predict": 40}
    stopped = client.chat(MODEL, user("Count: one two three"), options=stop)
    assert "e" not in stopped.message.content
    with pytest.raises(ollama.ResponseError, match='"num_ctx" must be of type integer') as caught:
        client.chat(MODEL, user("x"), options={"num_ctx": "many"})
    assert caught.value.status_code == 400


def test_json_follows_its_schema(writer: Running, client: ollama.Client) -> None:
    options = {"num_predict": 120, "temperature": 0}
    said = client.chat(MODEL, user("A person as JSON"), format="json", options=options)
    assert said.message.content.lstrip().startswith("{")
    schema = {
        "$defs": {"Colour": {"enum": ["red", "green"]}},
        "type": "object",
        "required": ["colour", "n"],
        "properties": {
            "colour": {"$ref": "#/$defs/Colour"},
            "n": {"type": "integer", "minimum": 1, "maximum": 9},
        },
    }
    rows = list(client.chat(MODEL, user("Pick"), format=schema, stream=True))
    got = json.loads("".join(row.message.content for row in rows))
    assert got["colour"] in ("red", "green") and 1 <= got["n"] <= 9
    for bad in ({"type": "nonsense"}, {"$ref": "#/$defs/X"}, {"not": {"a": 1}}, "yaml"):
        body = {"model": MODEL, "messages": user("x"), "format": bad}
        answer = httpx.post(f"{writer.address}/api/chat", json=body)
        assert answer.status_code == 400 and "format" in answer.json()["error"]


def test_tools_come_back_as_calls_or_text(client: ollama.Client) -> None:
    def add(a: int, b: int) -> int:
        """Add two numbers.

        Args:
            a: first
            b: second
        """
        return a + b

    wish = user("Use the add tool for 2 and 3")
    rows = list(client.chat(MODEL, wish, tools=[add], stream=True, options={"num_predict": 30}))
    calls = [call for row in rows for call in row.message.tool_calls or ()]
    assert rows[-1].done and (calls or "".join(row.message.content for row in rows))
    for call in calls:
        assert call.function.name == "add" and set(call.function.arguments) == {"a", "b"}
        assert all(isinstance(value, int) for value in call.function.arguments.values())
    made = {"function": {"name": "add", "arguments": {"a": 2, "b": 3}}}
    history = [
        *user("add 2 and 3"),
        {"role": "assistant", "content": "", "tool_calls": [made]},
        {"role": "tool", "tool_name": "add", "content": "5"},
    ]
    assert client.chat(MODEL, history, tools=[add], options={"num_predict": 10}).done


def test_think_load_and_unload(client: ollama.Client) -> None:
    with pytest.raises(ollama.ResponseError, match='"tiny" does not support thinking') as caught:
        client.chat(MODEL, user("x"), think=True)
    assert caught.value.status_code == 400
    assert client.chat(MODEL, user("x"), think=False, options={"num_predict": 2}).done
    assert client.chat(MODEL, []).done_reason == "load"
    assert "tiny:latest" in [row.model for row in client.ps().models]
    assert client.chat(MODEL, [], keep_alive=0).done_reason == "unload"
    assert "tiny:latest" not in [row.model for row in client.ps().models]


def test_the_window_is_kept(writer: Running, client: ollama.Client) -> None:
    small = {"num_ctx": 512}
    client.chat(MODEL, [], keep_alive=0)
    with pytest.raises(ollama.ResponseError, match="exceeds the available context size") as caught:
        client.chat(MODEL, user("word " * 2000), options=small)
    assert caught.value.status_code == 400
    (row,) = [row for row in client.ps().models if row.model == "tiny:latest"]
    assert row.context_length == 512 and row.size > 0
    old = [{"role": "system", "content": "Be brief."}]
    for n in range(40):
        old.append({"role": "user", "content": f"Message {n} " + "word " * 20})
        old.append({"role": "assistant", "content": "Yes."})
    asked = [*old, *user("Say hi")]
    reply = client.chat(MODEL, asked, options={**small, "num_predict": 5})
    assert reply.done and 100 < reply.prompt_eval_count <= 512  # the oldest were left out
    body = {"model": MODEL, "messages": asked, "options": small, "truncate": False}
    assert httpx.post(f"{writer.address}/api/chat", timeout=60, json=body).status_code == 400
    full = client.chat(MODEL, user("Write for ever"), options={"num_ctx": 64, "temperature": 0})
    assert full.prompt_eval_count + full.eval_count <= 64
    client.chat(MODEL, [], keep_alive=0)


def test_leaving_ends_the_work(writer: Running, client: ollama.Client) -> None:
    client.chat(MODEL, [])
    stream = client.chat(MODEL, user("Write a long story"), stream=True, options=LONG)
    next(stream)
    stream.close()
    started = time.monotonic()
    client.chat(MODEL, user("hi"), options={"num_predict": 1})
    assert time.monotonic() - started < 3
    hasty = ollama.Client(writer.address, timeout=0.7, trust_env=False)
    with hasty, pytest.raises(httpx.TimeoutException):  # while the prompt is read, not streaming
        hasty.chat(MODEL, user("word " * 3000), options=LONG)
    started = time.monotonic()
    client.chat(MODEL, user("hi"), options={"num_predict": 1})
    assert time.monotonic() - started < 3


def test_chats_vectors_and_leaving_at_once(writer: Running) -> None:
    async def all_at_once() -> list[bool]:
        client = ollama.AsyncClient(writer.address, timeout=120, trust_env=False)

        async def talk(n: int) -> bool:
            short = {"num_predict": 40}
            stream = await client.chat(MODEL, user(f"Story {n}"), stream=True, options=short)
            return bool([row async for row in stream][-1].done)

        async def leave() -> bool:
            stream = await client.chat(MODEL, user("Never mind"), stream=True, options=LONG)
            async for _ in stream:
                break
            await stream.aclose()
            return True

        async def vectors() -> bool:
            reply = await client.embed("multilingual-e5-small", ["a", "b", "c"])
            return len(reply.embeddings) == 3

        async with client:
            talks = (talk(n) for n in range(3))
            return await asyncio.gather(*talks, leave(), *(vectors() for _ in range(5)))

    # In a thread of its own: in a whole run Playwright's loop is at work in this one.
    with ThreadPoolExecutor(1) as elsewhere:
        assert all(elsewhere.submit(asyncio.run, all_at_once()).result(120))


def test_questions_go_before_background_work(writer: Running) -> None:
    order, threads = list[str](), []
    endless = {"type": "string", "minLength": 2000}  # keeps it busy for exactly so many tokens

    def ask(name: str) -> None:
        headers = {"X-Priority": "background"} if name.startswith("quiz") else {}
        with writer.client(headers=headers) as client:
            if name == "running":
                client.chat(MODEL, user(name), format=endless, options={"num_predict": 300})
            else:
                client.chat(MODEL, user(name), options={"num_predict": 10})
        order.append(name)

    for name in ("running", "quiz1", "quiz2", *(f"chat{n}" for n in range(6))):
        threads.append(threading.Thread(target=ask, args=(name,)))
        threads[-1].start()
        time.sleep(0.1)
    for thread in threads:
        thread.join()
    # Which of two arrives first is the machine's affair; the kinds are ours.
    kinds = ["runn", *["chat"] * 4, "quiz", "chat", "chat", "quiz"]
    assert [name[:4] for name in order] == kinds, order


def test_sigterm_in_the_middle_ends_at_once(gguf: Path, tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf").symlink_to(gguf)
    server = Running(tmp_path)
    with server.client() as client:
        stream = client.chat(MODEL, user("Write a long story"), stream=True, options=LONG)
        next(stream)
        started = time.monotonic()
        assert server.stop() == 0 and time.monotonic() - started < 1
        with pytest.raises(httpx.HTTPError):
            list(stream)


def test_twenty_chats_do_not_grow(writer: Running, client: ollama.Client) -> None:
    process = psutil.Process(writer.process.pid)

    def chat(n: int) -> None:
        said = f"Message number {n}: tell me something"
        client.chat(MODEL, user(said), options={"num_predict": 16})

    for n in range(10):
        chat(n)
    before, threads = process.memory_info().rss, process.num_threads()
    for n in range(20):
        chat(n + 10)
    assert process.memory_info().rss - before < 48 << 20
    assert process.num_threads() <= threads + 2
