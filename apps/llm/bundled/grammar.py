"""JSON schemas as grammars: what may be asked for, and how it is put to the engine."""

import json
import re
from collections.abc import Iterator
from typing import Any

from apps.llm.bundled.options import Refusal

# What the grammar engine (llguidance, inside xllamacpp) cannot follow. It would say nothing and
# constrain nothing, so it is said here.
_REFUSED = (
    *("not", "if", "then", "else", "uniqueItems", "contains", "dependentRequired"),
    *("dependentSchemas", "propertyNames", "unevaluatedProperties"),
)
_TYPES = {"string", "number", "integer", "boolean", "null", "object", "array"}
_FORMATS = {
    *("date-time", "time", "date", "duration", "email", "hostname"),
    *("ipv4", "ipv6", "uuid", "uri"),
}
EXPECTED = 'expected "json" or a valid JSON Schema object'


def schema_of(form: object) -> dict[str, Any] | None:
    """The schema behind Ollama's `format` ("json" or a schema), None for free text.

    Raises Refusal for what the engine could not follow.
    """
    if form in (None, "", "null"):
        return None
    if form == "json":
        return {"type": "object"}
    if not isinstance(form, dict):
        raise Refusal(400, f"invalid format: {json.dumps(form)}; {EXPECTED}")
    if trouble := trouble_in(form):
        raise Refusal(400, f"invalid JSON schema in format: {trouble}")
    return form


def trouble_in(schema: dict[str, Any]) -> str:
    """Why the grammar engine could not follow this schema; empty where it can."""
    return _trouble(schema, schema)


def _trouble(schema: object, root: dict[str, Any]) -> str:
    if isinstance(schema, bool):
        return ""
    if not isinstance(schema, dict):
        return f"not a schema: {schema!r}"
    own = _own_trouble(schema, root)
    return own or next((t for part in _inner(schema) if (t := _trouble(part, root))), "")


def _own_trouble(schema: dict[str, Any], root: dict[str, Any]) -> str:
    if unknown := [key for key in _REFUSED if schema.get(key)]:
        return f"{unknown[0]} is not supported"
    kinds = schema.get("type", [])
    if any(kind not in _TYPES for kind in ([kinds] if isinstance(kinds, str) else kinds)):
        return f"unknown type {kinds!r}"
    if (form := schema.get("format")) and form not in _FORMATS:
        return f"unknown string format {form!r}"
    if pattern := schema.get("pattern"):
        try:
            re.compile(pattern)
        except re.error as error:
            return f"pattern {pattern!r}: {error}"
    if (target := schema.get("$ref")) and _resolved(target, root) is None:
        return f"cannot resolve {target!r}"
    return ""


def _inner(schema: dict[str, Any]) -> Iterator[object]:
    """The schemas inside a schema."""
    for key in ("properties", "$defs", "definitions", "patternProperties"):
        part = schema.get(key, {})
        yield from part.values() if isinstance(part, dict) else [part]
    for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        yield from schema.get(key, ())
    for key in ("items", "additionalProperties"):
        if key in schema:
            yield schema[key]


def _resolved(target: str, root: dict[str, Any]) -> object:
    if not target.startswith("#"):
        return None
    at: Any = root
    for step in target.lstrip("#").strip("/").split("/"):
        if step:
            name = step.replace("~1", "/").replace("~0", "~")
            at = at.get(name) if isinstance(at, dict) else None
    return at


_COMPACT = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
_BIG = 999_999_999
_BOUNDS = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "enum"}


def grammar(schema: dict[str, Any]) -> str:
    """The grammar that admits only JSON of this schema, written on one line.

    Without that, small models fill the window with the white space JSON allows between any two
    words.
    """
    closed = json.dumps({**_closed(schema), "x-guidance": _COMPACT})
    return f"%llguidance {{}}\nstart: %json {closed}\n"


def _closed(part: Any) -> Any:
    """The schema with only the properties it names, and numbers of bearable length."""
    if isinstance(part, list):
        return [_closed(item) for item in part]
    if not isinstance(part, dict):
        return part
    plain = ("enum", "const", "default", "examples", "required")
    fresh = {key: value if key in plain else _closed(value) for key, value in part.items()}
    is_object = part.get("type", "object") == "object" and "allOf" not in part
    if isinstance(part.get("properties"), dict) and is_object:
        fresh.setdefault("additionalProperties", False)
    if part.get("type") == "integer" and not _BOUNDS & set(part):
        fresh |= {"minimum": -_BIG, "maximum": _BIG}
    return fresh
