"""JSON schemas as grammars, and tools as choices."""

import pytest

from apps.llm.bundled import tool_calls
from apps.llm.bundled.grammar import grammar, schema_of, trouble_in
from apps.llm.bundled.options import Refusal

ADD = [
    {"role": "user", "content": "add"},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"function": {"name": "f", "arguments": {"a": 1}}}],
    },
    {"role": "tool", "content": "5"},
]


def test_schemas_the_engine_could_not_follow_are_named() -> None:
    assert trouble_in({"type": "array", "items": {"type": "nonsense"}})
    assert trouble_in({"$ref": "#/nowhere"})
    assert trouble_in({"type": "string", "pattern": "("})
    good = {"type": "object", "properties": {"a": {"type": ["string", "null"]}}}
    assert not trouble_in(good)
    with pytest.raises(Refusal, match="uniqueItems is not supported"):
        schema_of({"type": "array", "uniqueItems": True})


def test_objects_are_closed_where_they_name_their_properties() -> None:
    named = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert '"additionalProperties": false' in grammar(named)
    assert '"additionalProperties"' not in grammar({"type": "object"})


def test_a_call_made_before_is_not_made_again() -> None:
    again = '{"kind":"tool","name":"f","arguments":{"a":1}}'
    other = tool_calls.call_in('{"kind":"tool","name":"f","arguments":{"a":2}}', ADD)
    assert tool_calls.call_in(again, ADD) is None
    assert other and other["function"]["arguments"] == {"a": 2}
    assert tool_calls.call_in('{"kind":"small talk","name":"none"}', ADD) is None
    assert tool_calls.call_in('{"kind":"tool","name":"f","argu', ADD) is None


def test_what_a_tool_gave_becomes_part_of_the_users_words() -> None:
    told = tool_calls.told(ADD)
    assert [message["role"] for message in told] == ["user", "user"]
    assert "Result of the tool:\n5" in told[-1]["content"] and "answer: add" in told[-1]["content"]


def test_references_of_a_tool_survive_beside_another_tool() -> None:
    schema = {
        "type": "object",
        "properties": {"c": {"$ref": "#/$defs/C"}},
        "$defs": {"C": {"enum": ["red"]}},
    }
    functions = tool_calls.checked([{"function": {"name": "f", "parameters": schema}}])
    request = tool_calls.decision([{"role": "user", "content": "x"}], functions)
    assert '"#/$defs/f.C"' in request["grammar"]
    assert '"f.C": {"enum": ["red"]}' in request["grammar"]
