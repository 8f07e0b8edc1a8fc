"""Tool calls for a small model, in two steps.

Qwen2.5-Coder-1.5B, asked as it was trained to be, mostly talks about the tool instead of calling
it (9 of 20). What it can do is choose from a list. So the first step is a question of its own,
"what kind of request is this, and which tool fits?", and a grammar leaves only these answers: a
kind that needs no tool, or one of the tools with arguments that fit its schema. Naming the kind
first is what keeps it from calling a tool for everything. Only when it wants none is the
conversation answered, in plain text and without a word about tools.
"""

import json
import secrets
from typing import Any

from apps.llm.bundled.grammar import grammar, trouble_in
from apps.llm.bundled.options import Message, Refusal

Function = dict[str, Any]

ROOM = 2048  # tokens of window the first step needs
LONGEST = 1024  # tokens a call may take
_LOOK_BACK, _CLIP = 5, 1200  # messages shown to the first step, and letters of each

_KINDS = ("small talk", "general knowledge", "language", "arithmetic", "writing")
_ASK = (
    "Say what kind of request the last message is, then which tool fits, if any. Reply with one "
    'JSON object: {"kind": "tool", "name": "...", "arguments": {...}} or, for small talk, general '
    'knowledge, language, arithmetic and writing, {"kind": "...", "name": "none"}.'
)
_EXAMPLE_TOOLS = """\
- set_timer(minutes: integer): Start a kitchen timer
- find_recipe(dish: string): Look up a recipe in the user's cookbook
- look_up(words: string): Search the internet for timetables, news and prices"""


def _call(name: str, **arguments: object) -> dict[str, Any]:
    return {"kind": "tool", "name": name, "arguments": arguments}


def _none(kind: str) -> dict[str, Any]:
    return {"kind": kind, "name": "none"}


_EXAMPLES = (
    ("Remind me of the tea in 4 minutes.", _call("set_timer", minutes=4)),
    ("Good evening!", _none("small talk")),
    ("What does my cookbook say about goulash?", _call("find_recipe", dish="goulash")),
    ("Who wrote Hamlet?", _none("general knowledge")),
    ("What is the Italian word for bread?", _none("language")),
    ("When does the next train to Graz leave?", _call("look_up", words="next train to Graz")),
    ("Wie viel ist 7 mal 9?", _none("arithmetic")),
    ("Why do leaves turn yellow?", _none("general knowledge")),
    ("Write a toast for a wedding.", _none("writing")),
    (
        "Wie lange braucht laut meinem Kochbuch ein Gulasch?",
        _call("find_recipe", dish="Gulasch"),
    ),
)


