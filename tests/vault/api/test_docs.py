"""The API describes itself: to programs, and to people."""

import re
from pathlib import Path

from django.test import Client

from apps.vault.api import site
from apps.vault.api.site import api


def test_programs_read_the_description_without_a_token(client: Client) -> None:
    told = client.get("/api/openapi.json").json()
    assert told["openapi"].startswith("3.1") and "/api/query" in told["paths"]
    asked = told["paths"]["/api/query"]["post"]
    assert asked["security"] == [{"Bearer": ["read"]}]
    problem = asked["responses"]["401"]["content"]["application/problem+json"]["schema"]
    assert problem == {"$ref": "#/components/schemas/Problem"}


def test_every_operation_has_a_gate_and_a_name_of_its_own() -> None:
    operations = [
        operation
        for router in api._get_bound_routers()
        for view in router.path_operations.values()
        for operation in view.operations
    ]
    assert all(operation.auth_callbacks for operation in operations)
    names = [api.get_openapi_operation_id(operation) for operation in operations]
    assert len(names) == len(set(names))
    assert all(operation.description for operation in operations)


def test_no_two_shapes_share_a_name() -> None:
    """The description knows them by their names alone: one would stand for the other."""
    rooms = Path(site.__file__).parent.glob("*.py")
    shapes = [
        name for room in rooms for name in re.findall(r"^class (\w+)\(", room.read_text(), re.M)
    ]
    assert len(shapes) == len(set(shapes))


def test_people_read_a_page(reader: Client) -> None:
    page = reader.get("/api/docs")
    assert page.status_code == 200 and len(page.content) < 200_000
    assert "POST /api/query" in page.text and "Authorization: Bearer $VAULT_TOKEN" in page.text
    assert reader.post("/api/docs").status_code == 405
