"""The API's description: OpenAPI with its errors and scopes, and the same for a page."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ninja import NinjaAPI
from ninja.operation import Operation

from apps.vault.api.gate import Bearer
from apps.vault.api.problems import MEDIA_TYPE

METHODS = ("get", "post", "patch", "delete")
REF = "#/components/schemas/"
PROBLEM = {
    "type": "object",
    "title": "Problem",
    "description": "What went wrong, and what to do next (RFC 9457).",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"where": {"type": "string"}, "what": {"type": "string"}},
            },
        },
    },
}
ERRORS = {
    "401": "No token, or none that opens anything",
    "403": "The token lacks the scope",
    "404": "Not there, or somebody else's",
    "default": "Anything else that went wrong",
}


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter, or a field of a body."""

    name: str
    place: str  # path, query or body
    kind: str
    needed: bool
    words: str


@dataclass(frozen=True, slots=True)
class Door:
    """One operation as the page shows it."""

    id: str
    method: str
    path: str
    words: str
    scope: str
    fields: list[Field]
    gives: str  # an example of the answer, as JSON
    curl: str


@dataclass(frozen=True, slots=True)
class Group:
    name: str
    doors: list[Door]


def whole(api: NinjaAPI) -> dict[str, Any]:
    """The OpenAPI document, with the errors any operation may answer, and the scope it needs."""
    told: dict[str, Any] = json.loads(json.dumps(api.get_openapi_schema()))
    told["components"]["schemas"]["Problem"] = PROBLEM
    problem = {MEDIA_TYPE: {"schema": {"$ref": f"{REF}Problem"}}}
    scopes = {api.get_openapi_operation_id(each): _scope(each) for each in _operations(api)}
    for _, _, operation in _told(told):
        if media := operation.pop("x-media", ""):
            operation["responses"]["200"]["content"] = {media: {"schema": {"type": "string"}}}
        for status, words in ERRORS.items():
            operation["responses"][status] = {"description": words, "content": problem}
        operation["security"] = [{"Bearer": [scopes[operation["operationId"]]]}]
    return told


def groups(told: dict[str, Any], address: str) -> list[Group]:
    """The operations by topic, in the order they were mounted."""
    found: dict[str, list[Door]] = {}
    for path, method, operation in _told(told):
        found.setdefault(operation["tags"][0], []).append(
            _door(told, path, method, operation, address)
        )
    return [Group(name, doors) for name, doors in found.items()]


def _operations(api: NinjaAPI) -> Iterator[Operation]:
    for router in api._get_bound_routers():
        for view in router.path_operations.values():
            yield from view.operations


def _scope(operation: Operation) -> str:
    gate = operation.auth_callbacks[0]  # an operation without a gate must not exist
    assert isinstance(gate, Bearer)
    return gate.scope


def _told(told: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, operations in told["paths"].items():
        for method in METHODS:
            if method in operations:
                yield path, method, operations[method]


def _door(
    told: dict[str, Any], path: str, method: str, operation: dict[str, Any], address: str
) -> Door:
    fields = [
        Field(
            each["name"],
            each["in"],
            _kind(each["schema"]),
            each["required"],
            each.get("description", ""),
        )
        for each in operation["parameters"]
    ]
    media, body = _body(told, operation)
    fields += _fields(told, body)
    return Door(
        id=operation["operationId"],
        method=method.upper(),
        path=path,
        words=operation.get("description", "").replace("`", ""),
        scope=operation["security"][0]["Bearer"][0],
        fields=fields,
        gives=_gives(told, operation),
        curl=_curl(told, path, method, media, body, fields, address),
    )


def _body(told: dict[str, Any], operation: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    content = operation.get("requestBody", {}).get("content", {})
    for media, each in content.items():
        return media, _followed(told, each["schema"])
    return "", {}


def _fields(told: dict[str, Any], body: dict[str, Any]) -> Iterator[Field]:
    needed = body.get("required", [])
    for name, schema in body.get("properties", {}).items():
        yield Field(name, "body", _kind(schema), name in needed, schema.get("description", ""))


def _followed(told: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    name = schema.get("$ref", "")
    found: dict[str, Any] = (
        told["components"]["schemas"][name.removeprefix(REF)] if name else schema
    )
    return found


def _kind(schema: dict[str, Any]) -> str:
    """A type in words."""
    if "anyOf" in schema:
        return " or ".join(_kind(each) for each in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(str(each) for each in schema["enum"] if each != "")
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(REF)
    kind = str(schema.get("type", "anything"))
    return f"list of {_kind(schema.get('items', {}))}" if kind == "array" else kind


def _gives(told: dict[str, Any], operation: dict[str, Any]) -> str:
    """An example of what comes back, "" where that is nothing or no JSON."""
    for status, response in operation["responses"].items():
        content = response.get("content", {}).get("application/json")
        if status.startswith("2") and content:
            return json.dumps(_example(told, content["schema"]), indent=2, ensure_ascii=False)
    return ""


def _example(told: dict[str, Any], schema: dict[str, Any], depth: int = 0) -> Any:
    """A value of this shape, made of the names of types."""
    schema = _followed(told, schema)
    if depth > 6:
        return "…"
    if "anyOf" in schema:
        return _example(told, schema["anyOf"][0], depth + 1)
    if schema.get("properties"):
        return {
            name: _example(told, each, depth + 1) for name, each in schema["properties"].items()
        }
    if schema.get("type") == "array":
        return [_example(told, schema.get("items", {}), depth + 1)]
    simple = {"integer": 1, "number": 0.5, "boolean": True, "object": {}}
    return simple.get(schema.get("type", ""), schema.get("format", "text"))


def _curl(
    told: dict[str, Any],
    path: str,
    method: str,
    media: str,
    body: dict[str, Any],
    fields: list[Field],
    address: str,
) -> str:
    """How to call it from a terminal."""
    for field in fields:
        if field.place == "path":
            path = path.replace(f"{{{field.name}}}", "1")
    asked = [f"{each.name}=notice" for each in fields if each.place == "query" and each.needed]
    url = f"{address}{path}" + (f"?{'&'.join(asked)}" if asked else "")
    words = ["curl"]
    if method != "get" and not (method == "post" and media):
        words.append(f"-X {method.upper()}")
    words += [f"'{url}'", '-H "Authorization: Bearer $VAULT_TOKEN"']
    if media == "application/json":
        needed = body.get("required") or list(body.get("properties", {}))[:1]
        told_body = {name: _example(told, body["properties"][name]) for name in needed}
        words += ["-H 'Content-Type: application/json'", f"-d '{json.dumps(told_body)}'"]
    elif media:
        words.append("-F file=@Lease.pdf")
    return " \\\n  ".join(words)
