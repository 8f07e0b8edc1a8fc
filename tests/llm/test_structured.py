"""One thing of a given shape, at the wire."""

import pytest
from pydantic import BaseModel, Field

from apps.llm import structured
from tests.fake_ollama import FakeOllama

GOOD = '{"title": "Notice", "count": 3}'


class Shape(BaseModel):
    title: str = Field(max_length=20)
    count: int


def ask(**more):
    return structured.ask([{"role": "user", "content": "?"}], Shape, model="fake", **more)


def test_the_shape_goes_to_the_server_and_comes_back(ollama: FakeOllama):
    ollama.says('{"title": "Noti', 'ce", "count": 3}')
    assert ask() == Shape(title="Notice", count=3)
    sent = ollama.asked[-1]
    assert sent["format"]["properties"]["title"] == {"maxLength": 20, "type": "string"}
    assert "title" not in sent["format"]
    assert sent["options"]["num_predict"] == 400
    assert sent["options"]["num_ctx"] >= 4096


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Here it is: {GOOD} I hope it helps.",
        '{"title": "a\nb", "count": 3}',
    ],
)
def test_what_stands_around_the_json_is_dropped(text):
    assert structured.read(text, Shape).count == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no JSON"),
        ("Sorry, I cannot.", "no JSON"),
        ("}{", "no JSON"),
        ('{"title": "x"}', "count: Field required"),
        ('{"title": "x", "count": "many"}', "count:"),
        ('{"title": "xxxxxxxxxxxxxxxxxxxxxxxxxx", "count": 1}', "title:"),
        ('{"title": "x", "count": 1', "no JSON"),
        ('{"title": "x" "count": 1}', "not JSON"),
        ("{" * 5000 + "}" * 5000, "not JSON"),
    ],
)
def test_anything_else_is_unreadable_with_a_reason(text, words):
    with pytest.raises(structured.Unreadable, match=words):
        structured.read(text, Shape)


def test_whoever_asks_can_stop(ollama: FakeOllama):
    ollama.says('{"title": ', '"Notice", ', '"count": 3}')
    with pytest.raises(structured.Stopped):
        ask(stop_when=lambda: True)
