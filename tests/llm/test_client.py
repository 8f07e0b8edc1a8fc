"""The one way to a model."""

import threading
import time

import numpy as np
import pytest
from pytest_django import Settings

from apps.llm import client
from apps.llm.client import ModelError
from tests.fake_ollama import FakeOllama

HELLO = [{"role": "user", "content": "Hello"}]


def text_of(call: client.Call) -> str:
    return "".join(piece.content for piece in call)


def test_an_answer_comes_in_pieces_with_thoughts_and_calls(ollama: FakeOllama) -> None:
    ollama.thinks("Hm.").says("Be", "cause.").calls("search_library", question="tides")
    pieces = list(client.chat(HELLO, model="thinker", think=True))
    assert "".join(piece.thinking for piece in pieces) == "Hm."
    assert "".join(piece.content for piece in pieces) == "Because."
    (call,) = [call for piece in pieces for call in piece.tool_calls]
    assert (call.name, call.arguments) == ("search_library", {"question": "tides"})
    assert ollama.asked[0]["model"] == "thinker" and ollama.asked[0]["stream"] is True


def test_options_format_and_tools_reach_the_server(ollama: FakeOllama) -> None:
    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    ollama.says("{}")
    schema = {"type": "object"}
    list(client.chat(HELLO, model="fake", options={"temperature": 0}, format=schema, tools=[add]))
    (asked,) = ollama.asked
    assert asked["options"] == {"temperature": 0} and asked["format"] == schema
    assert asked["tools"][0]["function"]["name"] == "add"
    assert "think" not in asked


def test_what_a_database_cannot_keep_is_taken_out(ollama: FakeOllama) -> None:
    ollama.says("a\0b", "\ud83d")
    assert text_of(client.chat(HELLO, model="fake")) == "ab\ufffd"


def test_a_missing_model_is_named_with_what_to_do(ollama: FakeOllama) -> None:
    with pytest.raises(ModelError, match=r"nobody is not installed\. Pull it"):
        text_of(client.chat(HELLO, model="nobody"))
    with pytest.raises(ModelError, match="nobody is not installed"):
        client.embed(["x"], "query", model="nobody")


def test_an_error_of_the_server_is_told(ollama: FakeOllama) -> None:
    with pytest.raises(ModelError, match=r"fake cannot do this \(thinking\)"):
        text_of(client.chat(HELLO, model="fake", think=True))
    ollama.says("half").fails("out of memory")
    with pytest.raises(ModelError, match="reports: out of memory"):
        text_of(client.chat(HELLO, model="fake"))


def test_a_broken_off_answer_is_an_error_after_its_pieces(ollama: FakeOllama) -> None:
    ollama.breaks_off_after("half an")
    pieces = []
    with pytest.raises(ModelError, match="broke off"):
        for piece in client.chat(HELLO, model="fake"):
            pieces.append(piece.content)
    assert pieces == ["half an"]


def test_a_server_that_is_gone_is_told(settings: Settings) -> None:
    settings.OLLAMA_HOST = "http://127.0.0.1:9"
    with pytest.raises(ModelError, match=r"No model server answers at http://127\.0\.0\.1:9"):
        text_of(client.chat(HELLO, model="fake"))
    with pytest.raises(ModelError, match="No model server answers"):
        client.embed(["x"], "query", model="fake")


def test_silence_ends(ollama: FakeOllama, settings: Settings) -> None:
    settings.MODEL_SILENCE = 0.3
    ollama.answer().waits(5)
    with pytest.raises(ModelError, match="said nothing for"):
        text_of(client.chat(HELLO, model="fake"))


def test_who_is_asked_in_the_background_may_be_silent_for_longer(
    ollama: FakeOllama, settings: Settings
) -> None:
    settings.MODEL_SILENCE = 0.5  # Ollama is silent while another request has the model
    ollama.answer().waits(1).says("at last")
    assert text_of(client.chat(HELLO, model="fake", background=True)) == "at last"


def test_a_row_without_words_is_no_piece(ollama: FakeOllama) -> None:
    ollama.says("", "", "at last")
    assert [piece.content for piece in client.chat(HELLO, model="fake")] == ["at last"]


@pytest.mark.parametrize("already", ["", "Well, "])
def test_stop_ends_a_waiting_call_at_once(ollama: FakeOllama, already: str) -> None:
    script = ollama.answer()
    if already:
        script.says(already)
    script.holds(threading.Event())
    call = client.chat(HELLO, model="fake")
    threading.Timer(0.3, call.stop).start()
    began = time.monotonic()
    assert text_of(call) == already
    assert call.stopped and time.monotonic() - began < 10  # the server would wait for 30
    until = time.monotonic() + 2
    while not ollama.hung_up and time.monotonic() < until:
        time.sleep(0.01)
    assert ollama.hung_up


def test_a_call_stopped_before_it_began_asks_nothing(ollama: FakeOllama) -> None:
    call = client.chat(HELLO, model="fake")
    call.stop()
    assert list(call) == [] and not ollama.heard


def test_vectors_have_length_one_and_the_prefix_of_their_family(ollama: FakeOllama) -> None:
    assert client.embedder() == ("embeddinggemma", 384)
    passages = client.embed(["the tides of the sea", "a tax return"], "passage")
    question = client.embed(["tides"], "query")[0]
    assert passages.shape == (2, 384) and passages.dtype == np.float32
    assert np.allclose(np.linalg.norm(passages, axis=1), 1)
    near, far = passages @ question
    assert near > far
    sent = [heard.body["input"] for heard in ollama.heard if heard.path == "/api/embed"]
    assert sent[0][0] == "title: none | text: the tides of the sea"
    assert sent[1] == ["task: search result | query: tides"]


def test_other_families_have_other_prefixes() -> None:
    assert client.prefix_of("multilingual-e5-small:latest", "query") == "query: "
    assert client.prefix_of("library/e5-large", "passage") == "passage: "
    assert client.prefix_of("bge-m3", "query") == ""


def test_many_texts_are_sent_in_bounded_requests(ollama: FakeOllama) -> None:
    assert client.embed([f"text {n}" for n in range(130)], "passage").shape == (130, 384)
    assert client.embed([], "passage").shape[0] == 0
    sizes = [len(h.body["input"]) for h in ollama.heard if h.path == "/api/embed"]
    assert sizes == [64, 64, 2]


def test_without_an_embedding_model_it_says_what_to_pull(ollama: FakeOllama) -> None:
    ollama.lacks("embeddinggemma")
    with pytest.raises(ModelError, match="pull_model embeddinggemma"):
        client.embedder()


def test_the_embedding_model_can_be_set(ollama: FakeOllama, settings: Settings) -> None:
    ollama.has("bge-m3", "embedding", dimensions=1024)
    settings.EMBED_MODEL = "bge-m3"
    assert client.embedder() == ("bge-m3", 1024)
    assert client.embed(["x"], "query").shape == (1, 1024)


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1:11434"),
        ("machine:1234", "http://machine:1234"),
        ("https://machine", "https://machine:443"),
        ("http://machine:8080/", "http://machine:8080"),
    ],
)
def test_ollama_host_is_read_as_ollama_reads_it(
    settings: Settings, given: str, address: str
) -> None:
    settings.OLLAMA_HOST = given
    assert client.host() == address


def test_a_proxy_of_the_environment_is_not_used(
    ollama: FakeOllama, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    client.forget()
    ollama.says("Here.")
    assert text_of(client.chat(HELLO, model="fake")) == "Here."
    assert len(client.embed(["x"], "query")) == 1