def checked(tools: object) -> list[Function]:
    """The functions of a request's `tools`; refuses what is no tool."""
    if not tools:
        return []
    if not isinstance(tools, list):
        field = "Go struct field ChatRequest.tools of type api.Tools"
        raise Refusal(400, f"json: cannot unmarshal into {field}")
    found = []
    for tool in tools:
        function = tool.get("function") if isinstance(tool, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            raise Refusal(400, "invalid tool: a function with a name is needed")
        schema = function.get("parameters") or {"type": "object", "properties": {}}
        if trouble := trouble_in(schema):
            raise Refusal(400, f"invalid parameters of tool {function['name']}: {trouble}")
        found.append({**function, "parameters": schema})
    return found


def decision(messages: list[Message], functions: list[Function]) -> dict[str, Any]:
    """The request of the first step. Its long beginning never changes, so it is read only once."""
    asked = [{"role": "system", "content": _ASK}]
    for text, reply in _EXAMPLES:
        said = json.dumps(reply, ensure_ascii=False)
        asked.append({"role": "user", "content": _question(_EXAMPLE_TOOLS, f"Message: {text}")})
        asked.append({"role": "assistant", "content": said})
    tools = "\n".join(map(_signature, functions))
    asked.append({"role": "user", "content": _question(tools, _situation(messages))})
    return {
        "messages": asked,
        "temperature": 0,
        "max_tokens": LONGEST,
        "grammar": grammar(_replies(functions)),
    }


def _replies(functions: list[Function]) -> dict[str, Any]:
    """The schema of what the first step may answer."""
    none = {"kind": {"enum": list(_KINDS)}, "name": {"const": "none"}}
    replies = [{"type": "object", "required": ["kind", "name"], "properties": none}]
    shared: dict[str, Any] = {}
    for function in functions:
        properties = {
            "kind": {"const": "tool"},
            "name": {"const": function["name"]},
            "arguments": _hoisted(function["name"], function["parameters"], shared),
        }
        replies.append({"type": "object", "required": list(properties), "properties": properties})
    return {"$defs": shared, "oneOf": replies}


def _hoisted(name: str, schema: dict[str, Any], shared: dict[str, Any]) -> dict[str, Any]:
    """The schema with its $defs moved to `shared`, under names of their own.

    References count from the outermost schema.
    """
    rest = {key: value for key, value in schema.items() if key not in ("$defs", "definitions")}
    moved = {**schema.get("definitions", {}), **schema.get("$defs", {})}
    text = json.dumps([rest, moved])
    for place in ("$defs", "definitions"):
        text = text.replace(f'"#/{place}/', f'"#/$defs/{name}.')
    fresh: dict[str, Any]
    fresh, moved = json.loads(text)
    shared.update({f"{name}.{key}": value for key, value in moved.items()})
    return fresh


def call_in(text: str, messages: list[Message]) -> dict[str, Any] | None:
    """The tool call the first step came to, in Ollama's form; None where it wants none.

    A call that was already made since the user last spoke is no call: small models like to go in
    circles.
    """
    try:
        chosen = json.loads(text)
    except ValueError:  # cut off at LONGEST
        return None
    if chosen.get("name") == "none" or "arguments" not in chosen:
        return None
    made = [
        (call["function"].get("name"), call["function"].get("arguments"))
        for message in _since_user(messages)
        for call in message.get("tool_calls") or ()
    ]
    if (chosen["name"], chosen["arguments"]) in made:
        return None
    function = {"index": 0, "name": chosen["name"], "arguments": chosen["arguments"]}
    return {"id": f"call_{secrets.token_hex(4)}", "function": function}


def told(messages: list[Message]) -> list[Message]:
    """The conversation as the second step reads it: what a tool gave is among the user's words."""
    plain: list[Message] = []
    results: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            results.append(f"Result of {_name(message)}:\n{message['content']}")
            continue
        if results:
            plain.append({"role": "user", "content": "\n\n".join(results)})
            results = []
        if message["content"] or not message.get("tool_calls"):
            plain.append({"role": message["role"], "content": message["content"]})
    if results:
        wish = next((m["content"] for m in reversed(messages) if m["role"] == "user"), "")
        text = "\n\n".join([*results, f"Use this to answer: {wish}"])
        plain.append({"role": "user", "content": text})
    return plain


def _question(tools: str, situation: str) -> str:
    return f"Tools:\n{tools}\n- none: answer without a tool\n\n{situation}"


def _situation(messages: list[Message]) -> str:
    """The last user message, what was said shortly before, and what tools have given since."""
    talk = [m for m in messages if m["role"] in ("user", "assistant") and m["content"]]
    at = max((i for i, m in enumerate(talk) if m["role"] == "user"), default=0)
    shown = talk[max(0, at - _LOOK_BACK + 1) : at]
    lines = [f"{m['role']}: {_clip(m['content'])}" for m in shown]
    before = "Before:\n" + "\n".join(lines) + "\n\n" if lines else ""
    last = talk[at]["content"] if talk else ""
    results = [
        f"{_name(m)} gave: {_clip(m['content'])}"
        for m in _since_user(messages)
        if m["role"] == "tool"
    ]
    after = "\n\nAlready done:\n" + "\n".join(results) if results else ""
    return f"{before}Message: {_clip(last)}{after}"


def _since_user(messages: list[Message]) -> list[Message]:
    at = max((i for i, m in enumerate(messages) if m["role"] == "user"), default=-1)
    return messages[at + 1 :]


def _clip(text: str) -> str:
    return text if len(text) <= _CLIP else f"{text[: _CLIP // 2]} … {text[-_CLIP // 2 :]}"


def _name(message: Message) -> str:
    return message.get("tool_name") or message.get("name") or "the tool"


def _signature(function: Function) -> str:
    needed, words = function["parameters"].get("required", []), []
    for name, schema in function["parameters"].get("properties", {}).items():
        choices = schema.get("enum")
        kind = "|".join(map(str, choices)) if choices else schema.get("type", "any")
        words.append(f"{name}{'' if name in needed else '?'}: {kind}")
    description = " ".join((function.get("description") or "").split())
    return f"- {function['name']}({', '.join(words)}): {description}"
