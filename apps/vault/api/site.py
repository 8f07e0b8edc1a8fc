"""The API put together: its rooms, its errors, and how it describes itself."""

import json
from typing import Any

from django.http import HttpRequest
from ninja import NinjaAPI
from ninja.operation import Operation
from ninja.parser import Parser

from apps.vault.api import (
    ingestion,
    passages,
    problems,
    progress,
    query,
    search,
    study,
    tokens,
    uploads,
    workspaces,
)

DESCRIPTION = (
    "Everything a vault can do for its owner's other programs. Each request carries a token in the"
    " header Authorization; errors are problem documents (RFC 9457)."
)


class ObjectParser(Parser):
    """Every body here is a JSON object; ninja would take anything for one without fields."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        body = json.loads(request.body)
        if not isinstance(body, dict):
            raise ValueError("no object")
        return body


class VaultAPI(NinjaAPI):
    """Operations are called what their functions are."""

    def get_openapi_operation_id(self, operation: Operation) -> str:
        return operation.view_func.__name__


api = VaultAPI(
    title="Vaultsite",
    version="1",
    description=DESCRIPTION,
    urls_namespace="api",
    parser=ObjectParser(),
    openapi_url=None,
    docs_url=None,
)
problems.tell(api)
ROOMS = (query, search, uploads, passages, ingestion, workspaces, study, progress)
for room in (*ROOMS, tokens):
    api.add_router("", room.router)
