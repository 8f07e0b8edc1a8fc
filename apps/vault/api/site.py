"""The API put together: its rooms, its errors, and how it describes itself."""

from ninja import NinjaAPI
from ninja.operation import Operation

from apps.vault.api import documents, problems, query, search, tokens

DESCRIPTION = (
    "Everything a vault can do for its owner's other programs. Each request carries a token in the"
    " header Authorization; errors are problem documents (RFC 9457)."
)


class VaultAPI(NinjaAPI):
    """Operations are called what their functions are."""

    def get_openapi_operation_id(self, operation: Operation) -> str:
        return operation.view_func.__name__


api = VaultAPI(
    title="Vaultsite",
    version="1",
    description=DESCRIPTION,
    urls_namespace="api",
    openapi_url=None,
    docs_url=None,
)
problems.tell(api)
for each in (query, search, documents, tokens):
    api.add_router("", each.router)
