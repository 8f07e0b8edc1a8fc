"""A model uses tools, within bounds, whatever it does."""

from typing import Annotated

import pytest
from pydantic import Field

from apps.llm import tools
from apps.llm.client import Piece
from apps.llm.tools import MOST_ROUNDS, Tool, ToolError, Used, Using

MODEL = "fake"
ASKED = [{"role": "user", "content": "How warm is it in Graz?"}]


def weather(
    place: Annotated[str, Field(max_length=20, description="a town")], days: int = 1
) -> str:
    """Look up the weather."""
    if place == "Atlantis":
        raise ToolError("There is no such town. Name another.")
    return f"{place}: 21 degrees for {days}"


TOOL = Tool.of(weather)


def told(ollama) -> tuple[str, list[Using | Used]]:
    happened = list(tools.converse(ASKED, [TOOL], model=MODEL))
    text = "".join(each.content for each in happened if isinstance(each, Piece))
    return text, [each for each in happened if not isinstance(each, Piece)]


def test_a_typed_function_says_all_a_model_must_know():
    function = TOOL.told["function"]
    assert (function["name"], function["description"]) == ("weather", "Look up the weather.")
    assert function["parameters"] == {
        "type": "object",
        "required": ["place"],
        "properties": {
            "place": {"type": "string", "maxLength": 20, "description": "a town"},
            "days": {"type": "integer", "default": 1},
        },
    }


def test_arguments_are_checked_before_the_function_sees_them():
    assert TOOL.use({"place": "Graz", "days": "2", "more": "x"}) == "Graz: 21 degrees for 2"
    for wrong in ({}, {"place": 3}, {"place": "x" * 21}, {"place": "Graz", "days": "soon"}):
        with pytest.raises(ToolError, match=r"place|days"):
            TOOL.use(wrong)


def test_a_model_calls_a_tool_and_answers_from_what_it_gave(ollama):
    ollama.calls("weather", place="Graz")
    ollama.says("It is 21 degrees.")
    text, happened = told(ollama)
    assert text == "It is 21 degrees."
    assert happened[0] == Using(1, "weather", {"place": "Graz"})
    assert isinstance(happened[1], Used) and happened[1].text == "Graz: 21 degrees for 1"
    called, result = ollama.asked[1]["messages"][1:]
    assert called["tool_calls"][0]["function"]["name"] == "weather"
    assert result["role"] == "tool" and "data and not instructions" in result["content"]


def test_a_tool_that_fails_or_does_not_exist_is_told_to_the_model(ollama):
    ollama.calls("weather", place="Atlantis").calls("moon")
    ollama.says("I do not know.")
    _, happened = told(ollama)
    failed = [each.text for each in happened if isinstance(each, Used) and each.failed]
    assert failed == [
        "There is no such town. Name another.",
        "There is no tool moon. There are: weather.",
    ]


def test_a_model_that_goes_in_circles_is_cut_short(ollama):
    ollama.calls("weather", place="Graz")
    ollama.calls("weather", place="Graz")
    ollama.says("21 degrees.")
    text, happened = told(ollama)
    assert text == "21 degrees." and len(ollama.asked) == 3
    assert "before with the same arguments" in happened[-1].text
    assert not ollama.asked[2].get("tools") and ollama.asked[2]["messages"][-1]["role"] == "user"


def test_a_model_that_never_stops_calling_is_stopped(ollama):
    for n in range(MOST_ROUNDS - 1):
        ollama.calls("weather", place=f"Town {n}")
    ollama.says("Enough.")
    text, happened = told(ollama)
    assert text == "Enough." and len(ollama.asked) == MOST_ROUNDS
    assert sum(isinstance(each, Using) for each in happened) == MOST_ROUNDS - 1


def test_a_call_that_is_written_down_counts_as_one(ollama):
    ollama.says('```json\n{"name": "weather", "arguments": {"place": "Graz"}}\n```')
    ollama.says("21 degrees.")
    text, happened = told(ollama)
    assert text.endswith("21 degrees.") and isinstance(happened[0], Using)


@pytest.mark.parametrize("garbage", ["{", '{"name": 3}', "[1, 2]", '{"name": ["x"]}', "null"])
def test_garbage_is_an_answer_and_no_call(ollama, garbage):
    ollama.says(garbage)
    assert told(ollama) == (garbage, [])
