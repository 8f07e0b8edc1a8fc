"""From Ollama's words to llama.cpp's."""

import pytest

from apps.llm.bundled.options import Message, Refusal, fitted, sampling, seconds
from apps.llm.bundled.outcome import TooLong

FOREVER = float("inf")


@pytest.mark.parametrize(
    ("given", "means"),
    [
        (None, 300),
        (0, 0),
        (-1, FOREVER),
        ("5m", 300),
        ("1h30m", 5400),
        ("0", 0),
        ("-1", FOREVER),
        ("-1m", FOREVER),
        ("250ms", 0.25),
        (1.5, 1.5),
    ],
    ids=repr,
)
def test_keep_alive_is_read_as_go_writes_it(given: object, means: float) -> None:
    assert seconds(given, 300) == means


@pytest.mark.parametrize(("given", "says"), [("soon", "invalid duration"), ("5", "missing unit")])
def test_other_durations_are_refused(given: str, says: str) -> None:
    with pytest.raises(Refusal, match=says):
        seconds(given, 300)


def test_options_are_translated_and_unknown_ones_passed_over() -> None:
    chosen = sampling({"num_predict": 5, "stop": "x", "temperature": 0, "num_ctx": 99, "new": 1})
    assert chosen["max_tokens"] == 5 and chosen["stop"] == ["x"] and chosen["temperature"] == 0
    assert not {"num_predict", "num_ctx", "new"} & set(chosen)
    with pytest.raises(Refusal, match='"top_k" must be of type integer'):
        sampling({"top_k": 1.5})


def test_of_a_long_conversation_the_oldest_messages_go_first() -> None:
    seen = []

    def run(messages: list[Message]) -> list[Message]:
        seen.append(len(messages))
        if len(messages) > 4:
            raise TooLong(len(messages), 4)
        return messages

    talk = [{"role": "system", "content": "s"}]
    talk += [{"role": "user", "content": str(n)} for n in range(9)]
    kept = [message["content"] for message in fitted(talk, run)]
    assert kept[0] == "s" and kept[-1] == "8" and seen[0] == 10
    with pytest.raises(Refusal, match="exceeds"):
        fitted(talk, run, truncate=False)


def test_a_last_message_that_never_fits_is_refused() -> None:
    def run(messages: list[Message]) -> None:
        raise TooLong(1000, 4)

    with pytest.raises(Refusal, match="exceeds"):
        fitted([{"role": "user", "content": "x" * 1000}], run)
