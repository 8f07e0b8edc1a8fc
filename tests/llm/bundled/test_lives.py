"""Whoever waits for the bundled server hears that it lives; only a true silence is one."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ollama
import pytest

from apps.llm.bundled import chat
from apps.llm.bundled.options import Message
from apps.llm.bundled.outcome import Outcome
from apps.llm.bundled.slot import Slot
from apps.llm.bundled.state import State
from apps.llm.bundled.store import Model
from apps.llm.bundled.web import Server

ASKED: list[Message] = [{"role": "user", "content": "x"}]


class Reading:
    """An engine that reads its prompt until the test says that it is done."""

    def __init__(self) -> None:
        self.through, self.begun = threading.Event(), threading.Event()

    def generate(
        self,
        body: dict[str, Any],
        on_text: Callable[[str], None],
        gone: Callable[[], bool],
        limit: int | None = None,
    ) -> Outcome:
        self.begun.set()
        while not self.through.wait(0.01):
            gone()
        on_text("read")
        return Outcome(tokens=1)

    def close(self) -> None:
        """Nothing to free."""


@pytest.fixture
def engine() -> Reading:
    return Reading()


@pytest.fixture
def client(
    engine: Reading, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ollama.Client]:
    monkeypatch.setattr(chat, "LIVES", 0.05)
    state = State(tmp_path, {}, 1)
    path = tmp_path / "slow.gguf"
    model = Model(
        *("slow:latest", path, 1, "0" * 64, "", "llama", "1B", "Q4"), ("completion",), 2048
    )
    monkeypatch.setattr(state.store, "get", lambda name: model)
    state.llm = Slot(lambda model, num_ctx: engine)  # type: ignore[assignment, return-value]
    server = Server(0, state)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    with ollama.Client(server.address, timeout=30, trust_env=False) as client:
        yield client
    engine.through.set()
    server.shutdown()
    server.server_close()


def test_a_long_prompt_is_no_silence(client: ollama.Client, engine: Reading) -> None:
    rows = client.chat("slow", ASKED, stream=True)
    assert [next(rows).message.content for _ in range(3)] == ["", "", ""]
    engine.through.set()
    left = list(rows)
    assert "".join(row.message.content or "" for row in left) == "read"
    assert [row.done for row in left][-1]


def test_nor_is_waiting_for_a_turn(client: ollama.Client, engine: Reading) -> None:
    first = threading.Thread(target=client.chat, args=("slow", ASKED))
    first.start()
    assert engine.begun.wait(20)
    rows = client.chat("slow", ASKED, stream=True)
    assert [next(rows).done for _ in range(3)] == [False] * 3
    engine.through.set()
    assert "".join(row.message.content or "" for row in rows) == "read"
    first.join(20)
